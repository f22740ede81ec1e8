"""Row 4: the top singular pair, which is the oracle of the nuclear-norm ball.

Against a full decomposition (LAPACK, through NumPy) and ARPACK (through SciPy) on the same core,
64-bit floats. ARPACK gets the loosest tolerance with which it is as accurate as we are asked to be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.sparse import linalg

from wolfnest import methods, problems
from wolfnest.sets.tools.singular_pair import pseudo_random_unit, top_singular_pair
from wolfnest_benchmarks.results import Cell, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.timing import interleaved, tracked

TOL = float(np.finfo(np.float64).eps ** (2 / 3))  # what the oracle takes by itself
RESTARTS = 100
SIZES, QUICK_SIZES = (200, 1_000, 2_000), (12,)
ARPACK_TOLS = (*(10 ** (-k / 3) for k in range(3, 19)), 1e-8, 0.0)


def measure(options: Options) -> list[Table]:
    return [_cold(options), _warm(options)]


def matrix(kind: str, n: int, seed: int = 0) -> np.ndarray:
    """A Gaussian matrix, whose largest singular values lie close together; "gap" has one that is
    twice as large as all others."""
    noise = np.random.default_rng(seed).standard_normal((n, n))
    if kind == "no gap":
        return noise
    u, v = pseudo_random_unit(n, seed + 2), pseudo_random_unit(n, seed + 3)
    return noise + 4 * np.sqrt(n) * np.outer(u, v)


def ours(a: Any, guess: Any, restarts: int = RESTARTS) -> tuple[Any, Any]:
    u, v, _, _ = top_singular_pair(a, guess, TOL, restarts)
    return jax.block_until_ready((u, v))


def products(a: Any, guess: Any) -> tuple[int, int]:
    """Products of the matrix or its transpose with a vector that the adaptive stopping takes, and
    how many of them are in double precision."""
    total, double = top_singular_pair(a, guess, TOL, RESTARTS)[3]
    return 2 * int(total), 2 * int(double)


def arpack(a: np.ndarray, start: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
    svds: Any = linalg.svds  # its stubs know neither a tolerance that is a float nor both vectors
    u, _, vt = svds(a, k=1, v0=start, tol=tol)
    return u[:, 0], vt[0]


def error(a: np.ndarray, pair: tuple[Any, Any], top: float) -> float:
    """How far `uᵀ A v` is below the largest singular value, relatively."""
    u, v = (np.asarray(part) for part in pair)
    return float(abs(1 - abs(u @ a @ v) / top))


def fair_tolerance(a: np.ndarray, start: np.ndarray, top: float) -> float:
    """The loosest tolerance of ARPACK that gives our accuracy."""
    for tol in ARPACK_TOLS:
        if error(a, arpack(a, start, tol), top) <= TOL:
            return tol
    return 0.0


def _cold(options: Options) -> Table:
    """From a start that knows nothing, and from one that is orthogonal to the answer."""
    cells: list[list[Cell]] = []
    for n in options.pick(SIZES, QUICK_SIZES):
        for kind in ("gap", "no gap"):
            a = matrix(kind, n)
            _, values, vt = np.linalg.svd(a)
            for name, start in (("cold", pseudo_random_unit(n)), ("orthogonal", vt[1])):
                cells.append([n, kind, name, *_line(a, start, float(values[0]), options)])
    return Table(
        "Top singular pair",
        (
            *("n", "spectrum", "start", "ours, ms", "full SVD / ours", "ARPACK / ours"),
            *("our error", "ARPACK's error", "our products", "in double precision"),
        ),
        cells,
        f"Errors are relative, of the singular value; asked for: {TOL:.0e}. Products are of A or "
        "its transpose with a vector. ARPACK works in double precision, with the loosest of many "
        "tolerances that is as accurate as asked for. The orthogonal start is the second singular "
        "vector.",
    )


def _line(a: np.ndarray, start: np.ndarray, top: float, options: Options) -> list[Cell]:
    """Times and errors for one matrix and start."""
    ready, guess, tol = jnp.asarray(a), jnp.asarray(start), fair_tolerance(a, start, top)
    calls: dict[str, Callable[[], Any]] = {
        "ours": lambda: ours(ready, guess),
        "full": lambda: np.linalg.svd(a),
        "ARPACK": lambda: arpack(a, start, tol),
    }
    rounds = 3 if len(a) >= 1_000 else 7
    times = interleaved(calls, options, rounds, title=f"n = {len(a)}")
    return [
        times.spread("ours", 1e3),
        *(times.ratio(other, "ours") for other in ("full", "ARPACK")),
        *(error(a, calls[name](), top) for name in ("ours", "ARPACK")),
        *products(ready, guess),
    ]


def _warm(options: Options) -> Table:
    """Along a run of PMVR-v1 on the matrix model: each call starts from the last answer."""
    count = options.pick(12, 3)
    return Table(
        "Top singular pair, warm-started along a run",
        (
            *("n", "warm, ms", "cold / warm", "ARPACK (warm) / warm", "worst error"),
            *("products, mean", "in double precision"),
        ),
        [_warm_line(n, count, options) for n in options.pick(SIZES, QUICK_SIZES)],
        f"Directions of {count} steps of PMVR-v1 on the matrix single-index model. All start from "
        "the last answer, ARPACK too.",
    )


def _warm_line(n: int, count: int, options: Options) -> list[Cell]:
    directions, starts = _along_a_run(n, count, options)
    tops = [float(np.linalg.norm(d, 2)) for d in directions]
    tols = list(map(fair_tolerance, directions, starts, tops))
    ready, guesses = list(map(jnp.asarray, directions)), list(map(jnp.asarray, starts))
    cold = jnp.asarray(pseudo_random_unit(n))
    calls: dict[str, Callable[[], Any]] = {
        "warm": lambda: list(map(ours, ready, guesses)),
        "cold": lambda: [ours(d, cold) for d in ready],
        "ARPACK": lambda: list(map(arpack, directions, starts, tols)),
    }
    times = interleaved(calls, options, 5, seconds=0.0, title=f"along a run, n = {n}")
    return [
        n,
        times.spread("warm", 1e3 / count),
        *(times.ratio(other, "warm") for other in ("cold", "ARPACK")),
        max(map(error, directions, calls["warm"](), tops)),
        *map(float, np.mean(list(map(products, ready, guesses)), axis=0)),
    ]


def _along_a_run(n: int, count: int, options: Options) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Gradient estimates of a run, and the guess that each of them was solved from."""
    problem = problems.matrix_single_index(n)
    solver = methods.method("PMVR-v1", batch=options.pick(8, 2), eta=0.02)
    key = jax.random.key(0)
    (whole,) = solver.schedule.stages(count)
    stage = whole.at(0)
    draw = jax.jit(lambda key: solver.estimator.draw(problem.composition, key, stage.batch))
    step = jax.jit(lambda state, batch: solver.step(problem, state, batch, stage)[0])
    state = solver.init(problem, problems.matrix_start(problem), draw(jax.random.fold_in(key, 0)))
    directions, guesses = [], []
    for number in tracked(range(1, count + 1), f"a run, n = {n}"):
        directions.append(np.asarray(state.v, np.float64))
        guesses.append(np.asarray(state.guess, np.float64))
        state = step(state, draw(jax.random.fold_in(key, number)))
    return directions, guesses


ROW = Row(
    number=4,
    name="singular",
    title="top singular pair against full SVD and ARPACK, cold, warm and badly started",
    goal="at n = 2,000 50 times as fast as a full SVD with a gap, 15 times without; never slower "
    "than ARPACK",
    measure=measure,
)
