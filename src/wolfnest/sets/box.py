"""Boxes: bounds on every entry; the cube among them."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.arrays import numbers
from wolfnest.sets.tools.points import as_point, float_dtype, has_nan, like, nan_where, unit


class Box(ClosedFormSet):
    """`{x : lower ≤ x ≤ upper}`, entry by entry, for arrays of any rank.

    `lower` and `upper` have equal shapes, or one of them is a scalar. The oracle takes `upper`
    where the direction is negative and `lower` elsewhere (also at zero), so that it is always a
    vertex (also with infinite entries), or NaN if the direction has a NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> box = sets.Box(jnp.array([0.0, -1.0]), 2.0)
    >>> print(box.lmo(jnp.array([1.0, -1.0])))
    [0. 2.]
    >>> print(box.start())
    [1.  0.5]
    """

    lower: Array | np.ndarray
    upper: Array | np.ndarray

    def __init__(self, lower: Any, upper: Any):
        low, high = numbers("lower", lower), numbers("upper", upper)
        if low.shape != high.shape and low.ndim and high.ndim:
            raise ValueError(
                "lower and upper must have equal shapes, or one of them be a scalar, "
                f"got shapes {low.shape} and {high.shape}."
            )
        shape = low.shape or high.shape
        if 0 in shape:
            raise ValueError(f"lower and upper must have at least one entry, got shape {shape}.")
        library = jnp if checks.is_traced((low, high)) else np
        low, high = library.broadcast_to(low, shape), library.broadcast_to(high, shape)
        if isinstance(low, np.ndarray) and np.any(low > high):
            at = tuple(int(i) for i in np.argwhere(low > high)[0])
            raise ValueError(
                f"lower must not exceed upper, got lower = {low[at]} > upper = {high[at]} "
                f"at index {at}."
            )
        self.lower, self.upper = low, high

    def lmo(self, direction: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        d = as_point("direction", direction, self.lower.shape)
        return nan_where(has_nan(d), jnp.where(d < 0, like(self.upper, d), like(self.lower, d)))

    def project(self, x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Every entry clipped to its bounds; a NaN entry stays NaN."""
        x = as_point("x", x, self.lower.shape)
        return jnp.clip(x, like(self.lower, x), like(self.upper, x))

    def contains(self, x: Float[Array, "*shape"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Every entry within its bounds, up to `tol` times the longest edge and rounding."""
        x = as_point("x", x, self.lower.shape)
        low, high = like(self.lower, x), like(self.upper, x)
        # An edge may be short, or of length zero, far away from the origin.
        rounding = 4 * jnp.finfo(x.dtype).eps * jnp.maximum(jnp.abs(low), jnp.abs(high))
        slack = tol * jnp.max(high - low) + rounding
        return jnp.all((x >= low - slack) & (x <= high + slack))

    @property
    def diameter(self) -> Float[Array, ""]:
        """`‖upper - lower‖`, over all entries."""
        return unit(jnp.asarray(self.upper) - jnp.asarray(self.lower))[1]

    def start(self, dtype: Any = None) -> Float[Array, "*shape"]:
        """The midpoint."""
        dtype = float_dtype(dtype)
        return jnp.asarray(self.lower, dtype) / 2 + jnp.asarray(self.upper, dtype) / 2


def Cube(dim: int, radius: Any = 1.0) -> Box:
    """The cube `[0, radius]^dim`, as a `Box`: the 0–1 cube when the radius is 1.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> print(sets.Cube(3).lmo(jnp.array([0.5, -1.0, 0.0])))
    [0. 1. 0.]
    """
    radius = checks.positive("radius", radius)
    return Box(0.0, radius * np.ones(checks.whole("dim", dim)))
