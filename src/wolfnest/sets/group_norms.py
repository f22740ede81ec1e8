"""Norms over groups of entries."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.simplex import onto_simplex
from wolfnest.sets.tools.points import as_point, first_only, float_dtype, like, nan_where


class GroupL1Ball(ClosedFormSet):
    """`{x : Σ_g ‖x_g‖₂ ≤ radius}`, where `x_g` are the entries of group `g`.

    `groups` has the label of every entry, a whole number; groups count in the order of their
    labels. The oracle is `-radius · d_g / ‖d_g‖` in the group with the largest `‖d_g‖`, the first
    one on ties, and zero elsewhere; it is the centre for the zero direction. A NaN or infinite
    entry of the direction gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.GroupL1Ball([0, 0, 1, 1], radius=5.0)
    >>> print(ball.lmo(jnp.array([1.0, 2.0, -3.0, 4.0])))
    [ 0.  0.  3. -4.]
    """

    groups: Array | np.ndarray
    count: int = eqx.field(static=True)
    radius: Array | np.ndarray

    def __init__(self, groups: Any, radius: Any = 1.0):
        labels = np.asarray(groups) if not checks.is_traced(groups) else None
        if labels is None or labels.dtype.kind not in "iu" or labels.ndim != 1 or not labels.size:
            raise ValueError(f"groups must be a vector of whole numbers, got {groups!r}.")
        kinds, places = np.unique(labels, return_inverse=True)
        self.groups, self.count = places.astype(np.int32), kinds.size
        self.radius = checks.positive("radius", radius)

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, self.groups.shape)
        heading, norms = self._parts(d)
        longest = jnp.max(norms)
        best = first_only(norms == longest)[self.groups]
        return nan_where(jnp.isnan(longest), jnp.where(best, -like(self.radius, d) * heading, 0))

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Outside, every group shortened to the projection of the norms to the simplex; an
        infinite entry gives NaN."""
        x = as_point("x", x, self.groups.shape)
        radius, (heading, norms) = like(self.radius, x), self._parts(x)
        shorter = heading * onto_simplex(norms, radius)[self.groups]
        return jnp.where(jnp.sum(norms) <= radius, x, shorter)

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A norm of at most `(1 + tol) · radius`."""
        x = as_point("x", x, self.groups.shape)
        return jnp.sum(self._parts(x)[1]) <= like(self.radius, x) * (1 + tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius`, between a point of one group and its opposite. Exact."""
        return 2 * jnp.asarray(self.radius)

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The centre, zero."""
        return jnp.zeros(self.groups.shape, float_dtype(dtype))

    def _parts(self, x: Float[Array, " dim"]) -> tuple[Array, Float[Array, " count"]]:
        """`x_g / ‖x_g‖` in every group, zero where that is zero, and the norms.

        NaN everywhere if there is a NaN or an infinite entry.
        """
        largest = jnp.max(jnp.abs(x))
        scaled = x / jnp.where(largest == 0, 1, largest)
        scaled = jnp.where(jnp.isfinite(largest), scaled, jnp.nan)
        square = jax.ops.segment_sum(scaled * scaled, self.groups, self.count)
        norms = jnp.sqrt(square)
        return scaled / jnp.where(norms == 0, 1, norms)[self.groups], norms * largest
