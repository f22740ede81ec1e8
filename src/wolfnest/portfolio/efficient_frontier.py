"""The efficient frontier: one compiled run over many weights of risk, each from the last point."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from wolfnest import metrics, sets
from wolfnest.common import checks
from wolfnest.common.imports import optional
from wolfnest.directions import BlendedPairwise
from wolfnest.estimators import Exact
from wolfnest.iteration import Iteration
from wolfnest.objective.problem import Problem
from wolfnest.portfolio.fitting import ROUNDING
from wolfnest.portfolio.mean_risk import MeanRisk
from wolfnest.portfolio.reading.table_checks import Labels
from wolfnest.portfolio.weights_alone import in_weights, with_risk
from wolfnest.problems.risk.returns_table import as_table
from wolfnest.schedules.stage import Stage
from wolfnest.stepsizes import LineSearch

if TYPE_CHECKING:
    import pandas as pd

POINTS, DECADES = 25, 2.0
CAPACITY = 64
STAGE = Stage(steps=1, eta=1.0, alpha=1.0, batch=1)


@dataclasses.dataclass(frozen=True)
class Frontier:
    """Portfolios along a frontier, one row for each λ in `lambdas`.

    `mean` and `risk` are `E r·x`, less costs if there are some, and `ρ(x)`, exact; `gap` bounds how
    far the (smoothed) objective is from its minimum, `steps` is the number of steps it took.
    """

    measure: str
    assets: tuple[str, ...]
    lambdas: np.ndarray
    weights: np.ndarray
    mean: np.ndarray
    risk: np.ndarray
    gap: np.ndarray
    steps: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """A data frame with λ, mean, risk, gap and one column per asset (needs pandas)."""
        pandas = optional("pandas", "portfolio", "to_frame()")
        facts = {"lambda": self.lambdas, "mean": self.mean, "risk": self.risk, "gap": self.gap}
        weights = pandas.DataFrame(self.weights, columns=list(self.assets))
        return pandas.concat([pandas.DataFrame(facts), weights], axis=1)


def frontier(
    returns: Any,
    risk: str = "semideviation",
    lambdas: Any = None,
    *,
    domain: sets.AbstractSet | None = None,
    settings: Mapping[str, Any] | None = None,
    scenario_weights: Any = None,
    costs: Any = None,
    previous: Any = None,
    tol: float = 1e-4,
    steps: int = 1_000,
) -> Frontier:
    """Minimise `-E r·x + λ ρ(x)` and costs for every λ in `lambdas`, over `domain` (default: the
    simplex).

    The frontier is walked from the smallest λ to the largest in one compiled loop. Every λ starts
    at the point and with the vertices of the one before, and takes blended pairwise steps with a
    line search on exact gradients until the Frank-Wolfe gap is `tol` times the size of the
    objective, or `steps` of them. Other returns of the same shape, another measure's settings or
    other λ compile nothing anew. Without `lambdas`, 25 of them are spread over four decades around
    the ratio of the assets' mean returns to the risk of the first portfolio.

    >>> from wolfnest import datasets
    >>> found = frontier(datasets.factor_model(500, 4), "deviation", [0.01, 0.1, 1.0])
    >>> bool(np.all(np.diff(found.risk) <= 0) and np.all(np.diff(found.mean) <= 0))
    True
    """
    table = as_table(returns)
    assets = Labels.of(returns, table.shape[1]).assets
    domain = sets.Simplex(table.shape[1]) if domain is None else domain
    task = MeanRisk(risk, table, 1.0, dict(settings or {}), scenario_weights, costs, previous)
    start = np.asarray(domain.start(), float)
    means = task.means()
    given = _default(means, abs(task.risk(start))) if lambdas is None else _checked(lambdas)
    problem = in_weights(task.problem(domain))
    order = np.argsort(given, kind="stable")
    # Linear in λ.
    free, one = (dataclasses.replace(task, risk_aversion=n).size(domain) for n in (0, 1))
    sizes = free + given[order] * (one - free)
    least = ROUNDING * float(jnp.finfo(problem.dtype).eps)
    targets = max(float(checks.positive("tol", tol)), least) * sizes
    many = jnp.asarray(checks.whole("steps", steps), jnp.int32)
    walked = _walk(problem, given[order], targets, many)
    back = np.argsort(order, kind="stable")
    weights = np.asarray(walked.x, float)[back]
    return Frontier(
        measure=risk,
        assets=assets,
        lambdas=given,
        weights=weights,
        mean=weights @ means - task.paid(weights),
        risk=np.array([task.risk(row) for row in weights]),
        gap=np.maximum(np.asarray(walked.gap, float), 0)[back],
        steps=np.asarray(walked.steps)[back],
    )


class Walked(NamedTuple):
    """What a walk found at each λ, and whether the arrays for vertices were ever full."""

    x: Array
    gap: Array
    steps: Array
    full: Array


def _walk(problem: Problem, lambdas: Any, targets: Any, steps: Array) -> Walked:
    """The walk, again with larger arrays for vertices where they were too small."""
    dtype, capacity = problem.dtype, CAPACITY
    while True:
        args = (jnp.asarray(lambdas, dtype), jnp.asarray(targets, dtype), steps)
        walked = _compiled(problem, *args, capacity)
        if not bool(jnp.any(walked.full)):
            return walked
        capacity *= 2


@eqx.filter_jit
def _compiled(
    problem: Problem, lambdas: Array, targets: Array, steps: Array, capacity: int
) -> Walked:
    iteration = Iteration(Exact(), BlendedPairwise(capacity=capacity), LineSearch("secant"))

    def at(state: Any, here: tuple[Array, Array]) -> tuple[Any, Walked]:
        value, target = here
        one = with_risk(problem, value)
        # The point and its vertices stay, values and gradient are those of the new λ.
        state = iteration.begin_stage(one, state, restart=1)

        def unsure(loop: Any) -> Array:
            state, n, gap = loop
            return (gap > target) & (n < steps) & (state.active.count < capacity)

        def advance(loop: Any) -> Any:
            state, n, _ = loop
            ahead, info = iteration.step(one, state, None, STAGE)
            # The gap is that of the point before the step, and need not fall with it.
            there = info.gap <= target
            state = jax.tree.map(lambda new, old: jnp.where(there, old, new), ahead, state)
            return state, n + 1, info.gap.astype(target.dtype)

        infinite = jnp.full_like(target, jnp.inf)
        state, n, gap = jax.lax.while_loop(unsure, advance, (state, jnp.int32(0), infinite))
        full = (state.active.count >= capacity) & (gap > target) & (n < steps)
        gap = metrics.gap_of(one.domain, state.x, state.v)
        return state, Walked(state.x, gap, n, full)

    first = with_risk(problem, lambdas[0])
    state = iteration.init(first, problem.start())
    return jax.lax.scan(at, state, (lambdas, targets))[1]


def _checked(lambdas: Any) -> np.ndarray:
    try:
        values = np.atleast_1d(np.asarray(lambdas, float))
    except (TypeError, ValueError):
        values = np.zeros((0,))
    if values.ndim != 1 or not values.size or not np.all(np.isfinite(values) & (values >= 0)):
        raise ValueError(
            f"lambdas must be a list of finite numbers of at least 0, got {lambdas!r}."
        )
    return values


def _default(means: np.ndarray, risk: float) -> np.ndarray:
    ratio = (float(np.ptp(means)) or float(np.abs(means).max()) or 1.0) / (risk or 1.0)
    return ratio * np.logspace(-DECADES, DECADES, POINTS)
