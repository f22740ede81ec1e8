"""The worst mean over distributions near the sample: KL balls (EVaR is one) and χ² balls."""

from __future__ import annotations

import math
from typing import Any, Unpack

import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp
from jax.tree_util import Partial
from jaxtyping import Array, PyTree

from wolfnest.common import checks
from wolfnest.common.pytrees import inner
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.common_options import Common, Scenarios, prepare, within
from wolfnest.problems.risk.returns_table import Moments, ReturnsLike
from wolfnest.problems.risk.smooth_functions import exponential
from wolfnest.problems.risk.terms import Net, RiskWeight, Scalar, Scenario, split, weighed
from wolfnest.problems.risk.threshold_boxes import box, losses, most, with_threshold
from wolfnest.problems.risk.variances import root_bound
from wolfnest.sets.box import Box

MOST_EXPONENT = 80.0  # exp of more is infinite in float32; lighter scenarios do not count


def kl_robust(
    returns: ReturnsLike,
    risk: Any = 1.0,
    *,
    radius: Any = 0.1,
    smoothing: Any = 0.01,
    **common: Unpack[Common],
) -> Problem:
    """Minimise `-E r·x + λ sup {E_Q[-r·x] : KL(Q, P) ≤ κ}`, `κ = radius`; K = 1.

    The dual is `min η + t (E exp((L - η)/t) - 1 + κ)` over η and t > 0, which is convex in all
    variables together. A point is a dict of `weights`, `threshold` `q` and `temperature` `v`, in
    units of the scale, `η = σ q` and `t = σ v`:

        f_1(x, q, v) = -E r·x + λ σ (q + v (E exp((-r·x/σ - q)/v) - 1 + κ))

    Exponents are continued linearly beyond `log(1/p)`, `p` the smallest weight of a scenario: no
    density exceeds `1/p`, so that no minimum changes. Temperatures begin at `smoothing`; the slope
    in `t` is at most κ, so that the risk is too large by at most `κ · smoothing · scale`.

    The best η lies between `E L` and the risk, and the best t between 0 and `(risk - E L)/κ`. Of
    both, the boxes are the ranges over the set.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> problem = risk.kl_robust(datasets.factor_model(1000, 5), radius=0.05)
    >>> sorted(problem.start())
    ['temperature', 'threshold', 'weights']
    """
    kappa = checks.positive("radius", radius)
    return _kl_ball(prepare(returns, risk, **common), kappa, smoothing)


def evar(
    returns: ReturnsLike,
    risk: Any = 1.0,
    *,
    level: Any = 0.95,
    smoothing: Any = 0.01,
    **common: Unpack[Common],
) -> Problem:
    """Minimise `-E r·x + λ EVaR_α(-r·x)`, `min_t t log(E exp(L/t)/(1 - α))` over t > 0; K = 1.

    This is `kl_robust` with `κ = log(1/(1 - α))`, `α = level`: the same levels, boxes and bound.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> len(risk.evar(datasets.factor_model(1000, 5), level=0.9).levels)
    1
    """
    return _kl_ball(prepare(returns, risk, **common), entropy(level), smoothing)


def chi2_robust(
    returns: ReturnsLike,
    risk: Any = 1.0,
    *,
    radius: Any = 0.1,
    smoothing: Any = 0.001,
    **common: Unpack[Common],
) -> Problem:
    """Minimise `-E r·x + λ sup {E_Q[-r·x] : E(dQ/dP - 1)² ≤ ϱ}`, `ϱ = radius`; K = 2.

    The dual is `min_η η + √((1 + ϱ) E max(L - η, 0)²)`. A point is a dict of `weights` and a
    `threshold` `q` in units of the scale, `η = σ q`:

        f_1(x, q) = (E r·x, q, E max(-r·x/σ - q, 0)²)
        f_2(z) = -z_1 + λ σ (z_2 + √((1 + ϱ) (max(z_3, 0) + s²)))

    with `s = smoothing`; too large by at most `√(1 + ϱ) · s · σ`. The best η lies between
    `E L - σ(L)/√ϱ` and the risk, which is at most `E L + σ(L) √ϱ`: that is the box.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> len(risk.chi2_robust(datasets.factor_model(1000, 5)).levels)
    2
    """
    scenes = prepare(returns, risk, **common)
    radius = checks.positive("radius", radius)
    smooth, scale = scenes.smoothing(smoothing)
    low, high = losses(scenes, radius**-0.5, radius**0.5)
    levels = [
        Level(Partial(_gain_and_square, scenes.net, scale), data=scenes.data),
        Level(Partial(_minus_chi2, scenes.risk, scenes.number(1 + radius), smooth, scale)),
    ]
    domain = with_threshold(scenes.domain, threshold=box(low / scale, high / scale))
    return Problem(levels, domain, convex=True)


def tilted(problem: Problem, heat: Scalar) -> tuple[Scalar, Scalar]:
    """For `kl_robust` of one asset at a temperature: the divergence of the tilted distribution as
    a share of κ, which is 1 at the best temperature, and the best threshold `t log E exp(L/t)`."""
    level: Any = problem.levels[0]
    _, _, kappa, _, scale = level.fn.args  # as `_kl_ball` has them
    gains, weights = split(level.data)
    exponents = -gains[:, 0] / (scale * heat)
    total = logsumexp(exponents, b=weights)
    density = jnp.exp(exponents - total)
    if weights is not None:  # one that is not counted may be infinite
        density = jnp.where(weights > 0, weights * density, 0)
    moment = total - jnp.log(float(len(gains)))
    return (jnp.vdot(density, exponents) - moment) / kappa, heat * moment


def entropy(level: Any) -> Any:
    """`κ` of EVaR."""
    tail = 1 - within("level", level, 0, 1)
    return jnp.log(1 / tail) if checks.is_traced(tail) else math.log(1 / tail)


def kl_bound(scenes: Scenarios, radius: Any, smoothing: Any) -> Array:
    smooth, scale = scenes.smoothing(smoothing)
    return scenes.number(checks.positive("radius", radius)) * smooth * scale


def evar_bound(scenes: Scenarios, level: Any, smoothing: Any) -> Array:
    return kl_bound(scenes, entropy(level), smoothing)


def chi2_bound(scenes: Scenarios, radius: Any, smoothing: Any) -> Array:
    factor = scenes.number(1 + checks.positive("radius", radius))
    return jnp.sqrt(factor) * root_bound(scenes, smoothing)


def _kl_ball(scenes: Scenarios, kappa: Any, smoothing: Any) -> Problem:
    smooth, scale = scenes.smoothing(smoothing)
    kappa = scenes.number(kappa)
    known = scenes.moments()
    up, down = _centred_risks(scenes.table, scenes.weights, known, kappa)
    above = most(scenes.domain, up - known.mean, down + known.mean)
    hottest = most(scenes.domain, up, down) / kappa
    low, _ = losses(scenes, 0.0, 0.0)
    exponent = scenes.number(_largest_exponent(scenes.table.shape[0], scenes.weights))
    fn = Partial(_kl, scenes.risk, scenes.net, kappa, exponent, scale)
    domain = with_threshold(
        scenes.domain,
        threshold=box(low / scale, above / scale),
        temperature=Box(smooth, jnp.maximum(1.01 * hottest / scale, 2 * smooth)),
    )
    return Problem([Level(fn, data=scenes.data)], domain, convex=True)


@jax.jit
def _centred_risks(table: Array, weights: Array | None, known: Moments, kappa: Scalar):
    """Upper bounds of `sup E_Q[L - E L]` for every asset, long and short: the value of the dual at
    the temperature that is best for normal returns."""
    heat = jnp.maximum(known.deviation / jnp.sqrt(2 * kappa), 1e-6 * known.scale)
    column = None if weights is None else weights[:, None]

    def risk(loss: Array) -> Array:
        spread = logsumexp(loss / heat, axis=0, b=column) - jnp.log(float(table.shape[0]))
        return heat * (spread + kappa)

    return risk(known.mean - table), risk(table - known.mean)


def _largest_exponent(rows: int, weights: Array | None) -> Any:
    """`log(1/p)` for the smallest positive weight p of a scenario."""
    if weights is None:
        return math.log(rows)
    smallest = jnp.min(jnp.where(weights > 0, weights, jnp.inf))
    return jnp.minimum(jnp.log(float(rows)) - jnp.log(smallest), MOST_EXPONENT)


def _kl(
    risk: RiskWeight,
    net: Net,
    kappa: Scalar,
    exponent: Scalar,
    scale: Scalar,
    point: PyTree,
    scenario: Scenario,
) -> Scalar:
    x, threshold, heat = point["weights"], point["threshold"], point["temperature"]
    r, w = split(scenario)
    gain = inner(r, x)
    tilted = weighed(w, exponential((-gain / scale - threshold) / heat, exponent))
    worst = scale * (threshold + heat * (tilted + kappa))
    return -net(weighed(w, gain), x) + risk.value * worst


def _gain_and_square(
    net: Net, scale: Scalar, point: PyTree, scenario: Scenario
) -> tuple[Scalar, Scalar, Scalar]:
    x, threshold = point["weights"], point["threshold"]
    r, w = split(scenario)
    gain = inner(r, x)
    square = jnp.square(jnp.maximum(-gain / scale - threshold, 0))
    return net(weighed(w, gain), x), threshold, weighed(w, square)


def _minus_chi2(
    risk: RiskWeight,
    factor: Scalar,
    smoothing: Scalar,
    scale: Scalar,
    z: tuple[Scalar, Scalar, Scalar],
) -> Scalar:
    net, threshold, square = z
    root = jnp.sqrt(factor * (jnp.maximum(square, 0) + smoothing**2))
    return -net + risk.value * scale * (threshold + root)
