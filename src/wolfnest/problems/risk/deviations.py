"""Risk around the mean with a kink: semideviation of any order, and mean absolute deviation."""

from __future__ import annotations

from typing import Any, Unpack

import equinox as eqx
import jax.numpy as jnp
from jax.tree_util import Partial
from jaxtyping import Array

from wolfnest.common import checks
from wolfnest.common.pytrees import inner
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.common_options import Common, Scenarios, prepare
from wolfnest.problems.risk.returns_table import ReturnsLike
from wolfnest.problems.risk.smooth_functions import absolute, positive_part
from wolfnest.problems.risk.terms import (
    Net,
    RiskWeight,
    Row,
    Scalar,
    Scenario,
    gain_and_point,
    split,
    weighed,
)

MOST_ORDER = 10  # beyond it, powers of small numbers are lost in float32


def semideviation(
    returns: ReturnsLike,
    risk: Any = 1.0,
    *,
    order: Any = 2,
    smoothing: Any = 0.001,
    **common: Unpack[Common],
) -> Problem:
    """Minimise `-E r·x + λ (E max(E r·x - r·x, 0)^p)^(1/p)`; K = 3, or 2 for `p = order = 1`.

    With `h` for `positive_part` of width `s = smoothing · scale`, `σ` for the scale, and
    `f_1(x) = (E r·x, x)` always:

    - p = 1: `f_2(y) = -y_1 + λ E h(y_1 - r·y_2)`, too large by at most `s/4`;
    - p = 2: `f_2(y) = (y_1, E max(y_1 - r·y_2, 0)²/σ²)`, `f_3(z) = -z_1 + λ √(σ² z_2 + s²)`, too
      large by at most `s`;
    - other p: `f_2(y) = (y_1, E (h(y_1 - r·y_2)/σ)^p)`, `f_3(z) = -z_1 + λ (σ^p z_2 + s^p)^(1/p)`,
      too large by at most `5s/4`.

    Costs and reward make `reward · y_1 - cost(y_2)` of the first `y_1` in f_2.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> sample = datasets.factor_model(1000, 5)
    >>> [len(risk.semideviation(sample, order=p).levels) for p in (1, 2, 3)]
    [2, 3, 3]
    """
    scenes = prepare(returns, risk, **common)
    order = checked_order(order)
    smooth, scale = scenes.smoothing(smoothing)
    first = Level(gain_and_point, data=scenes.data)
    if order == 1:
        second = Partial(_plus_shortfall, scenes.risk, scenes.net, smooth * scale)
        levels = [first, Level(second, data=scenes.data)]
    else:
        power = _Power(scale, smooth, None if order == 2 else scenes.number(order))
        levels = [
            first,
            Level(Partial(_gain_and_shortfall, scenes.net, power), data=scenes.data),
            Level(Partial(_minus_root, scenes.risk, power)),
        ]
    return Problem(levels, scenes.domain, convex=True)


def absolute_deviation(
    returns: ReturnsLike, risk: Any = 1.0, *, smoothing: Any = 0.001, **common: Unpack[Common]
) -> Problem:
    """Minimise `-E r·x + λ E|r·x - E r·x|`; K = 2.

    `f_1(x) = (E r·x, x)` and `f_2(y) = -y_1 + λ E a(r·y_2 - y_1)`, where `a` is `absolute` of width
    `s = smoothing · scale`: too large by at most `s/2`. Costs and reward are those of
    `semideviation`.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> len(risk.absolute_deviation(datasets.factor_model(1000, 5)).levels)
    2
    """
    scenes = prepare(returns, risk, **common)
    smooth, scale = scenes.smoothing(smoothing)
    levels = [
        Level(gain_and_point, data=scenes.data),
        Level(Partial(_plus_absolute, scenes.risk, scenes.net, smooth * scale), data=scenes.data),
    ]
    return Problem(levels, scenes.domain, convex=True)


def checked_order(order: Any) -> float:
    """Orders are static: the level functions depend on them."""
    number = checks.finite("order", order)
    if not 1 <= number <= MOST_ORDER:
        raise ValueError(f"order must lie between 1 and {MOST_ORDER}, got {order!r}.")
    return number


def semideviation_bound(scenes: Scenarios, order: Any, smoothing: Any) -> Array:
    smooth, scale = scenes.smoothing(smoothing)
    order = checked_order(order)
    # ||h||_p ≤ ||max(t, 0)||_p + s/4 by Minkowski, and (a^p + s^p)^(1/p) ≤ a + s.
    return smooth * scale * {1.0: 0.25, 2.0: 1.0}.get(order, 1.25)


def absolute_bound(scenes: Scenarios, smoothing: Any) -> Array:
    smooth, scale = scenes.smoothing(smoothing)
    return smooth * scale / 2


class _Power(eqx.Module):
    """`t^p` and its inverse in units of the scale; for p = 2 (order None) nothing is smoothed."""

    scale: Scalar
    smoothing: Scalar
    order: Scalar | None

    def of(self, t: Scalar) -> Scalar:
        if self.order is None:
            return jnp.square(jnp.maximum(t / self.scale, 0))
        return positive_part(t / self.scale, self.smoothing) ** self.order

    def root(self, z: Scalar) -> Scalar:
        z = jnp.maximum(z, 0)  # an estimate can be negative
        if self.order is None:
            return self.scale * jnp.sqrt(z + self.smoothing**2)
        return self.scale * (z + self.smoothing**self.order) ** (1 / self.order)


def _plus_shortfall(
    risk: RiskWeight, net: Net, width: Scalar, y: tuple[Scalar, Row], scenario: Scenario
) -> Scalar:
    gain, x = y
    r, w = split(scenario)
    return -net(gain, x) + risk.value * weighed(w, positive_part(gain - inner(r, x), width))


def _plus_absolute(
    risk: RiskWeight, net: Net, width: Scalar, y: tuple[Scalar, Row], scenario: Scenario
) -> Scalar:
    gain, x = y
    r, w = split(scenario)
    return -net(gain, x) + risk.value * weighed(w, absolute(inner(r, x) - gain, width))


def _gain_and_shortfall(
    net: Net, power: _Power, y: tuple[Scalar, Row], scenario: Scenario
) -> tuple[Scalar, Scalar]:
    gain, x = y
    r, w = split(scenario)
    return net(gain, x), weighed(w, power.of(gain - inner(r, x)))


def _minus_root(risk: RiskWeight, power: _Power, z: tuple[Scalar, Scalar]) -> Scalar:
    return -z[0] + risk.value * power.root(z[1])
