"""How far a portfolio is from the minimum of the objective itself, not of the smoothed one."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from wolfnest.common import pytrees
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.evaluation import evaluate
from wolfnest.problems.risk.registry import error_bound, portfolio
from wolfnest.problems.risk.table import Table
from wolfnest.problems.risk.terms import costs_of, risk_of, with_risk

# Not smoothed: these objectives lie above their tangents, and nothing more is known of them.
PLAIN = ("variance", "entropic", "log-utility")
ROUNDING = 16  # units in the last place that sums over data may lose


def exact_gap(
    name: str,
    returns: Table,
    problem: Problem,
    x: PyTree,
    scenario_weights: Any = None,
    **settings: Any,
) -> float:
    """A bound on `F(x) - min F` for the exact objective F, at a point of its smoothed `problem`.

    `name`, `returns`, `scenario_weights` and the settings are those that the problem was made with
    (but for those that only smooth). The certificate of a run bounds the smoothed objective. That
    plus `error_bound` is the worst case; this is usually far less.

    Let `g` be the gradient of the smoothed objective at x. The exact objective is positively
    homogeneous in weights and extra variables, and smoothing keeps `g` among its subgradients at 0:
    `F(v) ≥ <g, v>` for all v. So `min F ≥ min <g, v>`, which the oracle finds. Costs and a
    benchmark add constants. Infinite for "entropic" where its guards can be reached.

    >>> from wolfnest import datasets, problems
    >>> from wolfnest.problems import risk
    >>> sample = datasets.factor_model(1000, 5)
    >>> tail = risk.problem("cvar", sample, risk=2.0)
    >>> best = problems.minimum(tail, tol=1e-5)
    >>> risk.exact_gap("cvar", sample, tail, best.x) < 2 * risk.error_bound("cvar", sample) / 20
    True
    """
    weights = np.asarray(portfolio(problem, x), float)
    rho = evaluate(name, returns, weights, scenario_weights, **settings)
    risk = float(risk_of(problem)) * rho
    without, value, here, least = (float(part) for part in _slopes(problem, problem.shaped(x)))
    more, rest = _charges(problem, weights)
    exact = without + more + risk
    if name == "entropic":
        given = {"domain": problem.domain, "scenario_weights": scenario_weights, **settings}
        if error_bound(name, returns, **given) > 0:
            return float("inf")  # where it is continued it need not be convex
    if name in PLAIN:
        lower = value - here + least
    elif name == "tracking-error":
        smoothed = value - without  # √(ρ² + s²), of which the slope is ρ/√(ρ² + s²) times that of ρ
        lower = without + (risk**2 / smoothed if smoothed > 0 else 0.0) - here + least
    else:
        lower = least + rest
    slack = ROUNDING * float(jnp.finfo(problem.dtype).eps) * (abs(exact) + abs(here) + abs(least))
    return max(exact - lower, 0.0) + slack


@eqx.filter_jit
def _slopes(problem: Problem, x: PyTree) -> tuple[Array, Array, Array, Array]:
    """The objective without risk, and with it; `<g, x>`, and the least `<g, v>`."""
    without = with_risk(problem, jnp.zeros((), problem.dtype)).value(x)
    value, g = problem.value_and_gradient(x)
    best = problem.domain.lmo(g)
    if isinstance(best, dict) and "temperature" in best:
        # The box begins at the smoothing, the exact objective at zero.
        cold = jnp.where(g["temperature"] > 0, 0, best["temperature"])
        best = {**best, "temperature": cold}
    return without, value, pytrees.dot(g, x), pytrees.dot(g, best)


def _charges(problem: Problem, weights: np.ndarray) -> tuple[float, float]:
    """Costs less smoothed ones `c`, and what the tangent of `c` at x has at zero, `c - <∇c, x>`."""
    costs = costs_of(problem)
    if costs is None:
        return 0.0, 0.0
    x = jnp.asarray(weights, problem.dtype)
    charged, slope = jax.value_and_grad(costs)(x)
    paid = np.asarray(costs.rates, float) @ np.abs(weights - np.asarray(costs.previous, float))
    return float(paid - charged), float(charged - jnp.vdot(slope, x))
