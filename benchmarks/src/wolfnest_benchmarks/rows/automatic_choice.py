"""Row 8: the automatic choice against every method by name, from coarse to fine accuracies."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import PyTree

from wolfnest import datasets, methods, metrics, problems
from wolfnest.objective.problem import Problem
from wolfnest.problems import risk
from wolfnest.running.solve import solve
from wolfnest.solution import Solution
from wolfnest_benchmarks.results import Cell, Table, as_cells
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.rows import three_level_problems
from wolfnest_benchmarks.timing import timed, tracked

AUTOMATIC = "automatic"
ACCURACIES = tuple(10.0**-k for k in range(1, 7))
MOST_STEPS = 300_000
HEADINGS = tuple(f"{level:.0e}" for level in ACCURACIES)
CLOSE = 2.0  # times the quickest: near enough to be measured again


@dataclasses.dataclass(frozen=True)
class Contest:
    """A problem, the point that all methods start from, and the seconds that each of them gets."""

    problem: Problem
    x0: PyTree
    seconds: float = 1.0

    @functools.cached_property
    def gap(self) -> float:
        return float(metrics.frank_wolfe_gap(self.problem, self.x0))

    def solve(self, name: str, **limits: Any) -> Solution:
        solver = None if name == AUTOMATIC else methods.method(name)
        return solve(self.problem, solver, self.x0, progress=False, throw=False, **limits)


def measure(options: Options) -> list[Table]:
    names = (AUTOMATIC, *options.pick(methods.names(), ("PMVR-v1", "SwPMFS-v1", "PFW")))
    tables, summary = [], []
    for title, make in problems_of(options).items():
        line, table = compared(title, make(), names, options)
        summary.append(line)
        tables.append(table)
        jax.clear_caches()
    return [overview(summary), *tables]


def problems_of(options: Options) -> dict[str, Callable[[], Contest]]:
    """E1 to E3, four risk measures, three problems that are smooth and not convex."""
    days, rows, assets = options.pick((25_105, 100_000, 100), (300, 400, 5))
    n, matrices = options.pick((20, 10_000), (4, 60))

    def few(make: Callable[..., Problem]) -> Callable[[], Contest]:
        def pose() -> Contest:
            problem = make(datasets.factor_model(days, options.pick(17, 4), seed=0))
            return Contest(problem, problem.start())

        return pose

    def many(measure: str, **settings: Any) -> Callable[[], Contest]:
        def pose() -> Contest:
            table = datasets.factor_model(rows, assets, seed=1)
            problem = risk.problem(measure, table, **settings)
            return Contest(problem, problem.start(), seconds=4.0)

        return pose

    def matrix() -> Contest:
        problem = problems.matrix_single_index(n, rows=matrices)
        return Contest(problem, problems.matrix_start(problem))

    def network() -> Contest:
        problem = three_level_problems.network(options.pick(20_000, 200))
        # The origin, where balls start, is stationary.
        return Contest(problem, np.full(problem.start().shape, 0.05, problem.dtype))

    return {
        f"E1, {n} × {n}": matrix,
        "E2, mean-variance": few(problems.mean_variance),
        "E3, mean-deviation": few(problems.mean_deviation),
        "semideviation, order 1": many("semideviation", order=1),
        "semideviation, order 2": many("semideviation", order=2),
        "entropic": many("entropic"),
        "CVaR": many("cvar"),
        "K = 3, ratio": few(three_level_problems.sharpe),
        "K = 3, robust": few(three_level_problems.robust),
        "K = 3, network": network,
    }


# ---- runs ------------------------------------------------------------------------------------


class Runs:
    """Runs of a method on a contest: `times` are the seconds of the method itself until the gap
    fell to each share of its start, the least of all runs; infinite where it did not."""

    def __init__(self, contest: Contest, name: str, seconds: float) -> None:
        self.contest, self.name, self.seconds = contest, name, seconds
        self.every = self._steps_between_records()
        self.times = np.full(len(ACCURACIES), np.inf)
        self.again()

    def again(self) -> None:
        trace = self.contest.solve(
            self.name,
            steps=None if self.name == AUTOMATIC else MOST_STEPS,
            tol=ACCURACIES[-1] * self.contest.gap,
            budget={"seconds": 20 * self.seconds},
            record_every=self.every,
            callback=lambda record: record["time"] > self.seconds,
        ).trace
        gaps = np.nan_to_num(trace.frank_wolfe_gap, nan=np.inf)
        for place, accuracy in enumerate(ACCURACIES):
            there = trace.time[gaps <= accuracy * self.contest.gap]
            self.times[place] = min([self.times[place], *there])

    def _steps_between_records(self) -> int:
        """So that measuring takes about as long as moving. What a method does before its first
        steps does not count."""
        trial = self.contest.solve(
            self.name,
            steps=60,
            record_every=10,
            callback=lambda record: record["step"] > 10 and record["time"] > 1,
        ).trace
        step = (trial.time[-1] - trial.time[1]) / max(1, trial.step[-1] - trial.step[1])
        gap = lambda: metrics.frank_wolfe_gap(self.contest.problem, self.contest.x0)
        jax.block_until_ready(gap())  # compiles
        record = timed(lambda: jax.block_until_ready(gap()), clock=time.perf_counter)
        return max(1, round(record / max(step, 1e-7)))


def compared(
    title: str, contest: Contest, names: Sequence[str], options: Options
) -> tuple[list[Cell], Table]:
    """One problem: its line of the overview, and the times of all methods."""
    runs, skipped = {}, []
    for name in tracked(names, title):
        reason = None
        if name != AUTOMATIC:
            reason = methods.method(name).supports(contest.problem)
        if reason is None:
            runs[name] = Runs(contest, name, options.pick(contest.seconds, 0.05))
        else:
            skipped.append(f"{name}: {reason}")
    # Once more for those that might be the quickest, in turn.
    for _ in range(options.repeats(3) - 1):
        close = [name for name, line in ratios(runs).items() if (line <= CLOSE).any()]
        for name in {AUTOMATIC: None} | dict.fromkeys(close):
            runs[name].again()
    chosen = contest.solve(AUTOMATIC, tol=contest.gap).solver.name
    line = [title, chosen, *as_cells(ratios(runs)[AUTOMATIC])]
    return line, _table(title, contest, runs, tuple(skipped))


def quickest(runs: Mapping[str, Runs]) -> np.ndarray:
    """The least times of methods by name."""
    return np.min([run.times for name, run in runs.items() if name != AUTOMATIC], axis=0)


def ratios(runs: Mapping[str, Runs]) -> dict[str, np.ndarray]:
    """Times over the least of methods by name; where none of them got there, there is nothing to
    compare with."""
    best = quickest(runs)
    base = np.where(np.isfinite(best), np.maximum(best, 1e-9), np.nan)
    return {name: run.times / base for name, run in runs.items()}


# ---- tables ----------------------------------------------------------------------------------


def overview(lines: list[list[Cell]]) -> Table:
    return Table(
        "the automatic choice",
        ("problem", "chosen", *HEADINGS),
        lines,
        "Time of the automatic choice over that of the quickest method by name; – is not reached "
        "by one of them in the time given.",
    )


def _table(
    title: str, contest: Contest, runs: Mapping[str, Runs], skipped: tuple[str, ...]
) -> Table:
    """Times as multiples of the quickest method by name, whose milliseconds come first. Methods
    that get furthest come first, and of these the quicker ones."""
    found = {name: line for name, line in ratios(runs).items() if np.isfinite(line[0])}
    rank = lambda line: (-np.isfinite(line).sum(), *np.nan_to_num(line, posinf=0.0))
    lines = [
        [name, *as_cells(line)] for name, line in sorted(found.items(), key=lambda i: rank(i[1]))
    ]
    never = ", ".join(sorted(set(runs) - set(found)))
    lost = f" Not to {HEADINGS[0]} in that time: {never}." if never else ""
    return Table(
        title,
        ("method", *HEADINGS),
        [["quickest, ms", *as_cells(1e3 * quickest(runs))], *lines],
        f"{contest.seconds:g} s were given.{lost}",
        skipped,
    )


ROW = Row(
    number=8,
    name="choice",
    title="the automatic choice against every method",
    goal="within 1.5 times the quickest method at every accuracy",
    measure=measure,
)
