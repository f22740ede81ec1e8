"""Measures of the tail with a threshold beside the weights: CVaR and expectiles."""

from __future__ import annotations

from typing import Any, Unpack

from jax.tree_util import Partial
from jaxtyping import Array, PyTree

from wolfnest.common.pytrees import inner
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.common_options import Common, Scenarios, prepare, within
from wolfnest.problems.risk.returns_table import ReturnsLike
from wolfnest.problems.risk.smooth_functions import positive_part
from wolfnest.problems.risk.terms import Net, RiskWeight, Scalar, Scenario, split, weighed
from wolfnest.problems.risk.threshold_boxes import box, losses, with_threshold


def cvar(
    returns: ReturnsLike,
    risk: Any = 1.0,
    *,
    level: Any = 0.95,
    smoothing: Any = 0.02,
    **common: Unpack[Common],
) -> Problem:
    """Minimise `-E r·x + λ CVaR_α(-r·x)`, the mean of the worst `1 - α` of the losses; K = 1.

    Rockafellar and Uryasev: `CVaR_α(L) = min_τ τ + E max(L - τ, 0)/(1 - α)`. A point is a dict of
    `weights` and a `threshold` `q` in units of the scale, `τ = σ q`:

        f_1(x, q) = -E r·x + λ (σ q + E h(-r·x - σ q)/(1 - α))

    with `h = positive_part` of width `s = smoothing · scale`; too large by at most `s/(4 (1 - α))`.

    The best τ is a quantile of the loss. It lies between the mean of the lower α of the losses,
    which is at least `E L - σ(L) √((1-α)/α)`, and CVaR, which is at most `E L + σ(L) √(α/(1-α))`
    (Cantelli). The box is the range of these bounds over the set.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> problem = risk.cvar(datasets.factor_model(1000, 5), level=0.9)
    >>> problem
    Problem(1 level: finite-sum(1000), over Product, convex, float32)
    >>> sorted(problem.start()), risk.portfolio(problem, problem.start()).shape
    (['threshold', 'weights'], (5,))
    """
    scenes = prepare(returns, risk, **common)
    level = within("level", level, 0, 1)
    smooth, scale = scenes.smoothing(smoothing)
    tail = 1 - level
    low, high = losses(scenes, (tail / level) ** 0.5, (level / tail) ** 0.5)
    fn = Partial(_cvar, scenes.risk, scenes.net, scenes.number(tail), smooth * scale, scale)
    domain = with_threshold(scenes.domain, threshold=box(low / scale, high / scale))
    return Problem([Level(fn, data=scenes.data)], domain, convex=True)


def expectile(
    returns: ReturnsLike,
    risk: Any = 1.0,
    *,
    level: Any = 0.95,
    smoothing: Any = 0.1,
    **common: Unpack[Common],
) -> Problem:
    """Minimise `-E r·x + λ e_α(-r·x)`, `1/2 < α < 1`; K = 2.

    The expectile `e` of a loss solves `e = E L + β E max(L - e, 0)`, `β = (2α - 1)/(1 - α)`. The
    right side falls with `e`, so that `e_α(L) = min_e max(e, E L + β E max(L - e, 0))`, which is
    convex in weights and `e` together. With a `threshold` `q` in units of the scale, `e = σ q`:

        f_1(x, q) = (E r·x, σ q, E[-r·x + β h(-r·x - σ q)])
        f_2(z) = -z_1 + λ (z_2 + k(z_3 - z_2))

    where `k` is `positive_part` of width `s = smoothing · scale` and `h` of width `s/√b`,
    `b = α/(1 - α) = 1 + β`: too large by at most `s (1 + β/√b)/4`. Costs and reward enter the first
    entry of f_1. The box is the range over the set of `E L` to `E L + σ(L) β/(2√b)`, which bounds
    expectiles.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> len(risk.expectile(datasets.factor_model(1000, 5), level=0.9).levels)
    2
    """
    scenes = prepare(returns, risk, **common)
    beta = excess(within("level", level, 0.5, 1))
    smooth, scale = scenes.smoothing(smoothing)
    width, root = smooth * scale, scenes.number((1 + beta) ** 0.5)
    low, high = losses(scenes, 0.0, beta / (2 * root))
    side = Partial(_both_sides, scenes.net, scenes.number(beta), width / root, scale)
    levels = [Level(side, data=scenes.data), Level(Partial(_larger, scenes.risk, width))]
    domain = with_threshold(scenes.domain, threshold=box(low / scale, high / scale))
    return Problem(levels, domain, convex=True)


def excess(level: Any) -> Any:
    """`β` of an expectile."""
    return (2 * level - 1) / (1 - level)


def cvar_bound(scenes: Scenarios, level: Any, smoothing: Any) -> Array:
    smooth, scale = scenes.smoothing(smoothing)
    return smooth * scale / (4 * (1 - within("level", level, 0, 1)))


def expectile_bound(scenes: Scenarios, level: Any, smoothing: Any) -> Array:
    smooth, scale = scenes.smoothing(smoothing)
    beta = excess(within("level", level, 0.5, 1))
    return smooth * scale * (1 + beta / (1 + beta) ** 0.5) / 4


def _cvar(
    risk: RiskWeight,
    net: Net,
    tail: Scalar,
    width: Scalar,
    scale: Scalar,
    point: PyTree,
    scenario: Scenario,
) -> Scalar:
    x, threshold = point["weights"], scale * point["threshold"]
    r, w = split(scenario)
    gain = inner(r, x)
    beyond = weighed(w, positive_part(-gain - threshold, width)) / tail
    return -net(weighed(w, gain), x) + risk.value * (threshold + beyond)


def _both_sides(
    net: Net, beta: Scalar, width: Scalar, scale: Scalar, point: PyTree, scenario: Scenario
) -> tuple[Scalar, Scalar, Scalar]:
    x, threshold = point["weights"], scale * point["threshold"]
    r, w = split(scenario)
    gain = inner(r, x)
    side = weighed(w, -gain + beta * positive_part(-gain - threshold, width))
    return net(weighed(w, gain), x), threshold, side


def _larger(risk: RiskWeight, width: Scalar, z: tuple[Scalar, Scalar, Scalar]) -> Scalar:
    net, threshold, side = z
    return -net + risk.value * (threshold + positive_part(side - threshold, width))
