"""Sets of matrices whose oracle is a top singular pair or a lowest eigenvector."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest import _checks
from wolfnest.sets._points import as_point, float_dtype, like, nan_where
from wolfnest.sets.base import IterativeSet
from wolfnest.sets.simplex import onto_simplex
from wolfnest.sets.singular import lowest_eigenvector, pseudo_random_unit, top_singular_pair

_RESTARTS = 100


class NuclearBall(IterativeSet):
    """`{X ∈ R^(m×n) : Σ σ_i(X) ≤ radius}`, matrices of small nuclear norm.

    The oracle is `-radius · u vᵀ` for the top singular pair of the direction, found by a Krylov
    iteration that starts from `guess` (the last `v`); the zero matrix for the zero direction. A
    NaN or infinite entry of the direction gives NaN.

    `tol` is the relative accuracy of `<s, direction>`; None is `ε^(2/3)` in the direction's
    precision, about 4e-11 in float64 and 2e-5 in float32. `max_restarts` bounds the iteration at
    8 products with the direction per restart, for two vectors each.

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
        max_restarts: int = _RESTARTS,
    ):
        if not isinstance(shape, tuple | list) or len(shape) != 2:
            raise ValueError(f"shape must be a pair (rows, columns), got {shape!r}.")
        self.shape = (_checks.whole("shape[0]", shape[0]), _checks.whole("shape[1]", shape[1]))
        self.radius = _checks.positive("radius", radius)
        self.tol = None if tol is None else _checks.positive("tol", tol)
        self.max_restarts = _checks.whole("max_restarts", max_restarts)

    def lmo_from(
        self, direction: Float[Array, "m n"], guess: Float[Array, " n"]
    ) -> tuple[Float[Array, "m n"], Float[Array, " n"]]:
        d = as_point("direction", direction, self.shape)
        work = _precise(d)
        start = as_point("guess", guess, self.shape[1:])
        u, v, finite = top_singular_pair(
            work, start.astype(work.dtype), _tolerance(self.tol, work), self.max_restarts
        )
        point = jnp.outer(-like(self.radius, work) * u, v).astype(d.dtype)
        return nan_where(~finite, point), v.astype(start.dtype)

    def first_guess(self, dtype: Any = None) -> Float[Array, " n"]:
        """A fixed pseudo-random unit vector."""
        return jnp.asarray(pseudo_random_unit(self.shape[1]), float_dtype(dtype))

    def project(self, x: Float[Array, "m n"]) -> Float[Array, "m n"]:
        """Outside, the singular values are projected to the simplex; by a full decomposition."""
        x = as_point("x", x, self.shape)
        work, bad = _finite(x)
        radius = like(self.radius, work)
        u, s, vt = jnp.linalg.svd(work, full_matrices=False)
        moved = ((u * onto_simplex(s, radius)) @ vt).astype(x.dtype)
        return nan_where(bad, jnp.where(jnp.sum(s) <= radius, x, moved))

    def contains(self, x: Float[Array, "m n"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A nuclear norm of at most `(1 + tol) · radius`; by a full decomposition."""
        work, bad = _finite(as_point("x", x, self.shape))
        norm = jnp.sum(jnp.linalg.svd(work, compute_uv=False))
        return ~bad & (norm <= like(self.radius, work) * (1 + tol))

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius`, between a matrix of rank one and its opposite."""
        return 2 * jnp.asarray(self.radius)

    def start(self, dtype: Any = None) -> Float[Array, "m n"]:
        """The centre, zero."""
        return jnp.zeros(self.shape, float_dtype(dtype))


class Spectrahedron(IterativeSet):
    """`{X ∈ R^(dim×dim) : X = Xᵀ, X ⪰ 0, tr X = radius}`.

    The oracle is `radius · v vᵀ` for the eigenvector `v` of the lowest eigenvalue of the
    direction, whose symmetric part alone counts, found by a Krylov iteration that starts from
    `guess` (the last `v`). A NaN or infinite entry of the direction gives NaN.

    `tol` is the accuracy of `<s, direction>` relative to `radius · ‖direction‖₂`; `tol` and
    `max_restarts` are otherwise those of `NuclearBall`.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> spectrahedron = sets.Spectrahedron(2, radius=4.0)
    >>> print(spectrahedron.lmo(jnp.array([[0.0, 1.0], [1.0, 0.0]])).round(3))
    [[ 2. -2.]
     [-2.  2.]]
    """

    dim: int = eqx.field(static=True)
    radius: Array | np.ndarray
    tol: Array | np.ndarray | None
    max_restarts: int = eqx.field(static=True)

    def __init__(
        self, dim: int, radius: Any = 1.0, *, tol: Any = None, max_restarts: int = _RESTARTS
    ):
        self.dim = _checks.whole("dim", dim)
        self.radius = _checks.positive("radius", radius)
        self.tol = None if tol is None else _checks.positive("tol", tol)
        self.max_restarts = _checks.whole("max_restarts", max_restarts)

    def lmo_from(
        self, direction: Float[Array, "n n"], guess: Float[Array, " n"]
    ) -> tuple[Float[Array, "n n"], Float[Array, " n"]]:
        d = as_point("direction", direction, (self.dim, self.dim))
        work = _precise(d)
        start = as_point("guess", guess, (self.dim,))
        v, finite = lowest_eigenvector(
            work, start.astype(work.dtype), _tolerance(self.tol, work), self.max_restarts
        )
        point = (like(self.radius, work) * jnp.outer(v, v)).astype(d.dtype)
        return nan_where(~finite, point), v.astype(start.dtype)

    def first_guess(self, dtype: Any = None) -> Float[Array, " n"]:
        """A fixed pseudo-random unit vector."""
        return jnp.asarray(pseudo_random_unit(self.dim), float_dtype(dtype))

    def project(self, x: Float[Array, "n n"]) -> Float[Array, "n n"]:
        """The eigenvalues of the symmetric part, projected to the simplex; by a full
        decomposition."""
        x = as_point("x", x, (self.dim, self.dim))
        work, bad = _finite(x)
        values, vectors = jnp.linalg.eigh(work / 2 + work.T / 2)
        moved = (vectors * onto_simplex(values, like(self.radius, work))) @ vectors.T
        return nan_where(bad, ((moved + moved.T) / 2).astype(x.dtype))

    def contains(self, x: Float[Array, "n n"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Symmetry, trace and lowest eigenvalue up to `tol · radius`; by a full decomposition."""
        work, bad = _finite(as_point("x", x, (self.dim, self.dim)))
        radius = like(self.radius, work)
        slack = tol * radius
        symmetric = jnp.max(jnp.abs(work - work.T)) <= slack
        lowest = jnp.min(jnp.linalg.eigvalsh(work / 2 + work.T / 2))
        return ~bad & symmetric & (jnp.abs(jnp.trace(work) - radius) <= slack) & (lowest >= -slack)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`√2 · radius`, between orthogonal matrices of rank one; 0 in dimension 1."""
        return jnp.asarray(self.radius) * (2**0.5 if self.dim > 1 else 0.0)

    def start(self, dtype: Any = None) -> Float[Array, "n n"]:
        """`radius / dim` times the identity."""
        dtype = float_dtype(dtype)
        return jnp.eye(self.dim, dtype=dtype) * (jnp.asarray(self.radius, dtype) / self.dim)


def _finite(x: Array) -> tuple[Array, Bool[Array, ""]]:
    """`x` for a decomposition that must not see NaN (zero instead), and whether that was so."""
    bad = ~jnp.all(jnp.isfinite(x))
    return jnp.where(bad, 0, _precise(x)), bad


def _precise(x: Array) -> Array:
    """In float32 at least: there are no decompositions in half precision."""
    return x.astype(jnp.promote_types(x.dtype, jnp.float32))


def _tolerance(tol: Any, work: Array) -> Array:
    if tol is None:
        tol = float(jnp.finfo(work.dtype).eps) ** (2 / 3)
    return like(tol, work)
