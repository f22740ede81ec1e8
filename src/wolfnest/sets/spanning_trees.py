"""Spanning trees of a graph, with one entry per edge."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.flows import as_edges
from wolfnest.sets.tools.host import answer_on_host
from wolfnest.sets.tools.points import (
    as_point,
    float_dtype,
    has_nan,
    like,
    nan_where,
    no_projection,
)


class SpanningTree(ClosedFormSet):
    """`{x ∈ R^edges : x ≥ 0, Σ x = n - 1, Σ_(edges within S) x ≤ |S| - 1 for all S}`, `n` nodes.

    Multiplied by `radius`, which is 1 for the convex hull of the spanning trees. `edges` is a list
    of pairs of nodes `0, …, n_nodes - 1`; parallel edges may occur. The oracle is a spanning tree
    of least weight (Borůvka 1926), for weights of any sign and size, also infinite ones; only
    their order counts, and on ties that of the edges. A NaN gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> trees = sets.SpanningTree(4, [(0, 1), (1, 2), (2, 0), (2, 3)])
    >>> print(trees.lmo(jnp.array([0.0, -1.0, 0.5, 9.0])))
    [1. 1. 0. 1.]
    """

    ends: Int[np.ndarray, "2 edges"]
    shares: Float[np.ndarray, " edges"]
    radius: Array | np.ndarray
    n_nodes: int = eqx.field(static=True)

    def __init__(self, n_nodes: int, edges: Any, radius: Any = 1.0):
        self.n_nodes = checks.whole("n_nodes", n_nodes, least=2)
        pairs = as_edges(edges)
        if np.min(pairs) < 0 or np.max(pairs) >= self.n_nodes:
            raise ValueError(
                f"edges must join nodes from 0 to n_nodes - 1 = {self.n_nodes - 1}, got nodes from "
                f"{np.min(pairs)} to {np.max(pairs)}."
            )
        self.ends = pairs.T.astype(np.int32)
        self.radius = checks.positive("radius", radius)
        part = _parts(self.ends, self.n_nodes)
        if np.any(part):
            raise ValueError(
                f"edges must connect all {self.n_nodes} nodes, got no path from node 0 to node "
                f"{np.argmax(part > 0)}."
            )
        self.shares = _uniform_tree(self.ends, self.n_nodes)

    def lmo(self, direction: Float[Array, " edges"]) -> Float[Array, " edges"]:
        d = as_point("direction", direction, self.shares.shape)
        tree = least_tree(d, jnp.asarray(self.ends), self.n_nodes)
        return nan_where(has_nan(d), jnp.where(tree, like(self.radius, d), 0))

    def project(self, x: Float[Array, " edges"]) -> Float[Array, " edges"]:
        raise no_projection("SpanningTree")

    def contains(self, x: Float[Array, " edges"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Entries up to `tol · radius`, and all sums up to `tol · radius · (n - 1)`; by `n` maximal
        flows on the host."""
        x = as_point("x", x, self.shares.shape)
        return answer_on_host(
            holds_no_cycle, x / like(self.radius, x), self.ends, self.n_nodes, tol
        )

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound, `radius · √(2 min(n - 1, e - n + 1))` for `e` edges. Exact if there are
        two spanning trees without a common edge, or that have all edges between them."""
        tree = self.n_nodes - 1
        spread = (2 * min(tree, self.shares.size - tree)) ** 0.5
        return jnp.asarray(self.radius) * spread

    def start(self, dtype: Any = None) -> Float[Array, " edges"]:
        """The mean of all spanning trees."""
        dtype = float_dtype(dtype)
        return jnp.asarray(self.radius, dtype) * jnp.asarray(self.shares, dtype)


def least_tree(
    weights: Float[Array, " edges"], ends: Int[Array, "2 edges"], n: int
) -> Bool[Array, " edges"]:
    """The edges of a spanning forest of least weight: every part takes the first of the edges that
    leave it, parts that have become one are merged, and so on. The number of parts halves at
    least, and as no two edges have the same rank, no cycle of parts is longer than two."""
    edges = weights.size
    order = jnp.argsort(weights)
    rank = jnp.zeros(edges, jnp.int32).at[order].set(jnp.arange(edges, dtype=jnp.int32))
    nodes = jnp.arange(n, dtype=jnp.int32)

    def merge(carry: Any) -> Any:
        part, tree, _ = carry
        one, other = part[ends[0]], part[ends[1]]
        leaving = jnp.where(one != other, rank, edges)
        first = jnp.full((n,), edges, jnp.int32).at[one].min(leaving).at[other].min(leaving)
        leaves = first < edges
        edge = jnp.where(leaves, order[first], edges)
        tree = tree.at[edge].set(True, mode="drop")
        parent = jnp.where(leaves, one[edge] + other[edge] - nodes, nodes)
        parent = jnp.where((parent[parent] == nodes) & (nodes < parent), nodes, parent)
        parent = jax.lax.fori_loop(0, n.bit_length(), lambda _, p: p[p], parent)
        return parent[part], tree, jnp.any(leaves)

    begin = (nodes, jnp.zeros(edges, bool), jnp.asarray(True))
    return jax.lax.while_loop(lambda carry: carry[2], merge, begin)[1]


def holds_no_cycle(
    x: Float[np.ndarray, " edges"],
    ends: Int[np.ndarray, "2 edges"],
    n_nodes: Int[np.ndarray, ""],
    tol: Float[np.ndarray, ""],
) -> bool:
    """Whether `x` lies in the spanning tree polytope.

    `2 |S| - 2 Σ_(edges within S) x = Σ_(v in S) (2 - degree_v) + Σ_(edges that leave S) x` must be
    2 at least for all `S` that are not empty. Its minimum over the sets that hold a given node is
    a minimal cut (Padberg and Wolsey 1983), up to the constant that is `surplus` below.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import maximum_flow

    n = int(n_nodes)
    if np.min(x) < -tol or abs(np.sum(x) - (n - 1)) > tol * (n - 1):
        return False
    x = np.maximum(x, 0)
    need = 2 - np.bincount(ends.ravel(), np.concatenate([x, x]), minlength=n)
    surplus = np.sum(np.maximum(-need, 0))
    nodes, source, sink = np.arange(n), np.full(n, n), np.full(n, n + 1)
    tails = np.concatenate([ends[0], ends[1], nodes, source])
    heads = np.concatenate([ends[1], ends[0], sink, nodes])
    # Flows are whole numbers of 32 bits; none is larger than the sum of all needs.
    scale = (2**31 - 1) // (2 * n + 1)
    sizes = np.concatenate([x, x, np.maximum(need, 0), np.maximum(-need, 0)])
    whole = np.rint(np.minimum(sizes, 2 * n) * scale).astype(np.int32)
    network = coo_matrix((whole, (tails, heads)), (n + 2, n + 2)).tocsr()
    first = network.indptr[n]
    enough = (2 - 2 * tol * (n - 1) + surplus) * scale - x.size - n
    for node in range(n):
        # The source gives this node all it can pass on, so the node is on its side of the cut.
        capacities = network.data.copy()
        capacities[first + node] = 2 * n * scale
        forced = network.__class__((capacities, network.indices, network.indptr), network.shape)
        if maximum_flow(forced, n, n + 1).flow_value < enough:
            return False
    return True


def _parts(ends: Int[np.ndarray, "2 edges"], n: int) -> Int[np.ndarray, " nodes"]:
    """The connected part of every node; that of node 0 is 0."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    edges = coo_matrix((np.ones(ends.shape[1]), (ends[0], ends[1])), (n, n))
    return connected_components(edges, directed=False)[1]


def _uniform_tree(ends: Int[np.ndarray, "2 edges"], n: int) -> Float[np.ndarray, " edges"]:
    """The share of the spanning trees that have an edge: its effective resistance (Kirchhoff)."""
    laplacian = np.zeros((n, n))
    np.add.at(laplacian, (ends[0], ends[0]), 1.0)
    np.add.at(laplacian, (ends[1], ends[1]), 1.0)
    np.add.at(laplacian, (ends[0], ends[1]), -1.0)
    np.add.at(laplacian, (ends[1], ends[0]), -1.0)
    potential = np.zeros((n, n))
    potential[1:, 1:] = np.linalg.inv(laplacian[1:, 1:])
    one, other = ends
    return potential[one, one] + potential[other, other] - 2 * potential[one, other]
