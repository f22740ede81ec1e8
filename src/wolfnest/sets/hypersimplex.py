"""Hypersimplices: a choice of some entries out of all, and the hull of such choices."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from wolfnest.sets.tools.filling import nearest, nearest_below
from wolfnest.sets.tools.points import as_point, float_dtype, has_nan, like, nan_where, smallest
from wolfnest.sets.tools.sized import CountedSet


class Hypersimplex(CountedSet):
    """`{x ∈ R^dim : 0 ≤ x ≤ radius, Σ x_i = k · radius}`, the hull of all choices of `k` entries.

    The oracle puts `radius` where the `k` smallest entries of the direction are, the first ones
    on ties. An infinite entry is a number like any other; a NaN gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> pairs = sets.Hypersimplex(4, k=2)
    >>> print(pairs.lmo(jnp.array([3.0, -1.0, 0.0, 5.0])))
    [0. 1. 1. 0.]
    """

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        vertex = jnp.where(smallest(d, self.k), like(self.radius, d), 0)
        return nan_where(has_nan(d), vertex)

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """`clip(x - τ, 0, radius)` with the exact threshold `τ`; an infinite entry gives NaN."""
        x = as_point("x", x, (self.dim,))
        radius = like(self.radius, x)
        return nearest(x, 0, radius, self.k * radius)

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Entries and their sum within their bounds, up to `tol` of each bound."""
        x = as_point("x", x, (self.dim,))
        radius = like(self.radius, x)
        missed = jnp.abs(jnp.sum(x) - self.k * radius)
        return _between(x, radius, tol) & (missed <= self.k * tol * radius)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`radius · √(2 min(k, dim - k))`, between choices that share the least. Exact."""
        return jnp.asarray(self.radius) * (2 * min(self.k, self.dim - self.k)) ** 0.5

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """Equal entries."""
        dtype = float_dtype(dtype)
        return jnp.full((self.dim,), jnp.asarray(self.radius, dtype) * (self.k / self.dim), dtype)


class UnitHypersimplex(CountedSet):
    """`{x ∈ R^dim : 0 ≤ x ≤ radius, Σ x_i ≤ k · radius}`, the hull of choices of up to `k` entries.

    The oracle puts `radius` where the `k` smallest entries of the direction are, as far as they
    are negative, the first ones on ties. An infinite entry is a number like any other; a NaN
    gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> pairs = sets.UnitHypersimplex(4, k=2)
    >>> print(pairs.lmo(jnp.array([3.0, -1.0, 0.0, 5.0])))
    [0. 1. 0. 0.]
    """

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        chosen = smallest(d, self.k) & (d < 0)
        return nan_where(has_nan(d), jnp.where(chosen, like(self.radius, d), 0))

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Entries clipped to `[0, radius]`, after a threshold if they are too many; an infinite
        entry gives NaN."""
        x = as_point("x", x, (self.dim,))
        radius = like(self.radius, x)
        return nearest_below(x, radius, self.k * radius)

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Entries and their sum within their bounds, up to `tol` of each bound."""
        x = as_point("x", x, (self.dim,))
        radius = like(self.radius, x)
        return _between(x, radius, tol) & (jnp.sum(x) <= self.k * radius * (1 + tol))

    @property
    def diameter(self) -> Float[Array, ""]:
        """`radius · √min(2k, dim)`, between choices that share nothing. Exact."""
        return jnp.asarray(self.radius) * min(2 * self.k, self.dim) ** 0.5

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """Equal entries, as large as they can be."""
        dtype = float_dtype(dtype)
        return jnp.full((self.dim,), jnp.asarray(self.radius, dtype) * (self.k / self.dim), dtype)


def _between(x: Array, radius: Array, tol: float) -> Bool[Array, ""]:
    return jnp.all((x >= -tol * radius) & (x <= radius * (1 + tol)))
