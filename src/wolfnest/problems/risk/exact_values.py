"""What holds for a measure itself, not for its smooth stand-in: ρ, and how far a point is from the
minimum."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from wolfnest.common import pytrees
from wolfnest.datasets.returns import Returns
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.measures import error_bound, known, measure, named, portfolio, resolved
from wolfnest.problems.risk.returns_table import ReturnsLike, as_table, moments, multiples
from wolfnest.problems.risk.terms import costs_of, risk_of, with_risk
from wolfnest.sets.tools.arrays import vector

BLOCK = 1 << 16  # rows that are converted to double precision in one go
# Not smoothed: these objectives lie above their tangents, and nothing more is known of them.
PLAIN = ("variance", "entropic", "log-utility")
ROUNDING = 16  # units in the last place that sums over data may lose


def evaluate(
    name: str, returns: ReturnsLike, weights: Any, scenario_weights: Any = None, **settings: Any
) -> float:
    """`ρ(x)` at `x = weights`: neither smoothed nor multiplied by `risk`.

    Settings that only smooth are accepted and change nothing.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> sample, equal = datasets.factor_model(1000, 5), [0.2] * 5
    >>> [round(risk.evaluate(name, sample, equal), 3) for name in ("deviation", "cvar")]
    [1.154, 2.419]
    """
    own, chosen = measure(name).exact, known(name, settings)
    values = returns.values if isinstance(returns, Returns) else returns
    values = np.asarray(values)
    if values.ndim != 2 or values.dtype.kind != "f":
        as_table(returns)  # says what is wrong with what is no table
        values = values.astype(float)
    x = np.asarray(vector("weights", weights))
    if x.size != values.shape[1]:
        raise ValueError(
            f"weights must be {values.shape[1]} numbers, one per column of returns, got {x.size}."
        )
    gain = _gains(values, x)
    if not np.all(np.isfinite(gain)):
        as_table(returns)  # names the entry that is not finite
    scaled = multiples(scenario_weights, len(gain))
    p = np.full(len(gain), 1 / len(gain)) if scaled is None else scaled / len(gain)
    chosen = resolved(chosen, returns, values, p)
    counted = p > 0  # a scenario of no weight is none: the worst one is not the worst
    if "benchmark" in chosen:
        chosen = chosen | {"benchmark": chosen["benchmark"][counted]}
    return float(own(gain[counted], p[counted], **named(own, chosen)))


def scale(returns: ReturnsLike, scenario_weights: Any = None) -> float:
    """The unit of smoothing and of thresholds: the standard deviation of equal weights.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> round(risk.scale(datasets.factor_model(1000, 5)), 3)
    1.154
    """
    table = as_table(returns)
    weights = multiples(scenario_weights, table.shape[0])
    return float(moments(table, weights).scale)


def _gains(values: np.ndarray, x: np.ndarray) -> np.ndarray:
    blocks = range(0, len(values), BLOCK)
    return np.concatenate([values[begin : begin + BLOCK].astype(float) @ x for begin in blocks])


def exact_gap(
    name: str,
    returns: ReturnsLike,
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
