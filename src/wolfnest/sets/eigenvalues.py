"""Sets of symmetric matrices given by bounds on their eigenvalues."""

from __future__ import annotations

import abc
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import IterativeSet
from wolfnest.sets.simplex import onto_simplex
from wolfnest.sets.tools.filling import nearest
from wolfnest.sets.tools.matrices import (
    RESTARTS,
    eigen,
    finite,
    move_eigenvalues,
    precise,
    symmetric,
    tolerance,
)
from wolfnest.sets.tools.points import as_point, float_dtype, like, nan_where, unit
from wolfnest.sets.tools.singular_pair import lowest_eigenvector, pseudo_random_unit
from wolfnest.sets.tools.sized import CountedSet


class LowestEigenvectorSet(IterativeSet):
    """A set whose oracle is a multiple of `v vᵀ`, with `v` the eigenvector of the lowest eigenvalue
    of the direction; its symmetric part alone counts."""

    dim: int = eqx.field(static=True)
    radius: Array | np.ndarray
    tol: Array | np.ndarray | None
    max_restarts: int = eqx.field(static=True)

    def __init__(
        self, dim: int, radius: Any = 1.0, *, tol: Any = None, max_restarts: int = RESTARTS
    ):
        self.dim = checks.whole("dim", dim)
        self.radius = checks.positive("radius", radius)
        self.tol = None if tol is None else checks.positive("tol", tol)
        self.max_restarts = checks.whole("max_restarts", max_restarts)

    @abc.abstractmethod
    def _trace(self, radius: Float[Array, ""], lowest: Float[Array, ""]) -> Float[Array, ""]:
        """The trace of the oracle's answer, for a number with the sign of the lowest eigenvalue."""

    def lmo_from(
        self, direction: Float[Array, "n n"], guess: Float[Array, " n"]
    ) -> tuple[Float[Array, "n n"], Float[Array, " n"]]:
        d = as_point("direction", direction, (self.dim, self.dim))
        half = precise(d) / 2  # before the sum: the largest finite numbers must not overflow
        work = unit(half + half.T)[0]
        start = as_point("guess", guess, (self.dim,))
        v, sound = lowest_eigenvector(
            work, start.astype(work.dtype), tolerance(self.tol, work), self.max_restarts
        )
        trace = self._trace(like(self.radius, work), v @ (work @ v))
        vertex = jnp.where(trace == 0, 0, trace * jnp.outer(v, v))  # and never -0
        return nan_where(~sound, vertex.astype(d.dtype)), v.astype(start.dtype)

    def first_guess(self, dtype: Any = None) -> Float[Array, " n"]:
        """A fixed pseudo-random unit vector."""
        return jnp.asarray(pseudo_random_unit(self.dim), float_dtype(dtype))


class Spectrahedron(LowestEigenvectorSet):
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

    def _trace(self, radius: Float[Array, ""], lowest: Float[Array, ""]) -> Float[Array, ""]:
        return radius

    def project(self, x: Float[Array, "n n"]) -> Float[Array, "n n"]:
        """The eigenvalues of the symmetric part, projected to the simplex; by a full
        decomposition."""
        x = as_point("x", x, (self.dim, self.dim))
        return move_eigenvalues(x, lambda values: onto_simplex(values, like(self.radius, values)))

    def contains(self, x: Float[Array, "n n"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Symmetry, trace and lowest eigenvalue up to `tol · radius`; by a full decomposition."""
        work, bad = finite(as_point("x", x, (self.dim, self.dim)))
        radius = like(self.radius, work)
        slack = tol * radius
        lowest = jnp.min(eigen(work)[0])
        right = symmetric(work, slack) & (jnp.abs(jnp.trace(work) - radius) <= slack)
        return ~bad & right & (lowest >= -slack)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`√2 · radius`, between orthogonal matrices of rank one; 0 in dimension 1."""
        return jnp.asarray(self.radius) * (2**0.5 if self.dim > 1 else 0.0)

    def start(self, dtype: Any = None) -> Float[Array, "n n"]:
        """`radius / dim` times the identity."""
        dtype = float_dtype(dtype)
        return jnp.eye(self.dim, dtype=dtype) * (jnp.asarray(self.radius, dtype) / self.dim)


class UnitSpectrahedron(LowestEigenvectorSet):
    """`{X ∈ R^(dim×dim) : X = Xᵀ, X ⪰ 0, tr X ≤ radius}`.

    The oracle is `radius · v vᵀ` for the eigenvector `v` of the lowest eigenvalue of the
    direction if that is negative, and zero otherwise. The symmetric part of the direction alone
    counts. The eigenvector is found as by `Spectrahedron`, whose parameters these are.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> small = sets.UnitSpectrahedron(2, radius=4.0)
    >>> print(small.lmo(jnp.array([[0.0, 1.0], [1.0, 0.0]])).round(3))
    [[ 2. -2.]
     [-2.  2.]]
    >>> print(small.lmo(jnp.eye(2)))
    [[0. 0.]
     [0. 0.]]
    """

    def _trace(self, radius: Float[Array, ""], lowest: Float[Array, ""]) -> Float[Array, ""]:
        return jnp.where(lowest < 0, radius, 0)

    def project(self, x: Float[Array, "n n"]) -> Float[Array, "n n"]:
        """The eigenvalues of the symmetric part, clipped at zero, and projected to the simplex
        if their sum is then too large."""

        def nearest_values(values: Float[Array, " n"]) -> Float[Array, " n"]:
            radius, clipped = like(self.radius, values), jnp.maximum(values, 0)
            return jnp.where(jnp.sum(clipped) <= radius, clipped, onto_simplex(values, radius))

        return move_eigenvalues(as_point("x", x, (self.dim, self.dim)), nearest_values)

    def contains(self, x: Float[Array, "n n"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Symmetry, trace and lowest eigenvalue up to `tol · radius`."""
        work, bad = finite(as_point("x", x, (self.dim, self.dim)))
        radius = like(self.radius, work)
        slack = tol * radius
        lowest = jnp.min(eigen(work)[0])
        right = symmetric(work, slack) & (jnp.trace(work) <= radius + slack)
        return ~bad & right & (lowest >= -slack)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`√2 · radius`, between orthogonal matrices of rank one; `radius` in dimension 1."""
        return jnp.asarray(self.radius) * (2**0.5 if self.dim > 1 else 1.0)

    def start(self, dtype: Any = None) -> Float[Array, "n n"]:
        """`radius / (dim + 1)` times the identity."""
        dtype = float_dtype(dtype)
        return jnp.eye(self.dim, dtype=dtype) * (jnp.asarray(self.radius, dtype) / (self.dim + 1))


class Fantope(CountedSet):
    """`{X ∈ R^(dim×dim) : X = Xᵀ, 0 ⪯ X ⪯ radius · I, tr X = radius · k}`.

    With radius 1, the convex hull of the projections to subspaces of dimension `k`. The oracle is
    `radius` times the projection to the eigenvectors of the `k` lowest eigenvalues of the
    direction, whose symmetric part alone counts. A NaN or infinite entry gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> planes = sets.Fantope(3, 2)
    >>> print(planes.lmo(jnp.diag(jnp.array([3.0, 1.0, 2.0]))))
    [[0. 0. 0.]
     [0. 1. 0.]
     [0. 0. 1.]]
    """

    def lmo(self, direction: Float[Array, "n n"]) -> Float[Array, "n n"]:
        d = as_point("direction", direction, (self.dim, self.dim))
        work, bad = finite(d)
        lowest = eigen(unit(work)[0])[1][:, : self.k]
        return nan_where(bad, (like(self.radius, work) * (lowest @ lowest.T)).astype(d.dtype))

    def project(self, x: Float[Array, "n n"]) -> Float[Array, "n n"]:
        """The eigenvalues of the symmetric part, projected to the capped simplex."""

        def nearest_values(values: Float[Array, " n"]) -> Float[Array, " n"]:
            radius = like(self.radius, values)
            return nearest(values, 0, radius, self.k * radius)

        return move_eigenvalues(as_point("x", x, (self.dim, self.dim)), nearest_values)

    def contains(self, x: Float[Array, "n n"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Symmetry and eigenvalues up to `tol · radius`, the trace up to `k` times that."""
        work, bad = finite(as_point("x", x, (self.dim, self.dim)))
        radius = like(self.radius, work)
        slack, values = tol * radius, eigen(work)[0]
        within = (jnp.min(values) >= -slack) & (jnp.max(values) <= radius + slack)
        trace = jnp.abs(jnp.trace(work) - self.k * radius) <= self.k * slack
        return ~bad & symmetric(work, slack) & within & trace

    @property
    def diameter(self) -> Float[Array, ""]:
        """`radius · √(2 min(k, dim - k))`, between subspaces as orthogonal as there is room."""
        return jnp.asarray(self.radius) * (2 * min(self.k, self.dim - self.k)) ** 0.5

    def start(self, dtype: Any = None) -> Float[Array, "n n"]:
        """`radius · k / dim` times the identity."""
        dtype = float_dtype(dtype)
        return jnp.eye(self.dim, dtype=dtype) * (
            jnp.asarray(self.radius, dtype) * self.k / self.dim
        )
