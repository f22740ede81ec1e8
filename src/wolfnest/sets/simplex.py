"""The simplex: non-negative weights that add up to a budget, or to at most that."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from wolfnest.sets.tools.points import as_point, first_only, float_dtype, like, nan_where
from wolfnest.sets.tools.sized import SizedSet

# Up to this dimension a projection compares all pairs: a sort takes several times as long on a CPU.
PAIRS = 64


class Simplex(SizedSet):
    """`{x ∈ R^dim : x ≥ 0, Σ x_i = radius}`, the probability simplex when the radius is 1.

    The oracle is `radius · e_i` with `i = argmin d_i`, the first such `i` on ties. An infinite
    entry of the direction is a number like any other there (the first `-inf` wins), so the answer
    is always a vertex, or NaN if the direction has a NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> weights = sets.Simplex(3)
    >>> print(weights.lmo(jnp.array([0.3, -0.2, 0.5])))
    [0. 1. 0.]
    >>> print(weights.project(jnp.array([1.0, 0.5, -2.0])))
    [0.75 0.25 0.  ]
    """

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        least = jnp.min(d)  # NaN if there is any
        vertex = jnp.where(first_only(d == least), like(self.radius, d), 0)
        return nan_where(jnp.isnan(least), vertex)

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """The threshold of `onto_simplex`; an infinite entry gives NaN."""
        x = as_point("x", x, (self.dim,))
        return onto_simplex(x, like(self.radius, x))

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """No entry below `-tol · radius`, and a sum within `tol · radius` of the radius."""
        x = as_point("x", x, (self.dim,))
        radius = like(self.radius, x)
        slack = tol * radius
        return (jnp.min(x) >= -slack) & (jnp.abs(jnp.sum(x) - radius) <= slack)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`√2 · radius`, between two vertices; 0 for the single point of dimension 1."""
        return jnp.asarray(self.radius) * (2**0.5 if self.dim > 1 else 0.0)

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """Equal weights."""
        dtype = float_dtype(dtype)
        return jnp.full((self.dim,), jnp.asarray(self.radius, dtype) / self.dim, dtype)


class UnitSimplex(SizedSet):
    """`{x ∈ R^dim : x ≥ 0, Σ x_i ≤ radius}`: a budget that need not be spent.

    The oracle is `radius · e_i` with `i = argmin d_i` if that entry is negative (the first such
    `i` on ties), else zero. An infinite entry is a number like any other; a NaN gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> budget = sets.UnitSimplex(3, radius=2.0)
    >>> print(budget.lmo(jnp.array([0.5, -0.25, 0.0])), budget.lmo(jnp.ones(3)))
    [0. 2. 0.] [0. 0. 0.]
    """

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        least = jnp.min(d)  # NaN if there is any
        best = first_only(d == least) & (least < 0)
        return nan_where(jnp.isnan(least), jnp.where(best, like(self.radius, d), 0))

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """The positive part, if it is within the budget; else the projection to the simplex."""
        x = as_point("x", x, (self.dim,))
        radius, positive = like(self.radius, x), jnp.maximum(x, 0)
        return jnp.where(jnp.sum(positive) <= radius, positive, onto_simplex(x, radius))

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """No entry below `-tol · radius`, and a sum of at most `(1 + tol) · radius`."""
        x = as_point("x", x, (self.dim,))
        radius = like(self.radius, x)
        return (jnp.min(x) >= -tol * radius) & (jnp.sum(x) <= radius * (1 + tol))

    @property
    def diameter(self) -> Float[Array, ""]:
        """`√2 · radius`, between two vertices; the radius in dimension 1. Exact."""
        return jnp.asarray(self.radius) * (2**0.5 if self.dim > 1 else 1.0)

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The whole budget, in equal parts."""
        dtype = float_dtype(dtype)
        return jnp.full((self.dim,), jnp.asarray(self.radius, dtype) / self.dim, dtype)


def onto_simplex(x: Float[Array, " n"], radius: Float[Array, ""]) -> Float[Array, " n"]:
    """`max(x - τ, 0)` with `τ = max_k (x_(1) + … + x_(k) - radius) / k`, `x` sorted downwards.

    The projection does not change when a constant is added to `x`, nor when entries below
    `max x - radius` are raised to that level (they end at zero). Both are done first: what is
    added up then lies in `[-radius, 0]`, and large entries lose no digits.
    """
    level = jnp.maximum(x - jnp.max(x), -radius)
    if x.size <= PAIRS:
        # The sums over all entries at least as large as each: equal entries only count together,
        # which changes no maximum.
        above = level[:, None] >= level[None, :]
        sums = jnp.sum(jnp.where(above, level[:, None], 0), axis=0)
        counts = jnp.sum(above, axis=0, dtype=x.dtype)
    else:
        sums = jnp.cumsum(jnp.sort(level, descending=True))
        counts = jnp.arange(1, x.size + 1, dtype=x.dtype)
    return jnp.maximum(level - jnp.max((sums - radius) / counts), 0)
