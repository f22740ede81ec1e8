"""The portfolio problems by a conic solver, through CVXPY, which is optional."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from wolfnest.datasets import Returns
from wolfnest.datasets.returns import optional
from wolfnest_reproduction.define.posing import Posed
from wolfnest_reproduction.run.exact import Row, row_of

REPEATS = 3


def _quadratic(cvxpy: Any, x: Any, root: np.ndarray, risk: float) -> Any:
    return risk * cvxpy.sum_squares(root.T @ x)


def _cone(cvxpy: Any, x: Any, root: np.ndarray, risk: float) -> Any:
    delta = 1e-6  # that of `mean_deviation`
    return risk * cvxpy.norm(cvxpy.hstack([root.T @ x, np.sqrt(delta)]), 2)


FORMS: dict[str, Callable[..., Any]] = {"mean_variance": _quadratic, "mean_deviation": _cone}


def conic(posed: Posed, returns: Returns, problem: str, arguments: Mapping[str, Any]) -> Row:
    """The problem as a quadratic or a second-order cone program in the moments of the returns."""
    try:
        cvxpy: Any = optional("cvxpy", "peers", "the conic baseline")
    except ImportError as error:
        nothing = dict.fromkeys(
            ("time", "solver_time", "objective", "optimal_gap", "frank_wolfe_gap"), math.nan
        )
        return {"solver": "CVXPY", **nothing, "iterations": None, "note": f"not run: {error}"}
    installed = cvxpy.installed_solvers()
    solver = "CLARABEL" if "CLARABEL" in installed else installed[0]

    def solve() -> tuple[np.ndarray, Any]:
        mean, covariance = returns.values.mean(0), np.cov(returns.values.T, bias=True)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0))
        x = cvxpy.Variable(len(mean), nonneg=True)
        risk = FORMS[problem](cvxpy, x, root, float(arguments.get("risk", 1.0)))
        program = cvxpy.Problem(cvxpy.Minimize(-mean @ x + risk), [cvxpy.sum(x) == 1])
        program.solve(solver=solver)
        return np.asarray(x.value), program.solver_stats

    weights, stats = solve()  # the first one loads what it needs
    totals, alone = [], []
    for _ in range(REPEATS):
        start = time.perf_counter()
        weights, stats = solve()
        totals.append(time.perf_counter() - start)
        alone.append(float(stats.solve_time or math.nan))
    weights = np.maximum(weights, 0)
    return row_of(
        posed,
        posed.problem.point(weights / weights.sum()),
        solver=f"CVXPY ({solver})",
        time=statistics.median(totals),
        solver_time=statistics.median(alone),
        iterations=int(stats.num_iters or 0) or None,
        note="with mean and covariance of the returns, which are computed in this time",
    )
