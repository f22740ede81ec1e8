"""Assignments and matchings: matrices whose vertices pair rows with columns."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.host import on_host
from wolfnest.sets.tools.points import (
    as_point,
    float_dtype,
    has_nan,
    like,
    nan_where,
    no_projection,
    rescaled,
)
from wolfnest.sets.transport import has_sums

# Up to this size an assignment is found by optax's Hungarian algorithm (where optax is there), in
# compiled code; beyond it by SciPy's, on the host. The call of the host alone takes 75 µs on a CPU.
# In a scan, compiled against host, in µs: size 5, 3 against 73; size 10, 21 against 74; size 30,
# 119 against 79; size 100, 1,360 against 311; size 300, 11,400 against 2,900.
COMPILED = 20


class Birkhoff(ClosedFormSet):
    """`{X ∈ R^(dim×dim) : X ≥ 0, all row and column sums equal radius}`.

    With radius 1, the doubly stochastic matrices, the convex hull of the permutation matrices.
    The oracle solves an assignment problem. An infinite entry of the direction outweighs all
    finite ones; the answer is always `radius` times a permutation, or NaN if there is a NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> mixed = sets.Birkhoff(3)
    >>> print(mixed.lmo(jnp.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]])))
    [[0. 1. 0.]
     [1. 0. 0.]
     [0. 0. 1.]]
    """

    dim: int = eqx.field(static=True)
    radius: Array | np.ndarray

    def __init__(self, dim: int, radius: Any = 1.0):
        self.dim = checks.whole("dim", dim)
        self.radius = checks.positive("radius", radius)

    def lmo(self, direction: Float[Array, "n n"]) -> Float[Array, "n n"]:
        d = as_point("direction", direction, (self.dim, self.dim))
        return nan_where(has_nan(d), like(self.radius, d) * _assignment(rescaled(d)[0]))

    def project(self, x: Float[Array, "n n"]) -> Float[Array, "n n"]:
        raise no_projection("Birkhoff")

    def contains(self, x: Float[Array, "n n"], tol: float = 1e-5) -> Bool[Array, ""]:
        """No entry below `-tol · radius`, and all sums within `tol · radius` of the radius."""
        x = as_point("x", x, (self.dim, self.dim))
        sums = jnp.full((self.dim,), like(self.radius, x))
        return has_sums(x, sums, sums, tol * sums[0])

    @property
    def diameter(self) -> Float[Array, ""]:
        """`radius · √(2 dim)`, between permutations without a common entry; 0 in dimension 1."""
        return jnp.asarray(self.radius) * ((2 * self.dim) ** 0.5 if self.dim > 1 else 0.0)

    def start(self, dtype: Any = None) -> Float[Array, "n n"]:
        """All entries equal."""
        dtype = float_dtype(dtype)
        return jnp.full((self.dim, self.dim), jnp.asarray(self.radius, dtype) / self.dim, dtype)


class BipartiteMatching(ClosedFormSet):
    """`{X ∈ R^(left×right) : X ≥ 0, all row and column sums at most radius}`.

    With radius 1, the convex hull of the matchings between `left` and `right` nodes. The oracle
    is a matching of least total weight, which only uses edges of negative weight; zero for the
    zero direction. Infinite entries and NaN are treated as in `Birkhoff`.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> pairs = sets.BipartiteMatching(2, 3)
    >>> print(pairs.lmo(jnp.array([[-3.0, -2.0, 1.0], [-2.0, 0.0, 1.0]])))
    [[0. 1. 0.]
     [1. 0. 0.]]
    """

    left: int = eqx.field(static=True)
    right: int = eqx.field(static=True)
    radius: Array | np.ndarray

    def __init__(self, left: int, right: int, radius: Any = 1.0):
        self.left = checks.whole("left", left)
        self.right = checks.whole("right", right)
        self.radius = checks.positive("radius", radius)

    def lmo(self, direction: Float[Array, "n m"]) -> Float[Array, "n m"]:
        d = as_point("direction", direction, (self.left, self.right))
        gains = jnp.minimum(rescaled(d)[0], 0)
        # An assignment that leaves nobody out is no worse where unwanted pairs are free.
        used = _assignment(gains) * (gains < 0)
        return nan_where(has_nan(d), like(self.radius, d) * used)

    def project(self, x: Float[Array, "n m"]) -> Float[Array, "n m"]:
        raise no_projection("BipartiteMatching")

    def contains(self, x: Float[Array, "n m"], tol: float = 1e-5) -> Bool[Array, ""]:
        """No entry below `-tol · radius`, and no sum above `(1 + tol) · radius`."""
        x = as_point("x", x, (self.left, self.right))
        radius = like(self.radius, x)
        largest = jnp.maximum(jnp.max(jnp.sum(x, axis=0)), jnp.max(jnp.sum(x, axis=1)))
        return (jnp.min(x) >= -tol * radius) & (largest <= (1 + tol) * radius)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`radius · √(2 min(left, right))`, between matchings without a common edge; `radius`
        where there is one edge only."""
        edges = 2 * min(self.left, self.right) if max(self.left, self.right) > 1 else 1
        return jnp.asarray(self.radius) * edges**0.5

    def start(self, dtype: Any = None) -> Float[Array, "n m"]:
        """All entries equal, with sums of half the radius or less."""
        dtype = float_dtype(dtype)
        entry = jnp.asarray(self.radius, dtype) / (2 * max(self.left, self.right))
        return jnp.full((self.left, self.right), entry, dtype)


def _assignment(cost: Float[Array, "n m"]) -> Float[Array, "n m"]:
    """The 0–1 matrix of an assignment of least cost that leaves no row out, or no column.

    The cost must be free of NaN: the compiled loop would not end.
    """
    try:
        from optax.assignment import hungarian_algorithm
    except ImportError:
        return on_host(least_assignment, cost)
    if max(cost.shape) > COMPILED:
        return on_host(least_assignment, cost)
    precise = cost.astype(jnp.promote_types(cost.dtype, jnp.float32))
    return jnp.zeros_like(cost).at[hungarian_algorithm(precise)].set(1)


def least_assignment(cost: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
    from scipy.optimize import linear_sum_assignment

    point = np.zeros_like(cost)
    point[linear_sum_assignment(cost)] = 1
    return point
