"""From a risk measure and limits to weights, with a certificate of how good they are."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from wolfnest import sets
from wolfnest.certificate import Certificate, certify
from wolfnest.estimators import Exact
from wolfnest.methods import method as method_of
from wolfnest.methods import settings as settings_of
from wolfnest.portfolio.constraints import Constraints
from wolfnest.portfolio.mean_risk import MeanRisk
from wolfnest.portfolio.weights_alone import full_point, in_weights
from wolfnest.problems import risk as measures
from wolfnest.problems.risk.returns_table import as_table
from wolfnest.running.solve import solve
from wolfnest.solution import Solution
from wolfnest.solver import Solver

EVERY = 10  # steps between looks at the gap; each costs an exact pass
ROUNDING = 16  # units in the last place that no gap falls below


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


def _named(method: str) -> Solver:
    """A method with a line search, if it has a choice of steps."""
    return method_of(method, **({"step": "secant"} if "step" in settings_of(method) else {}))


def fit(
    task: MeanRisk,
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
            tol=max(tol, least) * task.size(domain),
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
        lower, exact_lower = bound.lower, task.value(weights_of(found)) - gap
        largest = np.argsort(-np.abs(weights_of(found)), kind="stable")
        held = np.isin(np.arange(len(assets)), largest[: constraints.cardinality])
        found, bound, _ = run(constraints.restricted(assets, held))
        # Of all portfolios with so few assets none lies below the minimum over their hull.
        lower = float(min(lower, bound.lower))
        bound = dataclasses.replace(bound, bound=float(bound.value) - lower, lower=lower)
        gap = task.value(weights_of(found)) - exact_lower
    weights = weights_of(found)
    return Fit(
        weights=weights,
        mean=float(task.means() @ weights),
        risk=task.risk(weights),
        certificate=bound,
        exact_gap=gap,
        smoothing=task.smoothing(constraints.domain(assets)),
        solution=found,
        seconds=time.perf_counter() - began,
    )


def weights_of(found: Solution) -> np.ndarray:
    return np.asarray(measures.portfolio(found.problem, found.x), float)
