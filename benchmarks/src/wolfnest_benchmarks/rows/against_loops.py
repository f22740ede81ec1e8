"""Row 1: what an iteration costs, against the same method written by hand.

Mean-variance and mean-deviation, d = 17, L = 25,105, batch 128, 64-bit floats, one core, sampling
included; then many runs at once: seeds, and a grid of step sizes and weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from wolfnest import datasets, methods, problems
from wolfnest.objective.problem import Problem
from wolfnest.running import engine
from wolfnest.solver import Solver
from wolfnest_benchmarks.loops import METHODS, PROBLEMS, Settings, by_numba, by_numpy, by_torch
from wolfnest_benchmarks.prepared import Prepared
from wolfnest_benchmarks.results import Cell, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.timing import interleaved, missing

DAYS, ASSETS = 25_105, 17
SEEDS = 50
# The grid of the paper's experiments has five values each of η and α, and three of N; a compiled
# run has one N, so that here the same number of points has more values of η.
ETAS, ALPHAS = np.geomspace(1e-3, 1e-1, 15), (0.01, 0.03, 0.05, 0.1, 0.3)


class Loop(NamedTuple):
    """A loop by hand, the package that it needs, and how many times fewer steps a measurement
    takes."""

    run: Callable[..., np.ndarray]
    package: str
    fewer: int


LOOPS = {
    "NumPy": Loop(by_numpy.run, "numpy", 10),
    "PyTorch": Loop(by_torch.run, "torch", 200),
    "Numba": Loop(by_numba.run, "numba", 1),
    "Numba, hashed rows": Loop(partial(by_numba.run, generator="hash"), "numba", 1),
}
OURS = "wolfnest"
PAIRS = tuple((problem, method) for problem in PROBLEMS for method in METHODS)
FEW = (("mean-variance", "PMVR-v1"), ("mean-deviation", "PMFS-v1"))


def measure(options: Options) -> list[Table]:
    days, at = options.pick(DAYS, 200), options.pick(Settings(), Settings(batch=8, inner=3))
    table = datasets.factor_model(days, options.pick(ASSETS, 5), seed=0).values
    return [_single(options, table, at), _many(options, table, at)]


def posed(problem: str, table: np.ndarray, at: Settings) -> Problem:
    """The problem that a loop solves."""
    if problem == "mean-variance":
        return problems.mean_variance(table, at.risk)
    return problems.mean_deviation(table, at.risk, at.delta)


def solver(method: str, at: Settings) -> Solver:
    """The method with the settings of a loop."""
    inner = {"inner": at.inner, "beta": at.beta} if method.endswith("v2") else {}
    return methods.method(method, eta=at.eta, alpha=at.alpha, batch=at.batch, **inner)


def _single(options: Options, table: np.ndarray, at: Settings) -> Table:
    """One run alone: all methods, all loops."""
    steps = options.pick(20_000, 10)
    lacking = {name: missing(loop.package) for name, loop in LOOPS.items()}
    cells: list[list[Cell]] = []
    for problem, method in options.pick(PAIRS, FEW):
        run = Prepared(posed(problem, table, at), solver(method, at), steps)
        calls: dict[str, Callable[[], Any]] = {OURS: run}
        made = {OURS: run.steps}
        for name, loop in LOOPS.items():
            if lacking[name] is None:
                made[name] = max(2, run.steps // loop.fewer)
                calls[name] = partial(loop.run, problem, method, table, made[name], at)
        times = interleaved(calls, options, 9, title=f"{method}, {problem}").per(made)
        ratios = (times.ratio(name, OURS) for name in LOOPS)
        cells.append([problem, method, times.spread(OURS, 1e6), *ratios])
    return Table(
        f"One iteration, d = {table.shape[1]}, L = {len(table):,}, batch {at.batch}",
        ("problem", "method", f"{OURS}, µs", *(f"{name} / {OURS}" for name in LOOPS)),
        cells,
        "Ratios are times of the loop by hand over ours, round by round: median ± half the "
        f"distance of the quartiles over {options.repeats(9)} interleaved rounds of {steps:,} "
        f"steps (fewer for slow loops). v2 makes {at.inner} oracle calls. Hashed rows: SplitMix64 "
        "by hand, not Numba's own generator.",
        tuple(f"{name}: {why}" for name, why in lacking.items() if why),
    )


def _many(options: Options, table: np.ndarray, at: Settings) -> Table:
    """Many runs at once, per run, against one alone."""
    count, etas, alphas = options.pick((SEEDS, ETAS, ALPHAS), (3, ETAS[:2], ALPHAS[:2]))
    counts = {"alone": 1, "seeds": count, "grid": len(etas) * len(alphas)}
    cells: list[list[Cell]] = []
    for problem, method in options.pick(PAIRS, FEW):
        stated, by, steps = posed(problem, table, at), solver(method, at), options.pick(2_000, 4)
        alone, seeds = Prepared(stated, by, steps), Prepared(stated, by, steps, seeds=count)
        calls = {"alone": alone, "seeds": seeds, "grid": Grid(alone, etas, alphas)}
        times = interleaved(calls, options, 9, title=f"{method}, {problem}").per(counts)
        ratios = (times.ratio(name, "alone") for name in ("seeds", "grid"))
        cells.append([problem, method, times.spread("alone", 1e6 / alone.steps), *ratios])
    columns = (f"{count} seeds, per run", f"{counts['grid']} settings, per run")
    return Table(
        "Many runs at once: cost of a run over that of one alone",
        ("problem", "method", "one alone, µs per step", *columns),
        cells,
        "Seeds draw their own rows. The points of a grid (η and α) share the rows of a key, as "
        "runs that are to be compared should.",
    )


class Grid:
    """A prepared run for every pair of η and α at once, all with the same key."""

    def __init__(self, run: Prepared, etas: Any, alphas: Any) -> None:
        pairs = jnp.asarray([(eta, alpha) for eta in etas for alpha in alphas])
        (stage,) = run.stages
        setting = engine.Setting.of(stage)

        @eqx.filter_jit
        def advance(parts: engine.Run, carry: Any, key: Any, n: Any, pairs: Any) -> Any:
            def one(pair: Any) -> Any:
                at = eqx.tree_at(lambda s: (s.eta, s.alpha), setting, (pair[0], pair[1]))
                return engine.make_steps(parts, at, carry, key, 0, 0, n)[0].state.x

            return jax.vmap(one)(pairs)

        arguments = (run.parts, run.first, run.key, np.int32(run.steps), pairs)
        self._call = lambda: advance(*arguments)

    def __call__(self) -> Any:
        """The last points, one per pair."""
        return jax.block_until_ready(self._call())


ROW = Row(
    number=1,
    name="iteration",
    title="cost per iteration against loops written by hand; many runs at once",
    goal="not slower than Numba, 10 times as fast as NumPy, 30 times as fast as PyTorch",
    measure=measure,
)
