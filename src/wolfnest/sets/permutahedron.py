"""The permutahedron: all orders of given values, and what lies between them."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.arrays import vector
from wolfnest.sets.tools.fits import block_means, pools
from wolfnest.sets.tools.points import as_point, float_dtype, has_nan, like, nan_where, unit


class Permutahedron(ClosedFormSet):
    """The convex hull of all permutations of `values`.

    It consists of the `x` with the sum of the values, whose `j` largest entries add up to no more
    than the `j` largest values, for every `j`. The oracle puts the largest value where the
    direction is smallest, and so on, the first entry first on ties. An infinite entry of the
    direction is a number like any other; a NaN gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ranks = sets.Permutahedron([1.0, 2.0, 3.0])
    >>> print(ranks.lmo(jnp.array([0.5, -2.0, 7.0])))
    [2. 3. 1.]
    >>> print(ranks.project(jnp.array([9.0, 8.0, 0.0])))
    [3. 2. 1.]
    """

    values: Array | np.ndarray

    def __init__(self, values: Any):
        self.values = vector("values", values)

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, self.values.shape)
        vertex = jnp.zeros_like(d).at[jnp.argsort(d)].set(self._falling(d))
        return nan_where(has_nan(d), vertex)

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """`x - f`, with `f` the non-increasing fit of `x - values`, both sorted downwards (Lim and
        Wright 2016); an infinite entry gives NaN."""
        x = as_point("x", x, self.values.shape)
        values, order = self._falling(x), jnp.argsort(-x)
        # Entries further apart than the values are never pooled: how far does not matter, and
        # what is left of large entries keeps its digits.
        steps = jnp.minimum(-jnp.diff(x[order]), 2 * (values[0] - values[-1]))
        level = -jnp.append(0, jnp.cumsum(steps)).astype(x.dtype)
        fit = block_means(pools(level - values), level - values)
        point = jnp.zeros_like(x).at[order].set(level - fit)
        return nan_where(~jnp.all(jnp.isfinite(x)), point)

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Sums of the largest entries, up to `tol` times the sum of the absolute deviations of
        the values from their mean, and rounding."""
        x = as_point("x", x, self.values.shape)
        values = self._falling(x)
        mean = jnp.mean(values)
        excess = jnp.cumsum(jnp.sort(x, descending=True) - mean) - jnp.cumsum(values - mean)
        rounding = 4 * x.size * jnp.finfo(x.dtype).eps * jnp.max(jnp.abs(values))
        slack = tol * jnp.sum(jnp.abs(values - mean)) + rounding
        return (jnp.max(excess) <= slack) & (excess[-1] >= -slack)

    @property
    def diameter(self) -> Float[Array, ""]:
        """Between the values sorted upwards and downwards. Exact."""
        falling = self._falling(jnp.zeros((), jnp.asarray(self.values).dtype))
        return unit(falling - falling[::-1])[1]

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The mean of the values, in all entries."""
        values = jnp.asarray(self.values, float_dtype(dtype))
        return jnp.full(values.shape, jnp.mean(values), values.dtype)

    def _falling(self, x: Array) -> Float[Array, " dim"]:
        return jnp.sort(like(self.values, x), descending=True)
