"""The risk problems of row 6: measures with their settings, and the solvers that can take them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from wolfnest import datasets
from wolfnest.problems import risk
from wolfnest_benchmarks import apart


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


def find(title: str) -> Case:
    return next(case for case in CASES if case.title == title)


def scenarios(rows: int, assets: int) -> np.ndarray:
    """Heavy-tailed returns in percent."""
    return datasets.factor_model(rows, assets, seed=1).values


def exact_value(case: Case, table: np.ndarray, weights: np.ndarray) -> float:
    """`-E r·x + ρ(x)` without smoothing, at weights that are made feasible."""
    weights = np.maximum(weights, 0)
    weights = weights / weights.sum()
    rho = risk.evaluate(case.measure, table, weights, **case.settings)
    return float(-(table @ weights).mean() + rho)


def peer(case: Case, rows: int, assets: int, solver: str) -> apart.Answer:
    """One solver through CVXPY, on the exact (not smoothed) problem; processor time."""
    import cvxpy

    table = scenarios(rows, assets)
    x = cvxpy.Variable(assets, nonneg=True)
    objective = -table.mean(axis=0) @ x + _model(cvxpy, case, table, x)
    budget: Any = cvxpy.sum(x) == 1
    program = cvxpy.Problem(cvxpy.Minimize(objective), [budget])
    start = time.process_time()
    program.solve(solver=solver)
    seconds = time.process_time() - start
    value = exact_value(case, table, np.asarray(x.value, dtype=float))
    return {"seconds": seconds, "value": value, "status": program.status}


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


if __name__ == "__main__":
    asked = apart.question()
    apart.tell(peer(find(asked["case"]), asked["rows"], asked["assets"], asked["solver"]))
