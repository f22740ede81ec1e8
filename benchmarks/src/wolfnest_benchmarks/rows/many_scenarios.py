"""Row 6: risk over many scenarios, against Clarabel, SCS and HiGHS through CVXPY."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wolfnest import datasets
from wolfnest.common import formatting
from wolfnest.interop import conic
from wolfnest.portfolio.weights_alone import in_weights
from wolfnest.problems import risk
from wolfnest.running.solve import solve
from wolfnest_benchmarks.apart import Done, work
from wolfnest_benchmarks.peers.clarabel_scs_highs import solved
from wolfnest_benchmarks.results import Cell, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.timing import missing, tracked

LIMIT = 600.0  # seconds of processor time that a peer may take
ACCURACIES = (1e-3, 1e-4)
FINEST = 5e-5  # relative gap at which a run ends: its lower bound is what errors are measured from
PATIENCE = 120.0  # seconds after which a run of ours ends


class Case(NamedTuple):
    """A measure with its settings, and the solvers that can take it."""

    title: str
    measure: str
    settings: Mapping[str, Any]
    solvers: tuple[str, ...]


CASES = (
    Case("semideviation, order 1", "semideviation", {"order": 1}, ("HIGHS", "CLARABEL", "SCS")),
    Case("semideviation, order 2", "semideviation", {"order": 2}, ("CLARABEL", "SCS")),
    Case("entropic", "entropic", {}, ("CLARABEL", "SCS")),
    Case("CVaR, 95 %", "cvar", {"level": 0.95}, ("HIGHS", "CLARABEL", "SCS")),
)


class Ours(NamedTuple):
    """Seconds to each accuracy without compilation, those of all there is to the first one, the
    method chosen, and the exact objective at the end."""

    seconds: list[float | None]
    whole: float
    method: str
    value: float


class Theirs(NamedTuple):
    """Seconds of a peer, the exact objective at its weights, and how it says it ended."""

    seconds: float
    value: float
    status: str


def measure(options: Options) -> list[Table]:
    assets = options.pick(100, 4)
    sizes = options.pick((10_000, 100_000, 1_000_000), (100, 200, 300))
    reason = missing("cvxpy", "clarabel", "scs", "highspy")
    lines: dict[int, list[list[Cell]]] = {size: [] for size in sizes}
    mine: dict[int, Done] = {}
    turns = [(case, solver) for case in CASES for solver in (None, *case.solvers)]
    for case, solver in tracked(turns, "measures"):
        if solver is None:
            for size in sizes:
                mine[size] = work(ours, case, size, assets, quiet=True)
                lines[size].append(_our_line(case, mine[size]))
        elif reason is None:
            for size, answer in zip(sizes, growing(case, solver, sizes, assets), strict=False):
                lines[size].append(_their_line(case, solver, answer, mine[size]))
    skipped = () if reason is None else (f"conic and linear solvers: {reason}",)
    return [_table(size, lines[size], skipped) for size in sizes]


# ---- in a process of its own -----------------------------------------------------------------


def ours(case: Case, rows: int, assets: int) -> Ours:
    """The automatic choice, until the objective is within each accuracy (relative) of the minimum,
    bounded from below by the certificate of the same run; and a run that ends at the first one."""
    table = scenarios(rows, assets)
    start = time.perf_counter()
    problem = in_weights(risk.problem(case.measure, table, **case.settings))
    solve(problem, progress=False, callback=_within(ACCURACIES[0]))
    whole = time.perf_counter() - start
    found = solve(problem, record_every=1, progress=False, callback=_within(FINEST))
    certificate = found.certificate
    assert certificate is not None
    error = (found.trace.objective - float(certificate.lower)) / abs(float(certificate.value))
    there = [np.flatnonzero(error <= level) for level in ACCURACIES]
    seconds = [float(found.trace.time[i[0]]) if i.size else None for i in there]
    weights = np.asarray(risk.portfolio(problem, found.x), dtype=float)
    return Ours(seconds, whole, found.solver.name, exact_value(case, table, weights))


def _within(accuracy: float) -> Callable[[Mapping[str, Any]], bool]:
    """Whether a record is certified to be within a relative accuracy, or the time is over."""
    return lambda record: (
        record["frank_wolfe_gap"] <= accuracy * abs(record["objective"])
        or record["time"] > PATIENCE
    )


def theirs(case: Case, rows: int, assets: int, solver: str) -> Theirs:
    """One solver through CVXPY, on the exact (not smoothed) problem."""
    table = scenarios(rows, assets)
    found = solved(conic.measured(case.measure, table, **case.settings), solver)
    return Theirs(found.seconds, exact_value(case, table, found.weights), found.status)


def growing(case: Case, solver: str, sizes: Sequence[int], assets: int) -> list[Done]:
    """A solver at sizes that grow, as far as it gets: time grows at least as the size does, so one
    that could not end within the limit is not asked."""
    answers: list[Done] = []
    for size, larger in zip(sizes, [*sizes[1:], 0], strict=True):
        answers.append(work(theirs, case, size, assets, solver, limit=LIMIT, quiet=True))
        if answers[-1].answer is None:
            break
        if larger and answers[-1].answer.seconds * larger / size > LIMIT:
            answers.append(Done(status="not asked"))
            break
    return answers


def scenarios(rows: int, assets: int) -> np.ndarray:
    """Heavy-tailed returns in percent."""
    return datasets.factor_model(rows, assets, seed=1).values


def exact_value(case: Case, table: np.ndarray, weights: np.ndarray) -> float:
    """`-E r·x + ρ(x)` without smoothing, at weights that are made feasible."""
    weights = np.maximum(weights, 0)
    weights = weights / weights.sum()
    rho = risk.evaluate(case.measure, table, weights, **case.settings)
    return float(-(table @ weights).mean() + rho)


# ---- the table -------------------------------------------------------------------------------


def _our_line(case: Case, done: Done) -> list[Cell]:
    found: Ours | None = done.answer
    if found is None:
        return [case.title, f"ours ({done.status})", *[None] * 6]
    name = f"ours ({found.method})"
    return [case.title, name, *found.seconds, found.whole, None, found.value, _bytes(done)]


def _their_line(case: Case, solver: str, done: Done, mine: Done) -> list[Cell]:
    found: Theirs | None = done.answer
    if found is None:
        return [case.title, solver, None, None, None, done.status, None, None]
    own = None if mine.answer is None else mine.answer.seconds[-1]
    times = found.seconds / own if own else found.status
    return [case.title, solver, None, found.seconds, None, times, found.value, _bytes(done)]


def _bytes(done: Done) -> str:
    return f"{formatting.short(done.memory)}B"


def _table(size: int, lines: list[list[Cell]], skipped: tuple[str, ...]) -> Table:
    return Table(
        f"{size:,} scenarios",
        (
            *("measure", "solver", "s to 1e-3", "s to 1e-4", "s, all in"),
            *("times ours", "objective", "memory"),
        ),
        lines,
        "Seconds to a relative error of the objective, without compilation; all in: from the table "
        "to certified weights at 1e-3, compilation included. Conic and linear solvers have their "
        f"default accuracy, for at most {LIMIT:g} s of processor time, and are not asked where the "
        "smaller size says that they would take longer. The objective is exact, without smoothing, "
        "at the weights found; memory is the peak of the whole process.",
        skipped,
    )


ROW = Row(
    number=6,
    name="scenarios",
    title="risk over many scenarios, against conic and linear solvers",
    goal="20 times as quick at 100,000 × 100; at 1,000,000 × 100 within two minutes",
    measure=measure,
)
