"""The K-sparse polytope: the convex hull of vectors with few entries."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from wolfnest.sets.tools.filling import nearest_below
from wolfnest.sets.tools.points import (
    against,
    as_point,
    float_dtype,
    has_nan,
    like,
    nan_where,
    smallest,
)
from wolfnest.sets.tools.sized import CountedSet


class KSparse(CountedSet):
    """`{x ∈ R^dim : max |x_i| ≤ radius, Σ |x_i| ≤ k · radius}`, the K-sparse polytope.

    It is the convex hull of the vectors with `k` entries `±radius` and zeros elsewhere. The oracle
    has `-radius · sign(d_i)` at the `k` largest `|d_i|`, the first ones on ties, and `radius`
    where such a `d_i` is zero. An infinite entry is a number like any other; a NaN gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> print(sets.KSparse(4, k=2).lmo(jnp.array([0.5, -3.0, 1.0, 0.0])))
    [ 0.  1. -1.  0.]
    """

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        vertex = jnp.where(smallest(-jnp.abs(d), self.k), against(d, like(self.radius, d)), 0)
        return nan_where(has_nan(d), vertex)

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """`sign(x) · clip(|x| - τ, 0, radius)` with the exact threshold `τ ≥ 0`; an infinite
        entry gives NaN."""
        x = as_point("x", x, (self.dim,))
        radius = like(self.radius, x)
        return jnp.sign(x) * nearest_below(jnp.abs(x), radius, self.k * radius)

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Both norms within their bounds, up to a factor of `1 + tol`."""
        x = as_point("x", x, (self.dim,))
        size, bound = jnp.abs(x), like(self.radius, x) * (1 + tol)
        return (jnp.max(size) <= bound) & (jnp.sum(size) <= self.k * bound)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius · √k`, between a vertex and its opposite. Exact."""
        return 2 * jnp.asarray(self.radius) * self.k**0.5

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The centre, zero."""
        return jnp.zeros((self.dim,), float_dtype(dtype))
