"""Balls of Lp norms, and ellipsoids."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.balls import L1Ball, L2Ball, LInfBall
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.arrays import numbers, refuse_where, vector
from wolfnest.sets.tools.points import as_point, float_dtype, like, nan_where, unit
from wolfnest.sets.tools.roots import onto_ellipsoid, onto_lp
from wolfnest.sets.tools.sized import CentredSet

# Balls with formulas of their own.
KNOWN: dict[float, Callable[[int, Any], CentredSet]] = {
    1.0: L1Ball,
    2.0: L2Ball,
    math.inf: LInfBall,
}


class LpBall(ClosedFormSet):
    """`{x ∈ R^dim : ‖x‖_p ≤ radius}` with `‖x‖_p = (Σ |x_i|^p)^(1/p)`, for `1 ≤ p ≤ ∞`.

    `p` is static: a new one is a new program. With `1/p + 1/q = 1`, the oracle is
    `-radius · sign(d_i) (|d_i| / ‖d‖_q)^(q-1)`, and the centre for the zero direction; a NaN or
    infinite entry gives NaN. For `p = 1, 2, ∞` all is as in `L1Ball`, `L2Ball` and `LInfBall`.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.LpBall(2, p=1.5, radius=3.0)
    >>> point = ball.lmo(jnp.array([1.0, -1.0]))
    >>> print(point.round(4), bool(ball.contains(point)))
    [-1.8899  1.8899] True
    """

    dim: int = eqx.field(static=True)
    p: float = eqx.field(static=True)
    radius: Array | np.ndarray

    def __init__(self, dim: int, p: float, radius: Any = 1.0):
        self.dim = checks.whole("dim", dim)
        self.p = _exponent(p)
        self.radius = checks.positive("radius", radius)

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        if known := self._known:
            return known.lmo(d)
        largest = jnp.max(jnp.abs(d))
        scaled = jnp.abs(d) / jnp.where(largest == 0, 1, largest)
        # |s_i|^p is proportional to |d_i|^q, which neither overflows nor loses digits.
        q = self.p / (self.p - 1)
        total = jnp.sum(scaled**q)
        size = scaled ** (1 / (self.p - 1)) / jnp.where(total == 0, 1, total) ** (1 / self.p)
        point = -like(self.radius, d) * jnp.sign(d) * size
        return nan_where(~jnp.isfinite(largest), point)

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Outside, by a root search whose error is a few roundings, times `1 / (p - 1)` for small
        `p`; an infinite entry gives NaN."""
        x = as_point("x", x, (self.dim,))
        if known := self._known:
            return known.project(x)
        radius, norm = like(self.radius, x), self._norm(x)
        point = radius * jnp.sign(x) * onto_lp(jnp.abs(x) / radius, self.p)
        return nan_where(~jnp.isfinite(norm), jnp.where(norm <= radius, x, point))

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A norm of at most `(1 + tol) · radius`."""
        x = as_point("x", x, (self.dim,))
        if known := self._known:
            return known.contains(x, tol)
        return self._norm(x) <= like(self.radius, x) * (1 + tol)

    @property
    def _known(self) -> CentredSet | None:
        """The ball with a formula of its own that it is; None for most exponents."""
        return KNOWN[self.p](self.dim, self.radius) if self.p in KNOWN else None

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius · dim^max(0, 1/2 - 1/p)`, between opposite points of an axis, or of a
        diagonal for `p > 2`. Exact."""
        return 2 * jnp.asarray(self.radius) * self.dim ** max(0.0, 0.5 - 1 / self.p)

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The centre, zero."""
        return jnp.zeros((self.dim,), float_dtype(dtype))

    def _norm(self, x: Float[Array, " dim"]) -> Float[Array, ""]:
        largest = jnp.max(jnp.abs(x))
        scaled = jnp.abs(x) / jnp.where(largest == 0, 1, largest)
        return largest * jnp.sum(scaled**self.p) ** (1 / self.p)


class Ellipsoid(ClosedFormSet):
    """`{x : (x - centre)ᵀ P⁻¹ (x - centre) ≤ 1}` for a symmetric, positive definite `P`.

    Give either `shape`, the matrix `P` (a covariance, say), or `semi_axes`, the lengths `a_i`
    along the coordinates, which stand for `P = diag(a²)`. The oracle is
    `centre - P d / √(dᵀ P d)`, and the centre for the zero direction; a NaN or infinite entry
    gives NaN. The matrix is decomposed once, when the set is made.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> print(sets.Ellipsoid([1.0, 0.0], semi_axes=[3.0, 1.0]).lmo(jnp.array([-1.0, 0.0])))
    [4. 0.]
    >>> around = sets.Ellipsoid([0.0, 0.0], shape=[[2.0, 1.0], [1.0, 2.0]])
    >>> print(round(float(around.diameter), 4))
    3.4641
    """

    centre: Array | np.ndarray
    semi_axes: Array | np.ndarray
    axes: Array | np.ndarray | None  # one per column; None for those of the coordinates

    def __init__(self, centre: Any, *, semi_axes: Any = None, shape: Any = None):
        self.centre = vector("centre", centre)
        if (semi_axes is None) == (shape is None):
            got = "none" if shape is None else "both"
            raise ValueError(f"Ellipsoid needs one of semi_axes and shape, got {got}.")
        if shape is None:
            self.axes, self.semi_axes = None, vector("semi_axes", semi_axes)
        else:
            self.axes, self.semi_axes = _decomposed(numbers("shape", shape))
        if self.semi_axes.shape != self.centre.shape:
            raise ValueError(
                f"centre must have an entry for each of the {self.semi_axes.size} axes, "
                f"got shape {self.centre.shape}."
            )
        if isinstance(self.semi_axes, np.ndarray):
            refuse_where("semi_axes", self.semi_axes, self.semi_axes <= 0, "positive")

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, self.centre.shape)
        lengths = like(self.semi_axes, d)
        heading = unit(lengths * self._turned(unit(d)[0]))[0]
        return like(self.centre, d) - self._back(lengths * heading)

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Outside, by a root search to the last digits; an infinite entry gives NaN."""
        x = as_point("x", x, self.centre.shape)
        centre, lengths = like(self.centre, x), like(self.semi_axes, x)
        z = self._turned(x - centre)
        norm = unit(z / lengths)[1]
        point = centre + self._back(onto_ellipsoid(z, lengths))
        return nan_where(~jnp.isfinite(norm), jnp.where(norm <= 1, x, point))

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """In the ellipsoid with all semi-axes longer by `tol` times the longest, and rounding."""
        x = as_point("x", x, self.centre.shape)
        centre, lengths = like(self.centre, x), like(self.semi_axes, x)
        rounding = 4 * jnp.finfo(x.dtype).eps * jnp.max(jnp.abs(centre))
        slack = tol * jnp.max(lengths) + rounding
        return unit(self._turned(x - centre) / (lengths + slack))[1] <= 1

    @property
    def diameter(self) -> Float[Array, ""]:
        """Twice the longest semi-axis. Exact."""
        return 2 * jnp.max(jnp.asarray(self.semi_axes))

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The centre."""
        return jnp.asarray(self.centre, float_dtype(dtype))

    def _turned(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Coordinates along the axes."""
        return x if self.axes is None else jnp.matmul(x, like(self.axes, x), precision="highest")

    def _back(self, z: Float[Array, " dim"]) -> Float[Array, " dim"]:
        return z if self.axes is None else jnp.matmul(like(self.axes, z), z, precision="highest")


def _exponent(p: Any) -> float:
    try:
        exponent = float(p)
    except (TypeError, ValueError):
        exponent = math.nan
    if not exponent >= 1:
        raise ValueError(f"p must be a number of at least 1, or infinite, got {p!r}.")
    return exponent


def _decomposed(matrix: Array | np.ndarray) -> tuple[Array | np.ndarray, Array | np.ndarray]:
    """The axes of an ellipsoid, as columns, and their lengths."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"shape must be a square matrix, got one of shape {matrix.shape}.")
    if not isinstance(matrix, np.ndarray):
        squares, axes = jnp.linalg.eigh(matrix)
        return axes, jnp.sqrt(squares)
    largest = np.max(np.abs(matrix))
    skew = np.max(np.abs(matrix - matrix.T))
    if skew > 1e-6 * largest:
        raise ValueError(f"shape must be symmetric, got entries that differ by {skew}.")
    squares, axes = np.linalg.eigh((matrix + matrix.T) / 2)
    if squares[0] <= 1e-15 * squares[-1]:
        raise ValueError(f"shape must be positive definite, got an eigenvalue of {squares[0]}.")
    return axes, np.sqrt(squares)
