"""What there is to do without sampling: Frank-Wolfe on full gradients, and a conic solver."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from wolfnest import metrics
from wolfnest.datasets import Returns
from wolfnest.datasets.returns import optional
from wolfnest.interop import conic
from wolfnest.methods import method
from wolfnest.running.solve import solve
from wolfnest.solution import Trace
from wolfnest_reproduction.define.posing import Posed

TOLERANCE = 1e-6
MOST_ITERATIONS = 1_000
CURVE = 60  # points of a curve, at most
REPEATS = 3  # of a conic solver, of which the median is the time
METHODS = {"FW": "exact Frank-Wolfe", "PFW": "pairwise Frank-Wolfe"}
MODELS = {"mean_variance": conic.mean_variance, "mean_deviation": conic.mean_deviation}
Row = dict[str, Any]


def frank_wolfe(posed: Posed, name: str = "FW") -> Row:
    """Full gradients and a line search, until the value is within `TOLERANCE` of the minimum
    (relative), or where that is unknown, the Frank-Wolfe gap of the first one."""
    known = math.isfinite(posed.best)
    criteria = ("objective", "frank_wolfe_gap") if known else ("frank_wolfe_gap",)
    first = float(metrics.frank_wolfe_gap(posed.problem, posed.x0))
    target = posed.best + TOLERANCE * abs(posed.best) if known else TOLERANCE * first
    found = solve(
        posed.problem,
        method(name, step="secant"),
        posed.x0,
        steps=MOST_ITERATIONS,
        tol=target,
        criterion=criteria,
        record_every=1,
        progress=False,
    )
    what = "the optimal gap" if known else "the Frank-Wolfe gap"
    ending = f"{what} is below {TOLERANCE:g} (relative)"
    if found.status != "converged":
        ending = f"stopped after {MOST_ITERATIONS:,} iterations"
    return _row(
        posed,
        found.x,
        solver=METHODS[name],
        time=found.seconds,
        iterations=found.steps,
        note=ending,
        curve=_curve(found.trace, posed.best),
    )


def conic_solver(posed: Posed, returns: Returns, problem: str, arguments: Mapping[str, Any]) -> Row:
    """The problem as a quadratic or a second-order cone program in the moments of the returns."""
    try:
        cvxpy: Any = optional("cvxpy", "conic", "the conic baseline")
    except ImportError as error:
        return {
            **dict.fromkeys(("time", "solver_time", "objective"), math.nan),
            **dict.fromkeys(("optimal_gap", "frank_wolfe_gap"), math.nan),
            "solver": "CVXPY",
            "iterations": None,
            "note": f"not run: {error}",
        }
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
    return _row(
        posed,
        posed.problem.point(weights / weights.sum()),
        solver=f"CVXPY ({solver})",
        time=statistics.median(totals),
        solver_time=statistics.median(alone),
        iterations=int(stats.num_iters or 0) or None,
        note="with mean and covariance of the returns, which are computed in this time",
    )


def _row(posed: Posed, x: Any, **facts: Any) -> Row:
    """The criteria at a solution, beside what is known about how it was found."""
    objective = float(posed.problem.value(x))
    return {
        "solver_time": math.nan,
        "iterations": None,
        "note": "",
        "objective": objective,
        "optimal_gap": objective - posed.best,
        "frank_wolfe_gap": float(metrics.frank_wolfe_gap(posed.problem, x)),
        **facts,
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
