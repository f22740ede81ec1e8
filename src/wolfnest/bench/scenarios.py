"""Row 6: risk over many scenarios, against conic and linear solvers through CVXPY."""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from wolfnest import _units, datasets
from wolfnest.bench.row import Options, Row, Table
from wolfnest.bench.timing import missing, shown
from wolfnest.experiments import environment
from wolfnest.problems import risk
from wolfnest.solve import solve

LIMIT = 600.0  # seconds that a peer may take
ACCURACIES = (1e-3, 1e-4)
FINEST = 1e-5  # relative gap of the run that the accuracies are measured against


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


def scenarios(rows: int, assets: int) -> np.ndarray:
    """Heavy-tailed returns in percent."""
    return datasets.factor_model(rows, assets, seed=1).values


def measure(options: Options) -> list[Table]:
    assets = options.pick(100, 4)
    sizes = options.pick((100_000, 1_000_000), (300, 600))
    reason = missing("cvxpy")
    skipped = () if reason is None else (f"conic and linear solvers: {reason}",)
    jobs = [(case, size) for size in sizes for case in CASES]
    with shown("measures", len(jobs) * 2) as advance:
        ours = {}
        for case, size in jobs:
            ours[case.title, size] = alone(case, size, assets)
            advance()
        theirs: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
        for case, size in jobs:
            # What a peer does not finish at the smaller size, it is not asked at the larger one.
            known = theirs.get((case.title, sizes[0]), {})
            fit = [s for s in case.solvers if size == sizes[0] or known[s]["seconds"] is not None]
            asked = fit if reason is None else []
            theirs[case.title, size] = peers(case, size, assets, asked)
            advance()
    return [_table(size, ours, theirs, skipped) for size in sizes]


# ---- ours ------------------------------------------------------------------------------------


def alone(case: Case, rows: int, assets: int) -> dict[str, Any]:
    """Our automatic choice, in a process of its own: its memory is then that of this case."""
    return _asked({"do": "ours", "case": case.title, "rows": rows, "assets": assets}, None)


def ours(case: Case, rows: int, assets: int) -> dict[str, Any]:
    """Seconds until the objective is within each accuracy (relative) of the minimum, bounded from
    below by the certificate of the same run."""
    table = scenarios(rows, assets)
    problem = risk.problem(case.measure, table, **case.settings)
    scale = abs(float(problem.value(problem.start())))
    found = solve(problem, tol=FINEST * scale, record_every=1, progress=False)
    certificate = found.certificate
    assert certificate is not None
    error = (found.trace.objective - float(certificate.lower)) / abs(float(certificate.value))
    there = [np.flatnonzero(error <= level) for level in ACCURACIES]
    weights = np.asarray(risk.portfolio(problem, found.x), dtype=float)
    return {
        "seconds": [float(found.trace.time[i[0]]) if i.size else None for i in there],
        "solver": found.solver.name,
        "value": exact_value(case, table, weights),
        "memory": _peak(),
    }


def exact_value(case: Case, table: np.ndarray, weights: np.ndarray) -> float:
    """`-E r·x + ρ(x)` without smoothing, at weights that are made feasible."""
    weights = np.maximum(weights, 0)
    weights = weights / weights.sum()
    rho = risk.evaluate(case.measure, table, weights, **case.settings)
    return float(-(table @ weights).mean() + rho)


# ---- theirs ----------------------------------------------------------------------------------


def peers(case: Case, rows: int, assets: int, solvers: list[str]) -> dict[str, dict[str, Any]]:
    """All solvers that the case names, at once where there are cores for it."""
    question = {"do": "peer", "case": case.title, "rows": rows, "assets": assets}
    ask = lambda solver: _asked(question | {"solver": solver}, LIMIT)
    with ThreadPoolExecutor(max_workers=max(1, len(environment.cores()) - 1)) as pool:
        return dict(zip(solvers, pool.map(ask, solvers), strict=True))


def peer(case: Case, rows: int, assets: int, solver: str) -> dict[str, Any]:
    """One solver through CVXPY, on the exact (not smoothed) problem."""
    import time

    import cvxpy

    table = scenarios(rows, assets)
    x = cvxpy.Variable(assets, nonneg=True)
    objective = -table.mean(axis=0) @ x + _model(cvxpy, case, table, x)
    budget: Any = cvxpy.sum(x) == 1
    program = cvxpy.Problem(cvxpy.Minimize(objective), [budget])
    start = time.perf_counter()
    program.solve(solver=solver)
    seconds = time.perf_counter() - start
    value = exact_value(case, table, np.asarray(x.value, dtype=float))
    return {"seconds": seconds, "value": value, "status": program.status, "memory": _peak()}


def _model(cvxpy: Any, case: Case, table: np.ndarray, x: Any) -> Any:
    rows = len(table)
    if case.measure == "semideviation":
        short = cvxpy.pos((table.mean(axis=0) - table) @ x)
        if case.settings["order"] == 1:
            return cvxpy.sum(short) / rows
        return cvxpy.norm(short, 2) / math.sqrt(rows)
    if case.measure == "entropic":
        theta = risk.settings("entropic")["theta"]
        return (cvxpy.log_sum_exp(-theta * (table @ x)) - math.log(rows)) / theta
    threshold = cvxpy.Variable()
    tail = cvxpy.sum(cvxpy.pos(-(table @ x) - threshold)) / rows
    return threshold + tail / (1 - case.settings["level"])


# ---- processes -------------------------------------------------------------------------------


def _asked(question: dict[str, Any], limit: float | None) -> dict[str, Any]:
    """The answer of a process of its own; one that takes too long is stopped."""
    command = [sys.executable, "-m", __name__, json.dumps(question)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"seconds": None, "value": None, "status": f"over {limit:g} s", "memory": None}
    if done.returncode:
        last = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
        return {"seconds": None, "value": None, "status": last[:80], "memory": None}
    return json.loads(done.stdout.splitlines()[-1])


def _peak() -> float:
    """The largest memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    case = next(case for case in CASES if case.title == question["case"])
    sizes = question["rows"], question["assets"]
    if question["do"] == "ours":
        return ours(case, *sizes)
    return peer(case, *sizes, question["solver"])


# ---- the table -------------------------------------------------------------------------------


def _table(size: int, ours: Mapping, theirs: Mapping, skipped: tuple[str, ...]) -> Table:
    lines = []
    for case in CASES:
        mine = ours[case.title, size]
        times, memory = mine.get("seconds") or [None, None], mine["memory"]
        first = [case.title, f"ours ({mine.get('solver', mine.get('status'))})", *times, None]
        lines.append(
            [*first, mine["value"], None if memory is None else f"{_units.short(memory)}B"]
        )
        for solver, found in theirs[case.title, size].items():
            seconds, ratio = found["seconds"], None
            if seconds is not None and times[-1]:
                ratio = seconds / times[-1]
            memory = None if found["memory"] is None else f"{_units.short(found['memory'])}B"
            line = [case.title, solver, None, seconds, ratio, found["value"], memory]
            lines.append(line if seconds is not None else [*line[:4], found["status"], *line[5:]])
    columns = ("measure", "solver", "s to 1e-3", "s to 1e-4", "times ours", "objective", "memory")
    note = (
        "Seconds to a relative error of the objective; conic and linear solvers are run with their "
        "default accuracy. The objective is exact, without smoothing, at the weights found; memory "
        "is the peak of the whole process."
    )
    return Table(f"{size:,} scenarios", columns, lines, note, skipped)


ROW = Row(
    number=6,
    name="scenarios",
    title="risk over many scenarios, against conic and linear solvers",
    goal="20 times as quick at 100,000 × 100; at 1,000,000 × 100 within two minutes",
    measure=measure,
)

if __name__ == "__main__":
    os.environ.setdefault("JAX_ENABLE_X64", "1")
    print(json.dumps(answer(json.loads(sys.argv[1]))))
