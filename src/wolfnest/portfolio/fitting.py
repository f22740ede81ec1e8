"""From a risk measure and limits to weights, with a certificate of how good they are."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from wolfnest import sets
from wolfnest.certificate import Certificate, certify
from wolfnest.estimators import Exact
from wolfnest.methods import method as method_of
from wolfnest.methods import settings as settings_of
from wolfnest.objective.problem import Problem
from wolfnest.portfolio.constraints import Constraints
from wolfnest.portfolio.weights_alone import full_point, in_weights
from wolfnest.problems import risk as measures
from wolfnest.problems.mean_risk import as_table
from wolfnest.running.solve import solve
from wolfnest.solution import Solution
from wolfnest.solver import Solver

EVERY = 10  # steps between looks at the gap; each costs an exact pass
LEAST = 1e-3  # of the deviation of equal weights: no objective counts as smaller
ROUNDING = 16  # units in the last place that no gap falls below


@dataclasses.dataclass(frozen=True)
class Task:
    """Minimise `-E r·x + λ ρ(x)` and costs, `λ = risk_aversion`; of an infinite one, `ρ` alone."""

    measure: str
    returns: Any
    risk_aversion: float = 1.0
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    scenario_weights: Any = None
    costs: Any = None
    previous: Any = None

    @property
    def weight(self) -> float:
        """λ, and 1 where risk alone counts."""
        return 1.0 if math.isinf(self.risk_aversion) else float(self.risk_aversion)

    def problem(self, domain: sets.AbstractSet) -> Problem:
        return measures.problem(
            self.measure,
            self.returns,
            risk=self.weight,
            domain=domain,
            scenario_weights=self.scenario_weights,
            costs=self.costs,
            previous=self.previous,
            **({"reward": 0.0} if math.isinf(self.risk_aversion) else {}),
            **self.settings,
        )

    def risk(self, weights: Any) -> float:
        """ρ itself, not smoothed."""
        given = {"scenario_weights": self.scenario_weights, **self.settings}
        return measures.evaluate(self.measure, self.returns, np.asarray(weights, float), **given)

    def objective(self, weights: np.ndarray) -> float:
        """What is asked for, not smoothed: `-E r·x + λ ρ(x)` and costs."""
        mean = 0.0 if math.isinf(self.risk_aversion) else float(self.means() @ weights)
        return self.weight * self.risk(weights) - mean + float(self.paid(weights))

    def paid(self, weights: np.ndarray) -> np.ndarray:
        """Costs, not smoothed, of portfolios along the last axis."""
        if self.costs is None:
            return np.zeros(weights.shape[:-1])
        traded = np.abs(weights - np.asarray(self.previous, float))
        return np.sum(np.asarray(self.costs, float) * traded, axis=-1)

    def gap(self, problem: Problem, x: Any) -> float:
        """How far that can be from its minimum over the set of its smoothed `problem`."""
        given = {"scenario_weights": self.scenario_weights, **self.settings}
        return measures.exact_gap(self.measure, self.returns, problem, x, **given)

    def means(self) -> np.ndarray:
        """`E r`, one per asset."""
        table = np.asarray(self.returns)
        if self.scenario_weights is None:
            return table.mean(0, dtype=float)
        weights = np.asarray(self.scenario_weights, table.dtype)
        return np.asarray(weights @ table, float) / float(weights.sum(dtype=float))


@dataclasses.dataclass(frozen=True)
class Fit:
    """Weights, what they achieve, and how far they can be from the best.

    `certificate` bounds the objective that was minimised (which is smoothed), `exact_gap` the one
    that was asked for; `smoothing` bounds the difference of the two, anywhere.
    """

    weights: np.ndarray
    mean: float
    risk: float
    certificate: Certificate
    exact_gap: float
    smoothing: float
    solution: Solution
    seconds: float

    @property
    def converged(self) -> bool:
        return self.solution.status == "converged"


def _named(method: str) -> Solver:
    """A method with a line search, if it has a choice of steps."""
    return method_of(method, **({"step": "secant"} if "step" in settings_of(method) else {}))


def fit(
    task: Task,
    constraints: Constraints,
    assets: Sequence[str],
    *,
    method: str | Solver | None = None,
    tol: float = 1e-4,
    max_steps: int = 5_000,
    progress: bool | None = False,
) -> Fit:
    """Solve a task to a gap of `tol`, relative to the size of its objective at the start; None is
    the automatic choice of a method.

    A cardinality takes two solutions: one over all portfolios of its convex hull, which bounds the
    minimum from below, and one with the assets that had the largest weights in it.
    """
    began = time.perf_counter()
    task = dataclasses.replace(task, returns=as_table(task.returns))
    solver = _named(method) if isinstance(method, str) else method

    def run(domain: sets.AbstractSet) -> tuple[Solution, Certificate, float]:
        problem = task.problem(domain)
        # Samples are drawn at the levels: a method that needs them gets the problem as it is. The
        # automatic choice does not: all data are there, and sets of portfolios have corners.
        exact = solver is None or isinstance(solver.estimator, Exact)
        alone = in_weights(problem) if exact else problem
        least = ROUNDING * float(jnp.finfo(problem.dtype).eps)
        found = solve(
            alone,
            solver,
            steps=max_steps,
            tol=max(tol, least) * size(task, domain),
            record_every=EVERY if exact else None,
            progress=progress,
        )
        bound, x = found.certificate, found.x
        if alone is not problem:  # what the search for a threshold may have missed counts as well
            x = full_point(problem, x)
            bound = certify(problem, x)
        if bound is None:
            bound = Certificate("duality gap", found.trace.objective[-1], math.inf, -math.inf)
        return dataclasses.replace(found, recorded=bound), bound, task.gap(problem, x)

    found, bound, gap = run(constraints.domain(assets))
    if constraints.cardinality is not None:
        lower, exact_lower = bound.lower, task.objective(weights_of(found)) - gap
        largest = np.argsort(-np.abs(weights_of(found)), kind="stable")
        held = np.isin(np.arange(len(assets)), largest[: constraints.cardinality])
        found, bound, _ = run(constraints.restricted(assets, held))
        # Of all portfolios with so few assets none lies below the minimum over their hull.
        lower = float(min(lower, bound.lower))
        bound = dataclasses.replace(bound, bound=float(bound.value) - lower, lower=lower)
        gap = task.objective(weights_of(found)) - exact_lower
    weights = weights_of(found)
    smoothing = measures.error_bound(
        task.measure,
        task.returns,
        risk=task.weight,
        domain=constraints.domain(assets),
        scenario_weights=task.scenario_weights,
        costs=task.costs,
        **task.settings,
    )
    return Fit(
        weights=weights,
        mean=float(task.means() @ weights),
        risk=task.risk(weights),
        certificate=bound,
        exact_gap=gap,
        smoothing=float(smoothing),
        solution=found,
        seconds=time.perf_counter() - began,
    )


def size(task: Task, domain: sets.AbstractSet) -> float:
    """The mean and `λ ρ` at the set's own point, both taken positive: what gaps are compared
    with, since the objective itself may be close to zero."""
    start = np.asarray(domain.start(), float)
    if not np.any(start):  # a set around zero
        start = np.full(start.shape, 1 / start.size)
    mean = float(np.abs(task.means()) @ np.abs(start))
    found = task.weight * abs(task.risk(start)) + (0.0 if math.isinf(task.risk_aversion) else mean)
    # Nor is the risk of that one point a measure, where it happens to be zero.
    unit = measures.scale(task.returns, task.scenario_weights)
    return max(found, LEAST * task.weight * (unit**2 if task.measure == "variance" else unit))


def weights_of(found: Solution) -> np.ndarray:
    return np.asarray(measures.portfolio(found.problem, found.x), float)
