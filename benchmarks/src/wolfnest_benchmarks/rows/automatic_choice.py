"""Row 8: the automatic choice against every method by name, from coarse to fine accuracies."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from jaxtyping import PyTree

from wolfnest import datasets, methods, metrics, problems
from wolfnest.objective.problem import Problem
from wolfnest.problems import risk
from wolfnest.running.solve import solve
from wolfnest.solution import Solution
from wolfnest.solver import Solver
from wolfnest_benchmarks.results import Cell, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.rows import three_level_problems
from wolfnest_benchmarks.timing import shown

AUTOMATIC = "automatic"
ACCURACIES = tuple(10.0**-k for k in range(1, 7))
MOST_STEPS = 300_000
CLOSE = 2.0  # times the quickest: near enough to be measured again


@dataclasses.dataclass(frozen=True)
class Contest:
    """A problem, the point that all methods start from, and the seconds that each of them gets."""

    problem: Problem
    x0: PyTree
    seconds: float = 1.0

    @property
    def gap(self) -> float:
        return float(metrics.frank_wolfe_gap(self.problem, self.x0))


def measure(options: Options) -> list[Table]:
    posed = problems_of(options)
    names = (AUTOMATIC, *options.pick(methods.names(), ("PMVR-v1", "SwPMFS-v1", "PFW")))
    tables, summary = [], []
    with shown("methods", len(posed) * len(names)) as advance:
        for title, make in posed.items():
            line, table = compared(title, make(), names, options, advance)
            summary.append(line)
            tables.append(table)
            jax.clear_caches()
    return [overview(summary), *tables]


def compared(
    title: str,
    contest: Contest,
    names: tuple[str, ...],
    options: Options,
    advance: Callable[[], None] = lambda: None,
) -> tuple[list[Cell], Table]:
    """One problem: its line of the overview, and the times of all methods."""
    runs, skipped = {}, []
    for name in names:
        reason = refused(name, contest.problem)
        if reason is None:
            runs[name] = Runs(contest, name, options.pick(contest.seconds, 0.05))
        else:
            skipped.append(f"{name}: {reason}")
        advance()
    # Once more for those that might be the quickest, in turn.
    for _ in range(options.repeats(3) - 1):
        for name in contenders({name: one.times for name, one in runs.items()}):
            runs[name].again()
    found = {name: one.times for name, one in runs.items()}
    return [title, chosen(contest), *_ratios(found)[AUTOMATIC]], _table(
        title, contest, found, tuple(skipped)
    )


def overview(lines: list[list[Cell]]) -> Table:
    return Table(
        "the automatic choice",
        ("problem", "chosen", *(f"{level:.0e}" for level in ACCURACIES)),
        lines,
        "Time of the automatic choice over that of the quickest method by name; – is not reached "
        "by one of them in the time given.",
    )


def problems_of(options: Options) -> dict[str, Callable[[], Contest]]:
    """E1 to E3, four risk measures, three problems that are smooth and not convex."""
    days, rows, assets = options.pick((25_105, 100_000, 100), (300, 400, 5))
    n, matrices = options.pick((20, 10_000), (4, 60))
    few = lambda: datasets.factor_model(days, options.pick(17, 4), seed=0)
    many = lambda: datasets.factor_model(rows, assets, seed=1)

    def matrix() -> Contest:
        posed = problems.matrix_single_index(n, rows=matrices)
        return Contest(posed, problems.matrix_start(posed))

    def network() -> Contest:
        posed = three_level_problems.network(options.pick(20_000, 200))
        # The origin, where balls start, is stationary.
        return Contest(posed, np.full(posed.start().shape, 0.05, posed.dtype))

    def of(make: Callable[..., Problem], table: Callable[[], Any], *args: Any, **kwargs: Any):
        seconds = 4.0 if table is many else 1.0

        def posed() -> Contest:
            problem = make(*args, table(), **kwargs)
            return Contest(problem, problem.start(), seconds)

        return posed

    return {
        f"E1, {n} × {n}": matrix,
        "E2, mean-variance": of(problems.mean_variance, few),
        "E3, mean-deviation": of(problems.mean_deviation, few),
        "semideviation, order 1": of(risk.problem, many, "semideviation", order=1),
        "semideviation, order 2": of(risk.problem, many, "semideviation", order=2),
        "entropic": of(risk.problem, many, "entropic"),
        "CVaR": of(risk.problem, many, "cvar"),
        "K = 3, ratio": of(three_level_problems.sharpe, few),
        "K = 3, robust": of(three_level_problems.robust, few),
        "K = 3, network": network,
    }


def solver_of(name: str) -> Solver | None:
    return None if name == AUTOMATIC else methods.method(name)


def refused(name: str, problem: Problem) -> str | None:
    solver = solver_of(name)
    return None if solver is None else solver.supports(problem)


def chosen(contest: Contest) -> str:
    """The name of the method that the automatic choice takes."""
    return solve(contest.problem, None, contest.x0, tol=contest.gap, progress=False).solver.name


class Runs:
    """Runs of a method on a contest: `times` are the seconds of the method itself until the gap
    fell to each share of its start, the least of all runs; None where it did not within
    `seconds`."""

    def __init__(self, contest: Contest, name: str, seconds: float) -> None:
        self.contest, self.name, self.seconds = contest, name, seconds
        self.every = _records(contest, name)
        self.times: list[float | None] = [None] * len(ACCURACIES)
        self.again()

    def again(self) -> None:
        new = _times(self.contest, _run(self.contest, self.name, self.seconds, self.every))
        both = zip(self.times, new, strict=True)
        known = [[time for time in pair if time is not None] for pair in both]
        self.times = [min(pair, default=None) for pair in known]


def _run(contest: Contest, name: str, seconds: float, every: int) -> Solution:
    return solve(
        contest.problem,
        solver_of(name),
        contest.x0,
        steps=None if name == AUTOMATIC else MOST_STEPS,
        tol=ACCURACIES[-1] * contest.gap,
        budget={"seconds": 20 * seconds},
        record_every=every,
        progress=False,
        throw=False,
        callback=lambda record: record["time"] > seconds,
    )


def _records(contest: Contest, name: str) -> int:
    """Steps between records, so that measuring takes about as long as moving. What a method does
    before its first steps does not count."""
    trial = solve(
        contest.problem, solver_of(name), contest.x0, steps=60, record_every=10, progress=False,
        throw=False, callback=lambda record: record["step"] > 10 and record["time"] > 1,
    ).trace  # fmt: skip
    step = (trial.time[-1] - trial.time[1]) / max(1, trial.step[-1] - trial.step[1])
    jax.block_until_ready(metrics.frank_wolfe_gap(contest.problem, contest.x0))  # compiles
    start = time.perf_counter()
    jax.block_until_ready(metrics.frank_wolfe_gap(contest.problem, contest.x0))
    return max(1, round((time.perf_counter() - start) / max(step, 1e-7)))


def _times(contest: Contest, solution: Solution) -> list[float | None]:
    trace = solution.trace
    share = np.minimum.accumulate(np.nan_to_num(trace.frank_wolfe_gap, nan=np.inf)) / contest.gap
    there = [np.flatnonzero(share <= level) for level in ACCURACIES]
    return [float(trace.time[places[0]]) if places.size else None for places in there]


Found = Mapping[str, list[float | None]]


def contenders(found: Found) -> list[str]:
    """The automatic choice, and what is not far from the quickest at some accuracy."""
    close = lambda line: any(ratio is not None and ratio <= CLOSE for ratio in line)
    return [n for n, line in _ratios(found).items() if n == AUTOMATIC or close(line)]


def _best(found: Found, place: int) -> float:
    times = [times[place] for name, times in found.items() if name != AUTOMATIC]
    return min((time for time in times if time is not None), default=math.nan)


def _ratios(found: Found) -> dict[str, list[float | None]]:
    best = [_best(found, place) for place in range(len(ACCURACIES))]
    # Where no method by name got there, there is nothing to compare with.
    ratio = lambda time, least: (
        None if time is None or math.isnan(least) else time / max(least, 1e-9)
    )
    return {
        name: [ratio(time, least) for time, least in zip(times, best, strict=True)]
        for name, times in found.items()
    }


def _table(title: str, contest: Contest, found: Found, skipped: tuple[str, ...]) -> Table:
    """Times as multiples of the quickest method by name, whose milliseconds come first."""
    best = [1e3 * _best(found, place) for place in range(len(ACCURACIES))]
    ratios = {name: line for name, line in _ratios(found).items() if line[0] is not None}
    last = lambda line: [len(line) - line.count(None), *(-(value or 0) for value in line)]
    ordered = sorted(ratios, key=lambda name: last(ratios[name]), reverse=True)
    never = sorted(set(found) - set(ratios))
    given = f"{contest.seconds:g} s were given."
    lost = f"Not to 1e-01 in that time: {', '.join(never)}." * bool(never)
    columns = ("method", *(f"{level:.0e}" for level in ACCURACIES))
    milliseconds = ["quickest, ms", *(None if math.isnan(value) else value for value in best)]
    lines = [milliseconds, *([name, *ratios[name]] for name in ordered)]
    return Table(title, columns, lines, f"{given} {lost}".strip(), skipped)


ROW = Row(
    number=8,
    name="choice",
    title="the automatic choice against every method",
    goal="within 1.5 times the quickest method at every accuracy",
    measure=measure,
)
