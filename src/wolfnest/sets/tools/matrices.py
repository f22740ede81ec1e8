"""What sets of matrices share: shapes, precision, and decompositions that never see a NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.tools.points import like, nan_where

# Of a Krylov iteration; far more than it needs, unless the tolerance is below rounding.
RESTARTS = 100


def as_shape(shape: Any) -> tuple[int, int]:
    """`shape` as a pair of whole numbers."""
    if not isinstance(shape, tuple | list) or len(shape) != 2:
        raise ValueError(f"shape must be a pair (rows, columns), got {shape!r}.")
    return checks.whole("shape[0]", shape[0]), checks.whole("shape[1]", shape[1])


def precise(x: Array) -> Array:
    """In float32 at least: there are no decompositions in half precision."""
    return x.astype(jnp.promote_types(x.dtype, jnp.float32))


def finite(x: Array) -> tuple[Array, Bool[Array, ""]]:
    """`x` for a decomposition that must not see NaN (zero instead), and whether that was so."""
    bad = ~jnp.all(jnp.isfinite(x))
    return jnp.where(bad, 0, precise(x)), bad


def tolerance(tol: Any, work: Array) -> Array:
    """The accuracy of an iteration in the dtype of `work`; None is `ε^(2/3)`."""
    if tol is None:
        tol = float(jnp.finfo(work.dtype).eps) ** (2 / 3)
    return like(tol, work)


def eigen(x: Float[Array, "n n"]) -> tuple[Float[Array, " n"], Float[Array, "n n"]]:
    """Eigenvalues, lowest first, and eigenvectors of the symmetric part."""
    values, vectors = jnp.linalg.eigh(x / 2 + x.T / 2)
    return values, vectors


def with_eigen(values: Float[Array, " n"], vectors: Float[Array, "n n"]) -> Float[Array, "n n"]:
    """The matrix with these eigenvalues and eigenvectors, symmetric to the last bit."""
    matrix = (vectors * values) @ vectors.T
    return (matrix + matrix.T) / 2


def symmetric(x: Float[Array, "n n"], slack: Float[Array, ""]) -> Bool[Array, ""]:
    return jnp.max(jnp.abs(x - x.T)) <= slack


def move_eigenvalues(
    x: Float[Array, "n n"], onto: Callable[[Float[Array, " n"]], Float[Array, " n"]]
) -> Float[Array, "n n"]:
    """The symmetric part of `x` with its eigenvalues moved; NaN where `x` is not finite."""
    work, bad = finite(x)
    values, vectors = eigen(work)
    return nan_where(bad, with_eigen(onto(values), vectors).astype(x.dtype))


def move_singular_values(
    x: Float[Array, "m n"],
    onto: Callable[[Float[Array, " k"]], tuple[Float[Array, " k"], Bool[Array, ""]]],
) -> Float[Array, "m n"]:
    """`x` with its singular values moved; `onto` also says whether they may stay as they are, and
    `x` with them. NaN where `x` is not finite."""
    work, bad = finite(x)
    u, s, vt = jnp.linalg.svd(work, full_matrices=False)
    moved, stay = onto(s)
    return nan_where(bad, jnp.where(stay, x, ((u * moved) @ vt).astype(x.dtype)))
