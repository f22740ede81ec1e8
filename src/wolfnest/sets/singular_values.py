"""Sets of matrices given by bounds on their singular values."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet, IterativeSet
from wolfnest.sets.simplex import onto_simplex
from wolfnest.sets.tools.matrices import (
    RESTARTS,
    as_shape,
    finite,
    move_singular_values,
    precise,
    tolerance,
)
from wolfnest.sets.tools.points import as_point, float_dtype, like, nan_where, unit
from wolfnest.sets.tools.singular_pair import pseudo_random_unit, top_singular_pair


class NuclearBall(IterativeSet):
    """`{X ∈ R^(m×n) : Σ σ_i(X) ≤ radius}`, matrices of small nuclear norm.

    The oracle is `-radius · u vᵀ` for the top singular pair of the direction, found by a Krylov
    iteration that starts from `guess` (the last `v`); the zero matrix for the zero direction. A
    NaN or infinite entry of the direction gives NaN.

    `tol` is the relative accuracy of `<s, direction>`; None is `ε^(2/3)` in the direction's
    precision, about 4e-11 in float64 and 2e-5 in float32. `max_restarts` bounds the iteration at
    16 products of the direction with a vector per restart. In float64 they are made in float32, and
    the answer is checked, and improved where it has to be, in float64. Singular values that differ
    from the largest by less than 1e-5 may stand in for it: the accuracy is then 1e-6, or `tol` if
    that is larger.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.NuclearBall((2, 3), radius=5.0)
    >>> print(ball.lmo(jnp.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]])).round(3) + 0)
    [[ 0. -5.  0.]
     [ 0.  0.  0.]]
    """

    shape: tuple[int, int] = eqx.field(static=True)
    radius: Array | np.ndarray
    tol: Array | np.ndarray | None
    max_restarts: int = eqx.field(static=True)

    def __init__(
        self,
        shape: tuple[int, int],
        radius: Any = 1.0,
        *,
        tol: Any = None,
        max_restarts: int = RESTARTS,
    ):
        self.shape = as_shape(shape)
        self.radius = checks.positive("radius", radius)
        self.tol = None if tol is None else checks.positive("tol", tol)
        self.max_restarts = checks.whole("max_restarts", max_restarts)

    def lmo_from(
        self, direction: Float[Array, "m n"], guess: Float[Array, " n"]
    ) -> tuple[Float[Array, "m n"], Float[Array, " n"]]:
        d = as_point("direction", direction, self.shape)
        work = precise(d)
        start = as_point("guess", guess, self.shape[1:])
        u, v, sound, _ = top_singular_pair(
            work, start.astype(work.dtype), tolerance(self.tol, work), self.max_restarts
        )
        point = jnp.outer(-like(self.radius, work) * u, v).astype(d.dtype)
        return nan_where(~sound, point), v.astype(start.dtype)

    def first_guess(self, dtype: Any = None) -> Float[Array, " n"]:
        """A fixed pseudo-random unit vector."""
        return jnp.asarray(pseudo_random_unit(self.shape[1]), float_dtype(dtype))

    def project(self, x: Float[Array, "m n"]) -> Float[Array, "m n"]:
        """Outside, the singular values are projected to the simplex; by a full decomposition."""

        def onto(s: Float[Array, " k"]) -> tuple[Float[Array, " k"], Bool[Array, ""]]:
            radius = like(self.radius, s)
            return onto_simplex(s, radius), jnp.sum(s) <= radius

        return move_singular_values(as_point("x", x, self.shape), onto)

    def contains(self, x: Float[Array, "m n"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A nuclear norm of at most `(1 + tol) · radius`; by a full decomposition."""
        work, bad = finite(as_point("x", x, self.shape))
        norm = jnp.sum(jnp.linalg.svd(work, compute_uv=False))
        return ~bad & (norm <= like(self.radius, work) * (1 + tol))

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius`, between a matrix of rank one and its opposite."""
        return 2 * jnp.asarray(self.radius)

    def start(self, dtype: Any = None) -> Float[Array, "m n"]:
        """The centre, zero."""
        return jnp.zeros(self.shape, float_dtype(dtype))


class SpectralBall(ClosedFormSet):
    """`{X ∈ R^(m×n) : σ_1(X) ≤ radius}`, matrices of small spectral norm.

    The oracle is `-radius · U Vᵀ` for the singular value decomposition `U Σ Vᵀ` of the direction:
    its polar factor, which has all singular values equal and so is an extreme point (also where
    the direction has not full rank). A NaN or infinite entry of the direction gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.SpectralBall((2, 3), radius=5.0)
    >>> print(ball.lmo(jnp.array([[0.0, 2.0, 0.0], [-1.0, 0.0, 0.0]])).round(3) + 0)
    [[ 0. -5.  0.]
     [ 5.  0.  0.]]
    """

    shape: tuple[int, int] = eqx.field(static=True)
    radius: Array | np.ndarray

    def __init__(self, shape: tuple[int, int], radius: Any = 1.0):
        self.shape = as_shape(shape)
        self.radius = checks.positive("radius", radius)

    def lmo(self, direction: Float[Array, "m n"]) -> Float[Array, "m n"]:
        d = as_point("direction", direction, self.shape)
        work, bad = finite(d)
        u, _, vt = jnp.linalg.svd(unit(work)[0], full_matrices=False)
        return nan_where(bad, (-like(self.radius, work) * (u @ vt)).astype(d.dtype))

    def project(self, x: Float[Array, "m n"]) -> Float[Array, "m n"]:
        """Outside, the singular values are clipped."""

        def onto(s: Float[Array, " k"]) -> tuple[Float[Array, " k"], Bool[Array, ""]]:
            radius = like(self.radius, s)
            return jnp.minimum(s, radius), jnp.max(s) <= radius

        return move_singular_values(as_point("x", x, self.shape), onto)

    def contains(self, x: Float[Array, "m n"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A largest singular value of at most `(1 + tol) · radius`."""
        work, bad = finite(as_point("x", x, self.shape))
        largest = jnp.max(jnp.linalg.svd(work, compute_uv=False))
        return ~bad & (largest <= like(self.radius, work) * (1 + tol))

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius · √min(m, n)`, between an extreme point and its opposite."""
        return 2 * jnp.asarray(self.radius) * min(self.shape) ** 0.5

    def start(self, dtype: Any = None) -> Float[Array, "m n"]:
        """The centre, zero."""
        return jnp.zeros(self.shape, float_dtype(dtype))
