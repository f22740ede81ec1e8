"""The measures by name: their problems, their settings, and the bounds on what smoothing adds."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Array, Float, PyTree

from wolfnest.common import checks
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk import deviations, entropic_risk, growth, robust, tails, variances
from wolfnest.problems.risk import exact_formulas as exact
from wolfnest.problems.risk.common_options import Scenarios, cost_rates, cost_width, prepare
from wolfnest.problems.risk.returns_table import ReturnsLike
from wolfnest.sets.base import AbstractSet
from wolfnest.sets.product import Product


@dataclasses.dataclass(frozen=True)
class RiskMeasure:
    """`make` builds the problem, `exact` is ρ of gains and probabilities, `bound` says how far
    smoothing may be off. The latter two take those of the settings that they name."""

    make: Callable[..., Problem]
    exact: Callable[..., float]
    bound: Callable[..., Any]


def _unsmoothed(scenes: Scenarios) -> float:
    return 0.0


MEASURES: dict[str, RiskMeasure] = {
    "variance": RiskMeasure(variances.variance, exact.variance, _unsmoothed),
    "deviation": RiskMeasure(variances.deviation, exact.deviation, variances.root_bound),
    "semideviation": RiskMeasure(
        deviations.semideviation, exact.semideviation, deviations.semideviation_bound
    ),
    "absolute-deviation": RiskMeasure(
        deviations.absolute_deviation, exact.absolute_deviation, deviations.absolute_bound
    ),
    "cvar": RiskMeasure(tails.cvar, exact.cvar, tails.cvar_bound),
    "entropic": RiskMeasure(entropic_risk.entropic, exact.entropic, entropic_risk.entropic_bound),
    "evar": RiskMeasure(robust.evar, exact.evar, robust.evar_bound),
    "expectile": RiskMeasure(tails.expectile, exact.expectile, tails.expectile_bound),
    "kl-robust": RiskMeasure(robust.kl_robust, exact.kl_robust, robust.kl_bound),
    "chi2-robust": RiskMeasure(robust.chi2_robust, exact.chi2_robust, robust.chi2_bound),
    "log-utility": RiskMeasure(growth.log_utility, exact.growth_drag, growth.growth_bound),
    "tracking-error": RiskMeasure(
        variances.tracking_error, exact.tracking_error, variances.root_bound
    ),
}


def names() -> tuple[str, ...]:
    """The names of all measures.

    >>> names()[:4]
    ('variance', 'deviation', 'semideviation', 'absolute-deviation')
    """
    return tuple(MEASURES)


def settings(name: str) -> dict[str, Any]:
    """The settings that a measure has of its own, with their defaults.

    >>> settings("cvar")
    {'level': 0.95, 'smoothing': 0.02}
    """
    options = inspect.signature(measure(name).make).parameters.values()
    return {p.name: p.default for p in options if p.kind is inspect.Parameter.KEYWORD_ONLY}


def problem(
    name: str,
    returns: ReturnsLike,
    *,
    risk: Any = 1.0,
    domain: AbstractSet | None = None,
    scenario_weights: Any = None,
    costs: Any = None,
    previous: Any = None,
    reward: Any = 1.0,
    cost_smoothing: Any = None,
    **settings: Any,
) -> Problem:
    """Minimise `-reward · E r·x + risk · ρ(x) + Σ c_i |x_i - previous_i|` over `domain`.

    `name` is one of `names()`, `settings` are those of `settings(name)`, the other options those of
    `Common`. `returns` is a table of `T` periods by `d` assets: an array, `Returns` or a data
    frame. Other values of anything but `order`, and other data of the same shape, compile nothing
    anew.

    >>> from wolfnest import datasets, problems
    >>> from wolfnest.problems import risk
    >>> sample = datasets.factor_model(1000, 5)
    >>> careful = risk.problem("semideviation", sample, risk=5.0, order=2)
    >>> [round(float(weight), 2) for weight in problems.minimum(careful).x]
    [0.54, 0.12, 0.09, 0.17, 0.09]
    """
    return measure(name).make(
        returns,
        risk,
        domain=domain,
        scenario_weights=scenario_weights,
        costs=costs,
        previous=previous,
        reward=reward,
        cost_smoothing=cost_smoothing,
        **known(name, settings),
    )


def portfolio(problem: Problem | AbstractSet, x: PyTree) -> Float[Array, " d"]:
    """The weights in a point of a problem, or of its set; of points with leading axes, too.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> tail = risk.problem("cvar", datasets.factor_model(1000, 5))
    >>> print(risk.portfolio(tail, tail.start()))
    [0.2 0.2 0.2 0.2 0.2]
    """
    domain = problem.domain if isinstance(problem, Problem) else problem
    parts = domain.sets if isinstance(domain, Product) else None
    return x["weights"] if isinstance(parts, dict) and "weights" in parts else x


def error_bound(
    name: str,
    returns: ReturnsLike,
    *,
    risk: Any = 1.0,
    domain: AbstractSet | None = None,
    scenario_weights: Any = None,
    costs: Any = None,
    cost_smoothing: Any = None,
    **settings: Any,
) -> float:
    """How far the smoothed objective can be from the exact one, at any portfolio of the set.

    By default per unit of `risk` and without costs: `|ρ_smoothed - ρ|`, after extra variables have
    been minimised over. Infinite for "log-utility" where a portfolio of the set can fall below the
    floor. Every function of a measure says where its bound comes from.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> sample = datasets.factor_model(1000, 5)
    >>> round(risk.error_bound("cvar", sample, level=0.95, smoothing=0.01), 4)
    0.0577
    """
    scenes = prepare(returns, risk, domain=domain, scenario_weights=scenario_weights)
    bound = measure(name).bound
    chosen = resolved(known(name, settings), returns, scenes.table, scenes.weights)
    total = float(scenes.risk.value) * float(bound(scenes, **named(bound, chosen)))
    if costs is not None:
        dim = scenes.table.shape[1]
        total += float(np.sum(cost_rates(costs, dim)) * cost_width(cost_smoothing, dim) / 2)
    return total


def measure(name: str) -> RiskMeasure:
    return MEASURES[checks.choice("the risk measure", name, names())]


def known(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """All settings of a measure, the given ones in place of their defaults."""
    own = settings(name)
    for setting in given:
        if setting not in own:
            has = f"its settings are {', '.join(own)}" if own else "it has none"
            raise ValueError(f"{name} has no setting {setting!r}: {has}.")
    return own | given


def named(fn: Callable[..., Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Those of the settings that a function names."""
    return {key: settings[key] for key in inspect.signature(fn).parameters if key in settings}


def resolved(
    settings: dict[str, Any], returns: ReturnsLike, table: Any, weights: Any
) -> dict[str, Any]:
    """Settings whose meaning depends on the returns: a unit, a benchmark."""
    if "unit" in settings:
        settings = settings | {"unit": growth.unit_of(returns, settings["unit"])}
    if "benchmark" in settings:
        path = variances.centred(settings["benchmark"], table, weights)
        settings = settings | {"benchmark": path}
    return settings
