"""The top singular pair, and the lowest eigenvector, of a matrix: Krylov, no full decomposition.

Both are the top eigenvector of a symmetric operator `H` (`AᵀA`, and minus the symmetric part).
It is found by block Lanczos with thick restarts and full reorthogonalisation: the block of two
starts from the guess and from a fixed pseudo-random probe, a cycle applies `H` to the block
`ROUNDS` times, and the best `KEEP` Ritz vectors go on to the next cycle (Wu and Simon 2000).

The probe is what makes a guess harmless. A guess that is an eigenvector, but of the wrong
eigenvalue, has no residual and would look converged by itself; here, the cycles go on until the
probe would have shown anything larger.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.sets._points import unit

KEEP = 8
ROUNDS = 4

_DEAD = -2.0  # below every eigenvalue of an operator of norm at most 1


@jax.jit
def top_singular_pair(
    matrix: Float[Array, "m n"], guess: Float[Array, " n"], tol: Any, max_restarts: Any
) -> tuple[Float[Array, " m"], Float[Array, " n"], Bool[Array, ""]]:
    """Unit vectors `u, v` that maximise `uᵀ A v`, with `uᵀ A v ≥ (1 - tol) σ₁`, and whether `A`
    is finite. One of the vectors is zero if `A` is zero or not finite.
    """
    a, finite = _scaled(matrix)
    m, n = a.shape

    # Rows on the left of a row-major matrix run at full speed as a block, on the right they do
    # so one at a time only.
    def rows(block: Float[Array, "2 n"]) -> Float[Array, "2 m"]:
        return jnp.stack([a @ block[0], a @ block[1]])

    if n <= m:
        v = _top_eigenvector(lambda block: rows(block) @ a, guess, tol, max_restarts)
        return unit(a @ v)[0], v, finite
    u = _top_eigenvector(lambda block: rows(block @ a), a @ _usable(guess), tol, max_restarts)
    return u, unit(u @ a)[0], finite


@jax.jit
def lowest_eigenvector(
    matrix: Float[Array, "n n"], guess: Float[Array, " n"], tol: Any, max_restarts: Any
) -> tuple[Float[Array, " n"], Bool[Array, ""]]:
    """The unit vector that minimises `vᵀ A v`, up to `tol · ‖A‖₂`, and whether `A` is finite.

    Counts the symmetric part of `A` only.
    """
    # Halved before they are added: the largest finite numbers must not overflow.
    h, finite = _scaled(-(matrix / 2 + matrix.T / 2))
    return _top_eigenvector(lambda block: block @ h, guess, tol, max_restarts), finite


def _scaled(matrix: Float[Array, "m n"]) -> tuple[Float[Array, "m n"], Bool[Array, ""]]:
    """The matrix with Frobenius norm 1, and whether it is finite; zero where it is not."""
    a = unit(matrix)[0]
    finite = jnp.isfinite(a[0, 0])  # one bad entry made all of them NaN
    return jnp.where(finite, a, 0), finite


def pseudo_random_unit(dim: int, seed: int = 0) -> Float[np.ndarray, " dim"]:
    """A fixed vector on the sphere, with no structure that a problem could share."""
    x = np.random.default_rng(seed).standard_normal(dim)
    return x / np.linalg.norm(x)


def _top_eigenvector(
    operator: Callable[[Float[Array, "2 n"]], Float[Array, "2 n"]],
    guess: Float[Array, " n"],
    tol: Any,
    max_restarts: Any,
) -> Float[Array, " n"]:
    """The top eigenvector of a symmetric operator on rows, of norm at most 1."""
    dtype, dim = guess.dtype, guess.size
    first = _usable(guess)
    probe = _new_direction(jnp.asarray(pseudo_random_unit(dim, seed=1), dtype), first[None])
    tol = jnp.maximum(jnp.asarray(tol, dtype), 8 * jnp.finfo(dtype).eps)

    def expand(i, carry):
        basis, images, block = carry
        image = operator(block)
        basis = jax.lax.dynamic_update_slice(basis, block, (KEEP + 2 * i, 0))
        images = jax.lax.dynamic_update_slice(images, image, (KEEP + 2 * i, 0))
        left = _new_direction(image[0], basis)
        right = _new_direction(image[1], jnp.concatenate([basis, left[None]]))
        return basis, images, jnp.stack([left, right])

    def cycle(carry):
        basis, images, block, restarts, _ = carry
        basis, images, block = jax.lax.fori_loop(0, ROUNDS, expand, (basis, images, block))
        basis, images, values, norms = _rayleigh_ritz(basis, images)
        restarts = restarts + 1
        done = _converged(values, norms, restarts * ROUNDS, dim, tol)
        return basis, images, block, restarts, done

    def unfinished(carry):
        return ~carry[4] & (carry[3] < max_restarts)

    nothing = jnp.zeros((KEEP + 2 * ROUNDS, dim), dtype)
    begin = (nothing, nothing, jnp.stack([first, probe]), jnp.asarray(0), jnp.asarray(False))
    return unit(jax.lax.while_loop(unfinished, cycle, begin)[0][0])[0]


def _rayleigh_ritz(
    basis: Float[Array, "k n"], images: Float[Array, "k n"]
) -> tuple[Float[Array, "k n"], Float[Array, "k n"], Float[Array, " k"], Float[Array, " k"]]:
    """The Ritz vectors in the span of an orthonormal basis, best first and `KEEP` of them; their
    images; and all Ritz values `θ` with their residual norms `ρ`."""
    dead = jnp.sum(basis * basis, axis=1) < 0.5  # rows are unit vectors, or zero: not used
    small = basis @ images.T
    small = (small + small.T) / 2 + jnp.diag(jnp.where(dead, _DEAD, 0).astype(basis.dtype))
    values, vectors = jnp.linalg.eigh(small)
    values, vectors = values[::-1], vectors[:, ::-1].T
    basis, images = vectors @ basis, vectors @ images
    residuals = images - values[:, None] * basis
    kept = jnp.arange(values.size)[:, None] < KEEP
    norms = jnp.sqrt(jnp.sum(residuals * residuals, axis=1))
    return jnp.where(kept, basis, 0), jnp.where(kept, images, 0), values, norms


def _converged(
    values: Float[Array, " k"], norms: Float[Array, " k"], rounds: Any, dim: int, tol: Any
) -> Bool[Array, ""]:
    """Whether the first Ritz pair is accurate, and the top one.

    Accurate: the error of `θ₁` is at most `ρ₁² / (θ₁ - θ₂ - ρ₂)`, and `ρ₁` where that gap is
    closed. The top one: if an eigenvalue above `θ₁` had been missed, then its share in the probe
    would have grown, against all that lies below `c = θ_j + ρ_j` and next to the settled pairs
    before `j`, by the Chebyshev factor `cosh(2 rounds · asinh √γ)`, `γ = (θ₁ - c) / (c - θ_min)`.
    That it stayed unseen is ruled out once the factor would show a share of a hundredth of the
    usual one, `1 / √dim`.
    """
    live = values > _DEAD + 0.5
    scale = jnp.max(jnp.where(live, jnp.abs(values), 0))
    ceilings = values + norms
    first, gap = norms[0], values[0] - ceilings[1]
    error = jnp.where(gap > first, first * first / jnp.where(gap > first, gap, 1), first)

    settled = jnp.cumprod(norms <= jnp.sqrt(tol) * scale)[:-1] > 0
    width = ceilings[1:] - jnp.min(jnp.where(live, values, values[0]))
    floor = 1e-6 * scale + jnp.finfo(values.dtype).tiny
    # A dead entry after settled ones: the probe lies in an invariant subspace, nothing is hidden.
    reach = jnp.maximum(values[0] - ceilings[1:], 0) / jnp.maximum(width, floor)
    growth = 2 * rounds * jnp.arcsinh(jnp.sqrt(reach))
    seen = jnp.any(settled & (growth >= math.log(200 * math.sqrt(dim))))
    return (error <= tol * scale) & seen


def _new_direction(x: Float[Array, " n"], basis: Float[Array, "k n"]) -> Float[Array, " n"]:
    """The unit vector along the part of `x` that is orthogonal to the basis; zero if there is
    none.

    Twice is enough, and tells: what shrinks by half in the second pass was rounding inside the
    span (Kahan).
    """
    once = unit(x - (basis @ x) @ basis)[0]
    twice, left = unit(once - (basis @ once) @ basis)
    return jnp.where(left > 0.5, twice, 0)


def _usable(guess: Float[Array, " n"]) -> Float[Array, " n"]:
    """The guess as a unit vector; the fixed one where it is zero or not finite."""
    heading, norm = unit(guess)
    fallback = jnp.asarray(pseudo_random_unit(guess.size), guess.dtype)
    return jnp.where(jnp.isfinite(norm) & (norm > 0), heading, fallback)
