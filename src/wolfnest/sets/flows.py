"""Paths in a directed graph: flows from a source to a sink, with one entry per edge."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.points import (
    as_point,
    float_dtype,
    like,
    nan_where,
    no_projection,
    rescaled,
)


class FlowPolytope(ClosedFormSet):
    """`{x ∈ R^edges : x ≥ 0, flow radius out of source, into sink, conserved elsewhere}`.

    `edges` is a list of pairs `(from, to)` of whole numbers, which name the nodes, without a
    directed cycle; parallel edges may occur. With radius 1, the set is the convex hull of the
    paths from `source` to `sink`. The oracle is a shortest path, found by dynamic programming in
    topological order, so that lengths may be negative; on ties the first edge in that order wins.
    An infinite entry of the direction outweighs all finite ones; a NaN gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> flows = sets.FlowPolytope([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], source=0, sink=3)
    >>> print(flows.lmo(jnp.array([1.0, 5.0, -2.0, 3.0, 1.0])))
    [1. 0. 1. 0. 1.]
    """

    order: Int[np.ndarray, " edges"]  # edges in topological order of their tails
    tails: Int[np.ndarray, " edges"]  # in that order
    heads: Int[np.ndarray, " edges"]
    shares: Float[np.ndarray, " edges"]  # a unit flow, in the order given
    span: Float[np.ndarray, ""]
    radius: Array | np.ndarray
    nodes: int = eqx.field(static=True)
    source: int = eqx.field(static=True)
    sink: int = eqx.field(static=True)

    def __init__(self, edges: Any, source: int, sink: int, radius: Any = 1.0):
        pairs = as_edges(edges)
        names, pairs = np.unique(pairs, return_inverse=True)
        pairs = pairs.reshape(-1, 2)
        self.nodes = names.size
        self.source = _position("source", source, names)
        self.sink = _position("sink", sink, names)
        if self.source == self.sink:
            raise ValueError(f"source and sink must be two nodes, got {source!r} for both.")
        rank = _topological(pairs, names)
        self.order = np.argsort(rank[pairs[:, 0]], kind="stable").astype(np.int32)
        self.tails, self.heads = pairs[self.order].T.astype(np.int32)
        self.radius = checks.positive("radius", radius)
        shares, longest = self._equal_split()
        if not longest:
            raise ValueError(f"sink {sink!r} must be reached from source {source!r} along edges.")
        self.shares = np.empty(len(pairs))
        self.shares[self.order] = shares
        self.span = np.sqrt(min(np.sum(shares > 0), 2.0 * longest))

    def lmo(self, direction: Float[Array, " edges"]) -> Float[Array, " edges"]:
        d = as_point("direction", direction, (self.order.size,))
        heading, nan = rescaled(d)
        # A half-precision sum may be kept more precisely in one place than in another, and an
        # edge on a shortest path be missed below.
        lengths = heading.astype(jnp.promote_types(d.dtype, jnp.float32))[self.order]
        tails, heads = jnp.asarray(self.tails), jnp.asarray(self.heads)

        # Only minima are carried: predecessors beside them would make XLA copy both per edge.
        def relax(distance: Array, edge: Any) -> tuple[Array, None]:
            tail, head, length = edge
            return distance.at[head].min(distance[tail] + length), None

        distance = jnp.full((self.nodes,), jnp.inf, lengths.dtype).at[self.source].set(0)
        distance, _ = jax.lax.scan(relax, distance, (tails, heads, lengths))
        on_shortest = distance[tails] + lengths <= distance[heads]
        position = jnp.arange(tails.size, dtype=jnp.int32)
        last = jnp.full((self.nodes,), tails.size, jnp.int32)
        last = last.at[heads].min(jnp.where(on_shortest, position, tails.size))

        def back(carry: Any) -> Any:
            node, used = carry
            return tails[last[node]], used.at[last[node]].set(True)

        begin = (jnp.asarray(self.sink, jnp.int32), jnp.zeros(tails.size, bool))
        used = jax.lax.while_loop(lambda carry: carry[0] != self.source, back, begin)[1]
        path = jnp.zeros_like(d).at[self.order].set(jnp.where(used, like(self.radius, d), 0))
        return nan_where(nan, path)

    def project(self, x: Float[Array, " edges"]) -> Float[Array, " edges"]:
        raise no_projection("FlowPolytope")

    def contains(self, x: Float[Array, " edges"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Entries, and what enters less what leaves at every node, up to `tol · radius`."""
        x = as_point("x", x, (self.order.size,))
        radius, flow = like(self.radius, x), x[self.order]
        gain = jnp.zeros(self.nodes, x.dtype).at[self.heads].add(flow).at[self.tails].add(-flow)
        gain = gain.at[self.source].add(radius).at[self.sink].add(-radius)
        return (jnp.min(x) >= -tol * radius) & (jnp.max(jnp.abs(gain)) <= tol * radius)

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound: `radius · √min(e, 2 l)` for `e` edges on paths from source to sink, the
        longest of which has `l` edges. Exact if two of the longest have no common edge."""
        return jnp.asarray(self.radius) * jnp.asarray(self.span)

    def start(self, dtype: Any = None) -> Float[Array, " edges"]:
        """The flow that splits equally at every node, over the edges that lead to the sink."""
        return jnp.asarray(self.radius, float_dtype(dtype)) * jnp.asarray(
            self.shares, float_dtype(dtype)
        )

    def _equal_split(self) -> tuple[Float[np.ndarray, " edges"], int]:
        """The flow of `start` in topological order, and the most edges on a path (0: none)."""
        edges = list(zip(self.tails.tolist(), self.heads.tolist(), strict=True))
        leads = [node == self.sink for node in range(self.nodes)]
        exits = [0] * self.nodes
        for tail, head in reversed(edges):
            leads[tail] |= leads[head]
            exits[tail] += leads[head]
        inflow = [float(node == self.source) for node in range(self.nodes)]
        length = [0 if node == self.source else -1 for node in range(self.nodes)]
        shares = np.zeros(len(edges))
        for e, (tail, head) in enumerate(edges):
            if leads[head] and length[tail] >= 0:
                shares[e] = inflow[tail] / exits[tail]
                inflow[head] += shares[e]
                length[head] = max(length[head], length[tail] + 1)
        return shares, max(length[self.sink], 0)


def as_edges(edges: Any) -> Int[np.ndarray, "edges 2"]:
    """`edges` as an array of pairs of different nodes."""
    try:
        pairs = np.asarray(edges)
    except ValueError:
        pairs = np.zeros(0)
    if not pairs.size or pairs.shape != (len(pairs), 2) or pairs.dtype.kind not in "iu":
        raise ValueError(f"edges must be a list of pairs of whole numbers, got {edges!r}.")
    loops = pairs[:, 0] == pairs[:, 1]
    if np.any(loops):
        at = int(np.argmax(loops))
        raise ValueError(
            f"edges must join two nodes each, got {tuple(pairs[at].tolist())} at {at}."
        )
    return pairs


def _position(name: str, node: Any, names: Int[np.ndarray, " nodes"]) -> int:
    found = np.flatnonzero(names == node) if np.ndim(node) == 0 else []
    if len(found) != 1:
        raise ValueError(f"{name} must be a node of edges, got {node!r}.")
    return int(found[0])


def _topological(
    pairs: Int[np.ndarray, "edges 2"], names: Int[np.ndarray, " nodes"]
) -> Int[np.ndarray, " nodes"]:
    """The place of every node in an order that all edges follow (Kahn 1962)."""
    following: list[list[int]] = [[] for _ in names]
    waiting = [0] * names.size
    for tail, head in pairs.tolist():
        following[tail].append(head)
        waiting[head] += 1
    ready = [node for node in range(names.size) if not waiting[node]]
    for node in ready:
        for head in following[node]:
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    if len(ready) < names.size:
        blocked = names[[node for node in range(names.size) if waiting[node]][:5]].tolist()
        raise ValueError(
            "edges must have no directed cycle (lengths may be negative), got one that leads to "
            f"the nodes {blocked}."
        )
    rank = np.empty(names.size, int)
    rank[ready] = np.arange(names.size)
    return rank
