"""Row 9: every sampled method of the registry, per iteration, relative to PMVR-v1.

Two problems over the simplex with 25,105 samples of d = 17 synthetic returns, batch 128:
mean-variance (K = 2) and least squares (K = 1); and mean-variance with d = 100 for the methods
that keep dense Jacobians.
"""

from __future__ import annotations

import statistics
from typing import Any

from wolfnest import datasets, methods, problems
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.sets.simplex import Simplex
from wolfnest_benchmarks.prepared import Prepared
from wolfnest_benchmarks.results import Spread, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.timing import interleaved, tracked

REFERENCE = "PMVR-v1"
# A step on exact gradients is a pass over all data: it has no batch.
SAMPLED = tuple(name for name in methods.names() if "batch" in methods.settings(name))
# Batches stay the same throughout a run; all else is as it comes.
SETTINGS: dict[str, dict[str, Any]] = {
    "SPIDER-FW": {"regime": "nonconvex"},
    "SCGS": {"batch_growth": 0.0},
}
ASSETS, MANY_ASSETS, DAYS = 17, 100, 25_105
DENSE = (REFERENCE, "SMVR", "Nested-SPIDER")
COLUMNS = ("method", "ratio", "µs", "samples", "evaluations", "LMO", "bytes")


def measure(options: Options) -> list[Table]:
    return [_table(title, *asked, options) for title, asked in _problems(options).items()]


def _residual(x: Any, row: Any) -> Any:
    return (row[:-1] @ x - row[-1]) ** 2


def _problems(options: Options) -> dict[str, tuple[Problem, tuple[str, ...]]]:
    """Problems by title, each with the methods to be timed on it."""
    days = options.pick(DAYS, 300)
    table = datasets.factor_model(days, ASSETS + 1, seed=0).values
    squares = Problem([Level(_residual, data=table)], Simplex(ASSETS), convex=True)
    single = tuple(name for name in SAMPLED if methods.REGISTRY[name].most_levels == 1)
    found = {
        f"K = 2, d = {ASSETS}": (problems.mean_variance(table[:, :-1]), SAMPLED),
        # Methods for one level run here alone; the quick form leaves out what ran above.
        f"K = 1, d = {ASSETS}": (squares, options.pick(SAMPLED, (REFERENCE, *single))),
    }
    if not options.quick:
        wide = datasets.factor_model(days, MANY_ASSETS, seed=0).values
        found[f"K = 2, d = {MANY_ASSETS}"] = (problems.mean_variance(wide), DENSE)
    return found


def _table(title: str, problem: Problem, names: tuple[str, ...], options: Options) -> Table:
    batch, steps = options.pick(128, 8), options.pick(10_000, 5)
    runs: dict[str, Prepared] = {}
    for name in tracked(names, f"{title}: compiling"):
        solver = methods.method(name, batch=batch, **SETTINGS.get(name, {}))
        if solver.supports(problem) is None:
            runs[name] = Prepared(problem, solver, steps)
    # Every method stands between two measurements of the reference.
    calls = {"before": runs[REFERENCE]}
    for name, run in runs.items():
        calls |= {name: run, f"after {name}": runs[REFERENCE]}
    times = interleaved(calls, options, 11, title=title)
    times = times.per({name: run.steps for name, run in calls.items()})
    order, cells = list(calls), []
    for place, (name, run) in enumerate(runs.items()):
        beside = zip(*(times[order[2 * place + k]] for k in range(3)), strict=True)
        ratios = Spread.of(own / statistics.mean((left, right)) for left, own, right in beside)
        cells.append([name, ratios, times.spread(name, 1e6), *run.costs(), run.state_bytes()])
    return Table(
        f"Every method per iteration, {title}",
        COLUMNS,
        cells,
        "ratio: time of an iteration over that of PMVR-v1 right before and after it (the first "
        "line is PMVR-v1 against itself). Samples, evaluations (samples times points) and oracle "
        "calls are per iteration; bytes are those of the state. Runs have "
        f"{steps:,} iterations, rounded up to whole periods or epochs; stage-wise ones about four "
        "times as many, in whole stages.",
    )


ROW = Row(
    number=9,
    name="methods",
    title="every sampled method per iteration, relative to PMVR-v1",
    goal="none: what an iteration costs, not what it gains",
    measure=measure,
)
