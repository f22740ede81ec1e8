"""The simplex with caps on its entries."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.arrays import per_entry
from wolfnest.sets.tools.filling import filled, nearest
from wolfnest.sets.tools.points import as_point, float_dtype, has_nan, like, nan_where

# Caps may fall short of the budget by the rounding of float32.
ROUNDING = 1e-6


class CappedSimplex(ClosedFormSet):
    """`{x ∈ R^dim : 0 ≤ x ≤ cap, Σ x_i = radius}`: weights, none of them above its cap.

    `cap` is one number or one per entry; an infinite cap is none. The oracle fills entries up to
    their caps in the order of the direction, the first ones first on ties, until the budget is
    spent: a vertex, at which at most one entry is neither empty nor full. An infinite entry of the
    direction is a number like any other; a NaN gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> weights = sets.CappedSimplex(4, cap=0.375)
    >>> print(weights.lmo(jnp.array([3.0, -1.0, 0.0, 5.0])))
    [0.25  0.375 0.375 0.   ]
    >>> print(weights.project(jnp.array([1.0, 0.5, 0.0, -1.0])))
    [0.375 0.375 0.25  0.   ]
    """

    dim: int = eqx.field(static=True)
    cap: Array | np.ndarray
    radius: Array | np.ndarray

    def __init__(self, dim: int, cap: Any, radius: Any = 1.0):
        self.dim = checks.whole("dim", dim)
        self.radius = checks.positive("radius", radius)
        self.cap = per_entry("cap", cap, self.dim, least=0.0)
        if not checks.is_traced((self.cap, self.radius)):
            room = float(np.sum(self.cap))
            if room < self.radius * (1 - ROUNDING):
                raise ValueError(
                    f"cap must leave room for the budget, got caps that add up to {room:g} for "
                    f"a radius of {self.radius}."
                )

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        cap, radius = self._bounds(d)
        return nan_where(has_nan(d), filled(jnp.zeros_like(d), cap, radius, jnp.argsort(d)))

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """`clip(x - τ, 0, cap)` with the exact threshold `τ`; an infinite entry gives NaN."""
        x = as_point("x", x, (self.dim,))
        return nearest(x, 0, *self._bounds(x))

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Every entry within its bounds, and the sum equal to the radius, up to `tol · radius`."""
        x = as_point("x", x, (self.dim,))
        cap, radius = self._bounds(x)
        slack = tol * radius
        within = jnp.all((x >= -slack) & (x <= cap + slack))
        return within & (jnp.abs(jnp.sum(x) - radius) <= slack)

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound, exact for equal caps of which a whole number makes the radius.

        The entries `t_i` of a difference are at most `cap_i`, so `Σ t_i² ≤ Σ cap_i t_i`; and
        they add up to `2 min(radius, Σ cap - radius)` at most. The largest caps are taken first.
        """
        cap = jnp.sort(jnp.minimum(jnp.asarray(self.cap), self.radius), descending=True)
        moved = 2 * jnp.maximum(jnp.minimum(self.radius, jnp.sum(cap) - self.radius), 0)
        taken = jnp.clip(moved - (jnp.cumsum(cap) - cap), 0, cap)
        return jnp.sqrt(jnp.sum(cap * taken))

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """Weights in proportion to the caps."""
        cap, radius = self._bounds(jnp.zeros((), float_dtype(dtype)))
        return cap * (radius / jnp.sum(cap))

    def _bounds(self, x: Array) -> tuple[Array, Array]:
        """Caps and budget in the dtype of `x`; no cap need be above the budget."""
        radius = like(self.radius, x)
        return jnp.minimum(like(self.cap, x), radius), radius
