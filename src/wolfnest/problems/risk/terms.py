"""What all objectives are made of: `-reward · E r·x + cost(x) + λ ρ(x)`, and one scenario of it."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from wolfnest.common import checks
from wolfnest.common.pytrees import inner
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.smooth_functions import absolute

Scalar = Float[Array, ""]
Row = Float[Array, " d"]
Scenario = Row | tuple[Row, Scalar]


class RiskWeight(eqx.Module):
    """`λ`, the first thing that the last level is given: `with_risk` finds it there."""

    value: Scalar


class TradingCosts(eqx.Module):
    """`Σ c_i |x_i - p_i|`, with `|t|` replaced by `t²/2ε` for `|t| < ε = width` and `|t| - ε/2`
    elsewhere: no trade costs nothing, and no cost is overstated or understated by more than
    `Σ c_i ε/2`."""

    rates: Row
    previous: Row
    width: Scalar

    def __call__(self, x: Row) -> Scalar:
        return jnp.vdot(self.rates, absolute(x - self.previous, self.width) - self.width / 2)


class Net(eqx.Module):
    """`reward · gain - cost(x)`: what is gained after costs. None leaves a part out."""

    reward: Scalar | None
    costs: TradingCosts | None

    def __call__(self, gain: Scalar, x: Row) -> Scalar:
        gain = gain if self.reward is None else self.reward * gain
        return gain if self.costs is None else gain - self.costs(x)


def split(scenario: Scenario) -> tuple[Row, Scalar | None]:
    """The returns of a scenario, and its weight as a multiple of 1/T; None where all are equal."""
    return scenario if isinstance(scenario, tuple) else (scenario, None)


def weighed(weight: Scalar | None, value: Scalar) -> Scalar:
    """The part of an expectation that one scenario contributes, times T."""
    return value if weight is None else weight * value


def gain_and_point(x: Row, scenario: Scenario) -> tuple[Scalar, Row]:
    """`f_1(x) = (E r·x, x)`, the first level of measures that look at the mean."""
    r, w = split(scenario)
    return weighed(w, inner(r, x)), x


def with_risk(problem: Problem, value: Any) -> Problem:
    """The same problem with `λ = value`: nothing is built or compiled anew.

    The value may be traced, so that a path over many weights is one compiled program.

    >>> import jax
    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> problem = risk.problem("deviation", datasets.factor_model(1000, 5), risk=0.5)
    >>> at = jax.jit(lambda value: risk.with_risk(problem, value).value(problem.start()))
    >>> bool(at(2.0) > at(1.0) > problem.value(problem.start()))
    True
    """
    risk_of(problem)
    weight = jnp.asarray(checks.non_negative("risk", value), problem.dtype)
    where = lambda p: p.composition.levels[-1].fn.args[0].value
    return eqx.tree_at(where, problem, weight)


def risk_of(problem: Problem) -> Scalar:
    """`λ` of a problem of this package; any other is refused."""
    first = _arguments(problem.levels[-1])[:1]
    if not first or not isinstance(first[0], RiskWeight):
        raise ValueError(
            "expected a problem of wolfnest.problems.risk, whose last level begins with the weight "
            f"of the risk, got {problem!r}. Make it with risk.problem(name, returns)."
        )
    return first[0].value


def costs_of(problem: Problem) -> TradingCosts | None:
    """The costs in a problem of this package."""
    nets = [a for level in problem.levels for a in _arguments(level) if isinstance(a, Net)]
    return nets[0].costs if nets else None


def _arguments(level: Level) -> tuple:
    return level.fn.args if isinstance(level.fn, jax.tree_util.Partial) else ()
