"""The top singular pair, and the lowest eigenvector, of a matrix: Krylov, no full decomposition.

Both are the top eigenvector of a symmetric operator `H` (`AᵀA`, and minus the symmetric part).
It is found by cycles of Lanczos steps (`krylov.py`).

The start is the guess and a share of a fixed pseudo-random probe, which makes a guess harmless. A
guess that is an eigenvector, but of the wrong eigenvalue, has no residual and would look converged
by itself; here, the cycles go on until the probe would have shown anything larger.

What costs time is reading the matrix. In double precision, the cycles therefore read a copy of a
large one in single precision: the error of an eigenvalue is the square of that of its vector, so
that this is nearly always enough. One product in double precision tells, and the cycles go on in it
otherwise.

Eigenvalues that hardly differ from the top one are not told from it: a single start sees a mixture
of their vectors, whose value is wrong by less than they differ (`CLOSE` in `krylov.py`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from wolfnest.sets.tools.krylov import ROUNDS, Operator, Ritz, cycles
from wolfnest.sets.tools.points import unit

SMALL = 32  # up to this side a matrix is read in its own precision: reading it costs nothing
PROBE = 0.3  # next to a guess of norm 1: a larger share shows sooner what is hidden, and delays
_EXACT = jax.default_matmul_precision("highest")  # or GPUs round the factors of float32 products


class Products(NamedTuple):
    """How often the operator was applied, and how often of these in double precision."""

    total: Int[Array, ""]
    double: Int[Array, ""]


@jax.jit
@_EXACT
def top_singular_pair(
    matrix: Float[Array, "m n"], guess: Float[Array, " n"], tol: Any, max_restarts: Any
) -> tuple[Float[Array, " m"], Float[Array, " n"], Bool[Array, ""], Products]:
    """Unit vectors `u, v` that maximise `uᵀ A v`, with `uᵀ A v ≥ (1 - tol) σ₁`, whether `A` is
    finite, and products with `AᵀA`. One of the vectors is zero if `A` is zero or not finite.
    """
    tall = matrix.shape[0] >= matrix.shape[1]
    largest = jnp.maximum(jnp.max(matrix), -jnp.min(matrix))  # sooner than the largest of |A|
    largest = jnp.where(largest == 0, 1, largest)
    copy = (matrix / largest).astype(jnp.float32)
    norm = jnp.sqrt(jnp.sum(copy * copy))
    finite = jnp.isfinite(norm)  # one bad entry makes it NaN
    norm = jnp.where(norm > 0, norm, 1)

    single = _both_ways(copy, jnp.sqrt(norm), tall)
    full = _both_ways(matrix, jnp.sqrt(largest) * jnp.sqrt(norm).astype(matrix.dtype), tall)
    guess = _usable(guess) if tall else full[1](_usable(guess))
    x, products = _top_eigenvector(
        lambda x: single[1](single[0](x)),
        lambda x: full[1](full[0](x)),
        *(guess, 2 * tol, max_restarts, finite),  # its values are squares
    )
    y = jnp.where(finite, unit(full[0](x))[0], 0)
    return (y, x, finite, products) if tall else (x, y, finite, products)


@jax.jit
@_EXACT
def lowest_eigenvector(
    matrix: Float[Array, "n n"], guess: Float[Array, " n"], tol: Any, max_restarts: Any
) -> tuple[Float[Array, " n"], Bool[Array, ""]]:
    """The unit vector that minimises `vᵀ A v`, up to `tol · ‖A‖₂`, and whether `A` is finite.

    Counts the symmetric part of `A` only.
    """
    # Halved before they are added: the largest finite numbers must not overflow.
    h, size = unit(-(matrix / 2 + matrix.T / 2))
    finite, single = jnp.isfinite(size), h.astype(jnp.float32)
    x, _ = _top_eigenvector(lambda v: single @ v, lambda v: h @ v, guess, tol, max_restarts, finite)
    return x, finite


def _both_ways(a: Float[Array, "m n"], half: Float[Array, ""], tall: bool) -> tuple[Any, Any]:
    """The maps of `A / half²`, from the shorter side to the longer one and back. Vectors are
    divided by a half at a time, and not the matrix: that would copy it."""

    def forth(v: Array) -> Array:
        return (a @ (v / half)) / half

    def back(u: Array) -> Array:
        return ((u / half) @ a) / half

    return (forth, back) if tall else (back, forth)


def pseudo_random_unit(dim: int, seed: int = 0) -> Float[np.ndarray, " dim"]:
    """A fixed vector on the sphere, with no structure that a problem could share."""
    x = np.random.default_rng(seed).standard_normal(dim)
    return x / np.linalg.norm(x)


def _top_eigenvector(
    single: Operator,
    full: Operator,
    guess: Float[Array, " n"],
    tol: Any,
    max_restarts: Any,
    finite: Bool[Array, ""],
) -> tuple[Float[Array, " n"], Products]:
    """The top eigenvector of a symmetric operator of norm at most 1, which is given in single
    precision and in that of the guess."""
    dim, dtype = guess.size, guess.dtype
    probe = jnp.asarray(pseudo_random_unit(dim, seed=1), dtype)
    x = unit(_usable(guess) + PROBE * probe)[0]
    # The share of any vector in the probe is at least a hundredth of the usual one, `1 / √dim`.
    hidden = math.log(200 * math.sqrt(dim) / PROBE)
    begin = Ritz(x, jnp.zeros((), dtype), jnp.zeros((), int), ~finite)
    if dtype == jnp.float32 or dim <= SMALL:
        # A small matrix in double precision gets more digits than asked for: they cost nothing.
        tol = tol if dtype == jnp.float32 else tol / 1000
        found = cycles(full, begin, tol, max_restarts, hidden)
        total = ROUNDS * found.restarts
        return found.vector, Products(total, jnp.where(dtype == jnp.float32, 0, total))

    rough = begin._replace(vector=x.astype(jnp.float32), gap=begin.gap.astype(jnp.float32))
    # Asked for more than is needed: a cycle in single precision costs less than one in double.
    found = cycles(single, rough, tol / 16, max_restarts, hidden)
    x, gap = unit(found.vector.astype(dtype))[0], found.gap.astype(dtype)
    image = full(x)
    value = x @ image
    residual = image - value * x
    enough = residual @ residual <= tol * jnp.abs(value) * gap
    checked = Ritz(x, gap, found.restarts, enough | ~finite)
    last = cycles(full, checked, tol, max_restarts)
    double = ROUNDS * (last.restarts - found.restarts) + 1
    return last.vector, Products(ROUNDS * last.restarts + 1, double)


def _usable(guess: Float[Array, " n"]) -> Float[Array, " n"]:
    """The guess as a unit vector; the fixed one where it is zero or not finite."""
    heading, norm = unit(guess)
    fallback = jnp.asarray(pseudo_random_unit(guess.size), guess.dtype)
    return jnp.where(jnp.isfinite(norm) & (norm > 0), heading, fallback)
