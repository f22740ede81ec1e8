"""Row 6: risk over many scenarios, against conic and linear solvers through CVXPY."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from wolfnest.common import formatting
from wolfnest.portfolio.weights_alone import in_weights
from wolfnest.problems import risk
from wolfnest.running.solve import solve
from wolfnest_benchmarks import apart
from wolfnest_benchmarks.row import Cell, Options, Row, Table
from wolfnest_benchmarks.rows import scenario_cases
from wolfnest_benchmarks.rows.scenario_cases import CASES, Case, exact_value, scenarios
from wolfnest_benchmarks.timing import missing, shown

LIMIT = 600.0  # seconds of processor time that a peer may take
ACCURACIES = (1e-3, 1e-4)
FINEST = 5e-5  # relative gap at which a run ends: its lower bound is what errors are measured from
PATIENCE = 120.0  # seconds after which a run of ours ends
Answers = Mapping[tuple[str, int], Any]


def measure(options: Options) -> list[Table]:
    assets = options.pick(100, 4)
    sizes = options.pick((10_000, 100_000, 1_000_000), (100, 200, 300))
    reason = missing("cvxpy", "clarabel", "scs", "highspy")
    skipped = () if reason is None else (f"conic and linear solvers: {reason}",)
    pairs = [(case, solver) for case in CASES for solver in case.solvers if reason is None]
    mine: dict[tuple[str, int], apart.Answer] = {}
    theirs: dict[tuple[str, int], dict[str, apart.Answer]] = {}
    with shown("measures", len(sizes) * len(CASES) + len(pairs)) as advance:
        for case in CASES:
            for size in sizes:
                mine[case.title, size] = _mine(case, size, assets)
                theirs[case.title, size] = {}
                advance()
        for case, solver in pairs:
            for size, answer in zip(sizes, peers(case, solver, sizes, assets), strict=False):
                theirs[case.title, size][solver] = answer
            advance()
    return [_table(size, mine, theirs, skipped) for size in sizes]


def _mine(case: Case, rows: int, assets: int) -> apart.Answer:
    return apart.asked(__name__, {"case": case.title, "rows": rows, "assets": assets})


def ours(case: Case, rows: int, assets: int) -> apart.Answer:
    """Seconds of our automatic choice until the objective is within each accuracy (relative) of
    the minimum, bounded from below by the certificate of the same run; and those of a run that
    ends at the first accuracy, from data to certificate, with all that is compiled for it."""
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
    weights = np.asarray(risk.portfolio(problem, found.x), dtype=float)
    return {
        "seconds": [float(found.trace.time[i[0]]) if i.size else None for i in there],
        "whole": whole,
        "solver": found.solver.name,
        "value": exact_value(case, table, weights),
    }


def _within(accuracy: float) -> Callable[[Mapping[str, Any]], bool]:
    """Whether a record is certified to be within a relative accuracy, or the time is over."""
    return lambda record: (
        record["frank_wolfe_gap"] <= accuracy * abs(record["objective"])
        or record["time"] > PATIENCE
    )


def peers(case: Case, solver: str, sizes: tuple[int, ...], assets: int) -> list[apart.Answer]:
    """A solver at sizes that grow, as far as it gets: time grows at least as the size does, so one
    that could not end within the limit is not asked."""
    answers: list[apart.Answer] = []
    for size, larger in zip(sizes, [*sizes[1:], 0], strict=True):
        question = {"case": case.title, "rows": size, "assets": assets, "solver": solver}
        answers.append(apart.asked(scenario_cases.__name__, question, LIMIT))
        seconds = answers[-1]["seconds"]
        if seconds is None:
            break
        if larger and seconds * larger / size > LIMIT:
            answers.append({"seconds": None, "value": None, "memory": None, "status": "not asked"})
            break
    return answers


def _table(size: int, mine: Answers, theirs: Answers, skipped: tuple[str, ...]) -> Table:
    lines: list[list[Cell]] = []
    for case in CASES:
        own = mine[case.title, size]
        times = own["seconds"] or [None, None]
        name = f"ours ({own.get('solver', own.get('status'))})"
        whole = own.get("whole")
        lines.append([case.title, name, *times, whole, None, own["value"], _bytes(own)])
        for solver, found in theirs[case.title, size].items():
            times_ours: Cell = found["status"]
            if found["seconds"] is not None and times[-1]:
                times_ours = found["seconds"] / times[-1]
            result = times_ours, found["value"], _bytes(found)
            lines.append([case.title, solver, None, found["seconds"], None, *result])
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


def _bytes(answer: apart.Answer) -> str | None:
    return None if answer["memory"] is None else f"{formatting.short(answer['memory'])}B"


ROW = Row(
    number=6,
    name="scenarios",
    title="risk over many scenarios, against conic and linear solvers",
    goal="20 times as quick at 100,000 × 100; at 1,000,000 × 100 within two minutes",
    measure=measure,
)

if __name__ == "__main__":
    asked = apart.question()
    apart.tell(ours(scenario_cases.find(asked["case"]), asked["rows"], asked["assets"]))
