"""Cycles of a Krylov iteration for the top eigenvector of a symmetric operator.

Lanczos steps with full reorthogonalisation and thick restarts: a cycle applies the operator
`ROUNDS` times, and the best `KEEP` Ritz vectors go on to the next one (Wu and Simon 2000). All that
is decomposed is one small matrix per cycle, which the orthogonalisation has filled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

KEEP = 8
ROUNDS = 8
CLOSE = 1e-5  # relative: a residual below which eigenvalues are taken to be resolved

_DEAD = -2.0  # below every eigenvalue of an operator of norm at most 1

Operator = Callable[[Float[Array, " n"]], Float[Array, " n"]]


class Ritz(NamedTuple):
    """The best approximation so far."""

    vector: Float[Array, " n"]
    gap: Float[Array, ""]  # between its value and all others, at least
    restarts: Int[Array, ""]
    done: Bool[Array, ""]


def cycles(
    operator: Operator, begin: Ritz, tol: Any, max_restarts: Any, hidden: float = 0.0
) -> Ritz:
    """Cycles from a unit vector until it is accurate and nothing is `hidden` (see `_converged`);
    none if the begin is done. The operator has a norm of at most 1."""
    dtype, dim = begin.vector.dtype, begin.vector.size
    tol = jnp.asarray(tol, dtype)
    unused = jnp.full(KEEP + ROUNDS, _DEAD, dtype)

    def expand(i: Array, carry: Any) -> Any:
        basis, small, x, _ = carry
        image = operator(x)
        basis = jax.lax.dynamic_update_slice(basis, x[None], (KEEP + i, 0))
        further, left, column = _new_direction(image, basis)
        column = jnp.where(x @ x > 0.5, column, small[:, KEEP + i])
        return basis, small.at[:, KEEP + i].set(column), further, left

    def cycle(carry: Any) -> Any:
        basis, values, x, best = carry
        bare = basis, jnp.diag(values), x, jnp.zeros((), dtype)
        basis, small, x, left = jax.lax.fori_loop(0, ROUNDS, expand, bare)
        # The columns hold the upper triangle: all that the older vectors have in common with H x.
        values, vectors = jnp.linalg.eigh(small, UPLO="U", symmetrize_input=False)
        values, vectors = values[::-1], vectors[:, ::-1]
        norms = left * jnp.abs(vectors[-1])
        basis = jnp.zeros_like(basis).at[:KEEP].set(vectors[:, :KEEP].T @ basis)
        rounds = (best.restarts + 1) * ROUNDS
        gap, done = _converged(values, norms, begin.gap, rounds, hidden, tol)
        best = Ritz(basis[0] / jnp.sqrt(basis[0] @ basis[0]), gap, best.restarts + 1, done)
        return basis, unused.at[:KEEP].set(values[:KEEP]), x, best

    def unfinished(carry: Any) -> Array:
        return ~carry[3].done & (carry[3].restarts < max_restarts)

    nothing = jnp.zeros((KEEP + ROUNDS, dim), dtype)
    return jax.lax.while_loop(unfinished, cycle, (nothing, unused, begin.vector, begin))[3]


def _converged(
    values: Float[Array, " k"],
    norms: Float[Array, " k"],
    known: Float[Array, ""],
    rounds: Any,
    hidden: float,
    tol: Any,
) -> tuple[Float[Array, ""], Bool[Array, ""]]:
    """The gap after the first Ritz value `θ₁`, and whether that is accurate and the top one; from
    all Ritz values with their residual norms `ρ`, and from a gap that is `known`.

    Accurate: the error of `θ₁` is at most `ρ₁`. It is at most `ρ₁² / gap`, with
    `gap = θ₁ - θ₂ - ρ₂`, if there is no second eigenvalue so close to the first that a single start
    does not tell them apart; that is relied upon below `CLOSE` only.

    The top one: if an eigenvalue above `θ₁` had been missed, then its share in the start would have
    grown, against all that lies below `c = θ_j + ρ_j` and next to the settled pairs before `j`, by
    the Chebyshev factor `cosh(2 rounds · asinh √γ)`, `γ = (θ₁ - c) / (c - θ_min)`. That it stayed
    unseen is ruled out once the factor would show a share of `2 exp(-hidden)`.
    """
    live = values > _DEAD + 0.5
    scale = jnp.max(jnp.where(live, jnp.abs(values), 0))
    rounding = 8 * jnp.finfo(values.dtype).eps
    ceilings = values + norms
    gap = jnp.maximum(values[0] - ceilings[1] - rounding * scale, known)
    accurate = (norms[0] ** 2 <= tol * scale * gap) & (norms[0] <= CLOSE * scale)
    accurate |= norms[0] <= jnp.maximum(tol, rounding / 4) * scale

    settled = jnp.cumprod(norms <= jnp.maximum(jnp.sqrt(tol), rounding) * scale)[:-1] > 0
    width = ceilings[1:] - jnp.min(jnp.where(live, values, values[0]))
    floor = 1e-6 * scale + jnp.finfo(values.dtype).tiny
    # A dead entry after settled ones: the start lies in an invariant subspace, nothing is hidden.
    reach = jnp.maximum(values[0] - ceilings[1:], 0) / jnp.maximum(width, floor)
    growth = 2 * rounds * jnp.arcsinh(jnp.sqrt(reach))
    return gap, accurate & jnp.any(settled & (growth >= hidden))


def _new_direction(
    x: Float[Array, " n"], basis: Float[Array, "k n"]
) -> tuple[Float[Array, " n"], Float[Array, ""], Float[Array, " k"]]:
    """The unit vector along the part of `x` that is orthogonal to the basis, its share in `x`, and
    the shares of the basis; zero if there is no such part.

    Twice is enough, and tells: what shrinks by half in the second pass was rounding inside the
    span (Kahan).
    """
    inside = basis @ x
    once = x - inside @ basis
    rest = basis @ once
    twice = once - rest @ basis
    left = jnp.sqrt(twice @ twice)
    left = jnp.where(left > 0.5 * jnp.sqrt(once @ once), left, 0)
    return jnp.where(left > 0, twice / jnp.where(left > 0, left, 1), 0), left, inside + rest
