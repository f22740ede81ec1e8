"""Convex hulls of given points."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.arrays import numbers
from wolfnest.sets.tools.host import answer_on_host
from wolfnest.sets.tools.points import (
    as_point,
    float_dtype,
    like,
    nan_where,
    no_projection,
    rescaled,
    unit,
)


class ConvexHull(ClosedFormSet):
    """All weighted means of `points`, an array `(n, *shape)` of `n` points of any shape.

    The oracle is the point with the smallest `<p, d>`, the first one on ties. An infinite entry
    of the direction outweighs all finite ones; a NaN gives NaN. `contains` solves a small
    non-negative least-squares problem on the host.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> triangle = sets.ConvexHull([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    >>> print(triangle.lmo(jnp.array([-1.0, -1.0])))
    [4. 0.]
    >>> print(triangle.contains(jnp.array([1.0, 1.0])), triangle.contains(jnp.array([3.0, 3.0])))
    True False
    >>> print(float(triangle.diameter))
    5.0
    """

    points: Array | np.ndarray

    def __init__(self, points: Any):
        self.points = numbers("points", points)
        if not self.points.ndim or not self.points.size:
            raise ValueError(
                "points must be an array (n, *shape) with at least one entry, "
                f"got shape {self.points.shape}."
            )

    def lmo(self, direction: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        d, nan = rescaled(as_point("direction", direction, self.points.shape[1:]))
        points = like(self.points, d)
        values = jnp.tensordot(points, d, d.ndim, precision="highest")
        return nan_where(nan, points[jnp.argmin(values)])

    def project(self, x: PyTree) -> PyTree:
        raise no_projection("ConvexHull")

    def contains(self, x: Float[Array, "*shape"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A distance of at most `tol` times the largest distance of the points from their mean,
        and rounding."""
        x = as_point("x", x, self.points.shape[1:])
        return answer_on_host(_lies_between, x, like(self.points, x), jnp.asarray(tol, x.dtype))

    @property
    def diameter(self) -> Float[Array, ""]:
        """The largest distance between two of the points. Exact; takes `n²` distances."""
        points = jnp.asarray(self.points).reshape(self.points.shape[0], -1)
        furthest = lambda p: jnp.max(jax.vmap(lambda q: unit(p - q)[1])(points))
        return jnp.max(jax.lax.map(furthest, points))

    def start(self, dtype: Any = None) -> Float[Array, "*shape"]:
        """The mean of the points."""
        return jnp.mean(jnp.asarray(self.points, float_dtype(dtype)), axis=0)


def _lies_between(x: np.ndarray, points: np.ndarray, tol: np.ndarray) -> bool:
    """Whether `x` is a weighted mean of the points, nearly.

    The least value of `‖Σ λ_i (p_i - x)‖² + (Σ λ_i - 1)²` over `λ ≥ 0` is `δ² / (1 + δ²)` for a
    distance of `δ`.
    """
    from scipy.optimize import nnls

    rounding = 4 * float(np.finfo(points.dtype).eps) * np.max(np.abs(points))
    points = points.astype(np.float64).reshape(len(points), -1)
    size = np.max(np.linalg.norm(points - points.mean(0), axis=1))
    slack = float(tol) * size + rounding * points.shape[1] ** 0.5
    away = points - x.reshape(-1)
    scale = max(size, slack) or 1.0
    rows = np.vstack([away.T / scale, np.ones(len(points))])
    value = nnls(rows, np.append(np.zeros(rows.shape[0] - 1), 1.0))[1]
    return bool(value**2 * scale**2 <= slack**2 * (1 - value**2))
