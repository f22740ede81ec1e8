"""The matrix single-index model: recover a matrix of low rank from squared measurements.

`y = <A, B*>² + ε` with `A = I + E`, independent `E_ij ~ N(0, spread²)` and `ε ~ N(0, noise²)`;
`B* = v vᵀ / ||v vᵀ||_*` for a normal vector v. Minimise `F(B) = E(y - <A, B>²)²` over matrices of
nuclear norm at most `radius`: one level, not convex. With a radius of 1 or more the minimum is
`noise²`, taken at `B*` and `-B*`, which the data cannot tell apart. Zero, where the set starts by
itself, is stationary: start elsewhere (`matrix_start`).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import Partial
from jaxtyping import Array, Float, PRNGKeyArray

from wolfnest.common import checks
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.sets.singular_values import NuclearBall

Scalar = Float[Array, ""]
Matrix = Float[Array, "n m"]
Sample = tuple[Matrix, Scalar]

BLOCK = 1 << 20  # numbers drawn in one go, so that only the result itself takes memory
ROWS, START = 1, 2  # streams of a seed; the truth is drawn from the seed itself


def matrix_single_index(
    n: int = 20,
    m: int | None = None,
    rows: int | None = None,
    noise: Any = 0.1,
    spread: Any = 0.3,
    radius: Any = 1.0,
    seed: int = 0,
) -> Problem:
    """`E(y - <A, B>²)²` over matrices `B` of shape `(n, m)`, by default square, nuclear norm at
    most `radius`.

    Without `rows` the level is endless: every draw is new, and `seed` sets `B*` alone. With `rows`
    it is the mean over that many fixed samples, whose first ones are those of a shorter sample.
    `noise` and `spread` are standard deviations. A rectangular `B*` is `v wᵀ / ||v wᵀ||_*`, and its
    `I` has ones on the diagonal.

    >>> import wolfnest as wn
    >>> from wolfnest import problems
    >>> problem = problems.matrix_single_index(20)
    >>> problem
    Problem(1 level: endless, over NuclearBall, float32)
    >>> problems.matrix_single_index(20, rows=500)
    Problem(1 level: finite-sum(500), over NuclearBall, float32)
    >>> run = wn.solve(problem, x0=problems.matrix_start(problem), steps=50, progress=False)
    """
    domain, truth, spread, noise = _parts(n, m, noise, spread, radius, seed)
    if rows is None:
        return Problem([Level(_loss, sample=Partial(_draw, truth, spread, noise))], domain)
    rows = checks.whole("rows", rows)
    generator = _stream(seed, ROWS)
    data = _fixed_rows(generator, rows, np.asarray(truth), float(spread), float(noise))
    return Problem([Level(_loss, data=data)], domain)


def matrix_population(
    n: int = 20,
    m: int | None = None,
    noise: Any = 0.1,
    spread: Any = 0.3,
    radius: Any = 1.0,
    seed: int = 0,
) -> Problem:
    """The expectation that `matrix_single_index` with the same arguments samples, in closed form.

    One deterministic level, so that values, gradients and criteria are exact. `D = <A, B* - B>` and
    `S = <A, B* + B>` are jointly normal and `q² - p² = D S`, hence `F(B) = E D²S² + noise²` with

        E D²S² = (μ_D² + σ_D²) (μ_S² + σ_S²) + 4 μ_D μ_S c + 2 c²,    c = Cov(D, S),

    every term of which vanishes with `B* - B`: nothing is lost to rounding near the minimum.

    >>> from wolfnest import problems
    >>> exact = problems.matrix_population(20)
    >>> float(exact.value(problems.matrix_truth(20))).__round__(6)
    0.01
    """
    domain, truth, spread, noise = _parts(n, m, noise, spread, radius, seed)
    return Problem([Level(Partial(_population, truth, spread, noise))], domain)


def matrix_truth(n: int = 20, m: int | None = None, seed: int = 0) -> Matrix:
    """`B*`, of rank and nuclear norm one.

    >>> from wolfnest import problems
    >>> float(problems.matrix_truth(20).trace()).__round__(6)
    1.0
    """
    shape = _shape(n, m)
    generator = np.random.default_rng(checks.whole("seed", seed, 0))
    v = generator.normal(size=shape[0])
    w = v if shape[0] == shape[1] else generator.normal(size=shape[1])
    return jnp.asarray(_rank_one(v, w))


def matrix_start(problem: Problem, seed: int = 0) -> Matrix:
    """A feasible start for these problems, which is not stationary: a random matrix of rank one and
    half the nuclear norm that is allowed.

    >>> from wolfnest import problems
    >>> problem = problems.matrix_single_index(4)
    >>> bool(problem.domain.contains(problems.matrix_start(problem)))
    True
    """
    domain = problem.domain
    if not isinstance(domain, NuclearBall):
        raise ValueError(
            f"matrix_start needs a problem over a NuclearBall, got {problem!r}. Other sets have "
            "problem.start()."
        )
    generator = _stream(seed, START)
    v, w = (generator.normal(size=side) for side in domain.shape)
    return jnp.asarray(0.5 * np.asarray(domain.radius) * _rank_one(v, w), problem.dtype)


# The levels. What a problem is made of are arrays, so that another seed, noise or spread compiles
# nothing anew.


def _loss(b: Matrix, sample: Sample) -> Scalar:
    a, y = sample
    return (y - jnp.vdot(a, b) ** 2) ** 2


def _draw(truth: Matrix, spread: Scalar, noise: Scalar, key: PRNGKeyArray, n: int) -> Sample:
    one, two = jax.random.split(key)
    dtype = truth.dtype
    a = jnp.eye(*truth.shape, dtype=dtype) + spread * jax.random.normal(
        one, (n, *truth.shape), dtype
    )
    return a, jnp.tensordot(a, truth, 2) ** 2 + noise * jax.random.normal(two, (n,), dtype)


def _population(truth: Matrix, spread: Scalar, noise: Scalar, b: Matrix) -> Scalar:
    less, more = truth - b, truth + b
    mean_d, mean_s = jnp.trace(less), jnp.trace(more)
    var_d, var_s = spread**2 * jnp.vdot(less, less), spread**2 * jnp.vdot(more, more)
    c = spread**2 * jnp.vdot(less, more)
    squares = (mean_d**2 + var_d) * (mean_s**2 + var_s)
    return squares + 4 * mean_d * mean_s * c + 2 * c**2 + noise**2


# Making them.


def _parts(
    n: int, m: int | None, noise: Any, spread: Any, radius: Any, seed: int
) -> tuple[NuclearBall, Matrix, Scalar, Scalar]:
    truth = matrix_truth(n, m, seed)
    spread = jnp.asarray(checks.non_negative("spread", spread), truth.dtype)
    noise = jnp.asarray(checks.non_negative("noise", noise), truth.dtype)
    return NuclearBall(_shape(n, m), radius), truth, spread, noise


def _shape(n: int, m: int | None) -> tuple[int, int]:
    n = checks.whole("n", n)
    return n, n if m is None else checks.whole("m", m)


def _rank_one(v: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.outer(v / np.linalg.norm(v), w / np.linalg.norm(w))


def _stream(seed: int, use: int) -> np.random.Generator:
    """Numbers that have nothing to do with those of other uses of the seed."""
    seed = checks.whole("seed", seed, 0)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(use,)))


def _fixed_rows(
    generator: np.random.Generator, rows: int, truth: np.ndarray, spread: float, noise: float
) -> tuple[np.ndarray, np.ndarray]:
    """`rows` samples, the same in every precision up to rounding."""
    a = np.empty((rows, *truth.shape), truth.dtype)
    y = np.empty(rows, truth.dtype)
    step = max(1, BLOCK // truth.size)
    for begin in range(0, rows, step):
        part = slice(begin, min(begin + step, rows))
        draws = generator.normal(size=(part.stop - begin, truth.size + 1))
        block = np.eye(*truth.shape) + spread * draws[:, 1:].reshape(-1, *truth.shape)
        a[part] = block
        y[part] = np.tensordot(block, truth, 2) ** 2 + noise * draws[:, 0]
    return a, y
