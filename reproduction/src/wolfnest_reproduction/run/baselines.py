"""The same problems without sampling, which is what a user could also do: Frank-Wolfe on full
gradients, and a conic solver."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from wolfnest import metrics
from wolfnest.common.imports import optional
from wolfnest.datasets import Returns
from wolfnest.interop import conic
from wolfnest.methods import method
from wolfnest.running.solve import solve as minimise
from wolfnest.sets import Simplex
from wolfnest.solution import Trace
from wolfnest_reproduction.define import digests
from wolfnest_reproduction.define.cells import Cell
from wolfnest_reproduction.define.posing import Posed, Poser

TOLERANCE = 1e-6
MOST_ITERATIONS = 1_000
CURVE = 60  # points of a curve, at most
REPEATS = 3  # of a conic solver, whose time is the median
METHODS = {"FW": "exact Frank-Wolfe", "PFW": "pairwise Frank-Wolfe"}
MODELS = {"mean_variance": conic.mean_variance, "mean_deviation": conic.mean_deviation}
Row = dict[str, Any]


class Baseline(NamedTuple):
    """The problem of a cell, to be solved exactly."""

    cell: Cell

    @property
    def id(self) -> str:
        names = ("experiment", "problem", "arguments", "data", "digest", "setting")
        posing = {name: getattr(self.cell, name) for name in names}
        return digests.of_definition(["baseline", posing, [TOLERANCE, MOST_ITERATIONS, CURVE]])

    @property
    def label(self) -> str:
        return " · ".join(filter(None, (*_where(self).values(), "baselines")))

    @property
    def program(self) -> tuple[str, ...]:
        return self.cell.problem, self.cell.data, "baselines"


def solve(baseline: Baseline, poser: Poser) -> list[Row]:
    """One row per solver, as JSON has it: what is not a number is None."""
    cell = baseline.cell
    posed = poser(cell.problem, cell.data, cell.arguments)
    rows = [frank_wolfe(posed)]
    if isinstance(posed.problem.domain, Simplex):
        rows.append(frank_wolfe(posed, "PFW"))
    if cell.problem in MODELS:
        rows.append(conic_solver(posed, poser.data[cell.data], cell.problem, cell.arguments))
    missing = lambda value: isinstance(value, float) and not math.isfinite(value)
    plain = lambda row: {key: None if missing(value) else value for key, value in row.items()}
    return [_where(baseline) | plain(row) for row in rows]


def _where(baseline: Baseline) -> Row:
    return {name: getattr(baseline.cell, name) for name in ("experiment", "data", "setting")}


def frank_wolfe(posed: Posed, name: str = "FW") -> Row:
    """Full gradients and a line search, until the value is within `TOLERANCE` of the minimum
    (relative), or where that is unknown, the Frank-Wolfe gap of the first one."""
    known = math.isfinite(posed.best)
    first = float(metrics.frank_wolfe_gap(posed.problem, posed.x0))
    found = minimise(
        posed.problem,
        method(name, step="secant"),
        posed.x0,
        steps=MOST_ITERATIONS,
        tol=posed.best + TOLERANCE * abs(posed.best) if known else TOLERANCE * first,
        criterion=("objective", "frank_wolfe_gap") if known else ("frank_wolfe_gap",),
        record_every=1,
        progress=False,
    )
    what = "the optimal gap" if known else "the Frank-Wolfe gap"
    ending = f"{what} is below {TOLERANCE:g} (relative)"
    if found.status != "converged":
        ending = f"stopped after {MOST_ITERATIONS:,} iterations"
    return {
        "solver": METHODS[name],
        "time": found.seconds,
        "solver_time": math.nan,
        "iterations": found.steps,
        "note": ending,
        "curve": _curve(found.trace, posed.best),
        **_measured(posed, found.x),
    }


def conic_solver(posed: Posed, returns: Returns, problem: str, arguments: Mapping[str, Any]) -> Row:
    """The problem as a quadratic or a second-order cone program in the moments of the returns."""
    try:
        cvxpy: Any = optional("cvxpy", "conic", "the conic baseline")
    except ImportError as error:
        numbers = ("time", "solver_time", "objective", "optimal_gap", "frank_wolfe_gap")
        said = {"solver": "CVXPY", "iterations": None, "note": f"not run: {error}"}
        return dict.fromkeys(numbers, math.nan) | said
    installed = cvxpy.installed_solvers()
    solver = "CLARABEL" if "CLARABEL" in installed else installed[0]

    def solved() -> tuple[np.ndarray, Any]:
        model = MODELS[problem](returns, **arguments)
        program = model.program
        program.solve(solver=solver)
        return np.asarray(model.weights.value), program.solver_stats

    weights, stats = solved()  # the first one loads what it needs
    totals, alone = [], []
    for _ in range(REPEATS):
        start = time.perf_counter()
        weights, stats = solved()
        totals.append(time.perf_counter() - start)
        alone.append(float(stats.solve_time or math.nan))
    weights = np.maximum(weights, 0)
    return {
        "solver": f"CVXPY ({solver})",
        "time": statistics.median(totals),
        "solver_time": statistics.median(alone),
        "iterations": int(stats.num_iters or 0) or None,
        "note": "with mean and covariance of the returns, which are computed in this time",
        **_measured(posed, posed.problem.point(weights / weights.sum())),
    }


def _measured(posed: Posed, x: Any) -> Row:
    """The criteria at a solution."""
    objective, gap = posed.problem.value(x), metrics.frank_wolfe_gap(posed.problem, x)
    return {
        "objective": float(objective),
        "optimal_gap": float(objective) - posed.best,
        "frank_wolfe_gap": float(gap),
    }


def _curve(trace: Trace, best: float) -> dict[str, list[float | None]]:
    """The criteria over time, at records that are evenly spread on a logarithmic scale."""
    count = len(trace.step)
    places = np.unique(np.geomspace(1, count, min(CURVE, count)).round().astype(int)) - 1
    columns = {
        "time": trace.time,
        "objective": trace.objective,
        "optimal_gap": trace.objective - best,
        "frank_wolfe_gap": trace.frank_wolfe_gap,
    }
    plain = lambda value: float(value) if math.isfinite(value) else None
    return {name: [plain(v) for v in column[places]] for name, column in columns.items()}
