"""Entropic risk, the tilted loss: the logarithm of an exponential moment."""

from __future__ import annotations

import math
from typing import Any, Unpack

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp
from jax.tree_util import Partial
from jaxtyping import Array

from wolfnest.common import checks
from wolfnest.common.pytrees import inner
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.common_options import Common, Scenarios, prepare
from wolfnest.problems.risk.returns_table import ReturnsLike
from wolfnest.problems.risk.smooth_functions import exponential, logarithm
from wolfnest.problems.risk.terms import Net, RiskWeight, Row, Scalar, Scenario, split, weighed
from wolfnest.problems.risk.threshold_boxes import most

# Exponents beyond this share of the largest are continued by tangents: products stay finite.
SHARE = 2 / 3


def entropic(
    returns: ReturnsLike, risk: Any = 1.0, *, theta: Any = 1.0, **common: Unpack[Common]
) -> Problem:
    """Minimise `-E r·x + λ (1/θ) log E exp(-θ r·x)`, `θ = theta > 0` per unit of return; K = 2.

        f_1(x) = (E r·x, E exp(θ (-r·x - c)) - 1),    f_2(z) = -z_1 + λ (c + log(1 + z_2)/θ)

    The shift `c` is the least `E L` over the set, or the entropic risk of the set's starting point
    less `8/θ` (`18/θ` in float64) where that is larger. It keeps the numbers in range, with a guard
    on either side:

    - exponents above 59 (473 in float64) are continued linearly, so that a portfolio at which this
      happens to a scenario looks less risky than it is;
    - where `log(1 + z_2)` is below -8 (-18), or below what is possible, the logarithm is, too. A
      portfolio whose risk is less than that of the start by more than `16/θ` (`36/θ`) looks more
      risky than it is. Estimates of `z_2` can also come there.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> len(risk.entropic(datasets.factor_model(1000, 5), theta=0.5).levels)
    2
    """
    scenes = prepare(returns, risk, **common)
    tilt, _ = _tilt(scenes, theta)
    levels = [
        Level(Partial(_gain_and_tilted, scenes.net, tilt), data=scenes.data),
        Level(Partial(_minus_entropic, scenes.risk, tilt)),
    ]
    return Problem(levels, scenes.domain, convex=True)


class _Tilt(eqx.Module):
    theta: Scalar
    shift: Scalar
    most: Scalar  # exponent, from which on exp is continued
    least: Scalar  # z_2, below which log is continued


def _tilt(scenes: Scenarios, theta: Any) -> tuple[_Tilt, Scalar]:
    """The parameters of the levels, and the least `E L`."""
    theta = scenes.number(checks.positive("theta", theta))
    gains = scenes.table @ scenes.domain.start(scenes.table.dtype)
    mean = scenes.moments().mean
    best = -jnp.vdot(mean, scenes.domain.lmo(-mean))
    limits = jnp.finfo(scenes.table.dtype)
    room = -math.log(float(limits.eps)) / 2
    shift = jnp.maximum(best, _entropic(-gains, theta, scenes.weights) - room / theta)
    least = jnp.expm1(jnp.maximum(theta * (best - shift), -room))
    return _Tilt(theta, shift, scenes.number(SHARE * math.log(float(limits.max))), least), best


@jax.jit
def _entropic(loss: Array, theta: Scalar, weights: Array | None) -> Scalar:
    return (logsumexp(theta * loss, b=weights) - jnp.log(float(loss.size))) / theta


def entropic_bound(scenes: Scenarios, theta: Any) -> Array:
    """What the continuations can change, usually 0: `(a - log(1 + a))/θ` for exponents that pass
    the upper limit by a, and `(b - 1 + exp(-b))/θ` for logarithms that pass the lower one by b."""
    tilt, best = _tilt(scenes, theta)
    worst = most(scenes.domain, jnp.max(-scenes.table, axis=0), jnp.max(scenes.table, axis=0))
    above = jnp.maximum(tilt.theta * (worst - tilt.shift) - tilt.most, 0)
    below = jnp.maximum(jnp.log1p(tilt.least) - tilt.theta * (best - tilt.shift), 0)
    return jnp.maximum(above - jnp.log1p(above), below + jnp.expm1(-below)) / tilt.theta


def _gain_and_tilted(net: Net, tilt: _Tilt, x: Row, scenario: Scenario) -> tuple[Scalar, Scalar]:
    r, w = split(scenario)
    gain = inner(r, x)
    tilted = exponential(tilt.theta * (-gain - tilt.shift), tilt.most)
    return net(weighed(w, gain), x), weighed(w, tilted)


def _minus_entropic(risk: RiskWeight, tilt: _Tilt, z: tuple[Scalar, Scalar]) -> Scalar:
    return -z[0] + risk.value * (tilt.shift + logarithm(z[1], tilt.least) / tilt.theta)
