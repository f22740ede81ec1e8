"""Variance, standard deviation, and the deviation from a benchmark (tracking error)."""

from __future__ import annotations

from typing import Any, Unpack

import jax.numpy as jnp
import numpy as np
from jax.tree_util import Partial
from jaxtyping import Array

from wolfnest.common.pytrees import inner
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.common_options import Common, Scenarios, prepare
from wolfnest.problems.risk.returns_table import ReturnsLike
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
from wolfnest.sets.tools.arrays import vector


def variance(returns: ReturnsLike, risk: Any = 1.0, **common: Unpack[Common]) -> Problem:
    """Minimise `-E r·x + λ Var(r·x)`; K = 2, not smoothed.

    `f_1(x) = (-E r·x, x)` and `f_2(y) = y_1 + λ E(r·y_2 + y_1)²`. The other options (`domain`,
    `costs`, …) are those of `Common`; a reward or costs replace `y_1` by `reward · y_1 + cost(y_2)`
    in the first term.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> risk.variance(datasets.factor_model(1000, 5), risk=0.2)
    Problem(2 levels: finite-sum(1000) → finite-sum(1000), over Simplex, convex, float32)
    """
    scenes = prepare(returns, risk, **common)
    levels = [
        Level(_loss, data=scenes.data),
        Level(Partial(_plus_variance, scenes.risk, scenes.net), data=scenes.data),
    ]
    return Problem(levels, scenes.domain, convex=True)


def deviation(
    returns: ReturnsLike, risk: Any = 1.0, *, smoothing: Any = 0.001, **common: Unpack[Common]
) -> Problem:
    """Minimise `-E r·x + λ √(Var(r·x) + s²)`; K = 3, `s = smoothing · scale`.

    `f_1(x) = (E r·x, x)`, `f_2(y) = (y_1, E(r·y_2 - y_1)²)` and
    `f_3(z) = -z_1 + λ √(max(z_2, 0) + s²)`; costs and reward make `reward · y_1 - cost(y_2)` of the
    first entry of f_2. Estimates of a variance can be negative: f_3 is flat there. The deviation is
    overstated by at most `s`.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> len(risk.deviation(datasets.factor_model(1000, 5), risk=0.2).levels)
    3
    """
    scenes = prepare(returns, risk, **common)
    return rooted(scenes, _squared(scenes, smoothing))


def tracking_error(
    returns: ReturnsLike,
    risk: Any = 1.0,
    *,
    benchmark: Any = None,
    smoothing: Any = 1e-4,
    **common: Unpack[Common],
) -> Problem:
    """Minimise `-E r·x + λ √(Var(r·x - b) + s²)`; K = 3, `s = smoothing · scale`.

    The `benchmark` is given by its return `b` in every period, or by its weights. The levels are
    those of `deviation` with `f_2(y) = (y_1, E(r·y_2 - b + E b - y_1)²)`, and so is the bound. By
    default there is less smoothing than there: who follows a benchmark is close to it.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> sample, index = datasets.factor_model(1000, 5), [0.2] * 5
    >>> problem = risk.tracking_error(sample, 100.0, benchmark=index)
    >>> print(risk.portfolio(problem, problem.start()), float(problem.value(index)) < 0.1)
    [0.2 0.2 0.2 0.2 0.2] True
    """
    scenes = prepare(returns, risk, **common)
    followed = scenes.number(centred(benchmark, scenes.table, scenes.weights))
    return rooted(scenes, _squared(scenes, smoothing), followed)


def rooted(scenes: Scenarios, delta: Any, benchmark: Array | None = None) -> Problem:
    """The three levels of `deviation`, with `δ = s²`."""
    if benchmark is None:
        square, data = _gain_and_square, scenes.data
    else:
        square, data = _gain_and_active, (scenes.data, benchmark)
    levels = [
        Level(gain_and_point, data=scenes.data),
        Level(Partial(square, scenes.net), data=data),
        Level(Partial(_minus_deviation, scenes.risk, scenes.number(delta))),
    ]
    return Problem(levels, scenes.domain, convex=True)


def centred(benchmark: Any, table: Any, weights: Any) -> Any:
    """The returns of a benchmark less their mean, from its returns or its weights."""
    rows, dim = table.shape
    if benchmark is None:
        raise ValueError(
            "tracking-error needs a benchmark, got None: pass its return in every one of the "
            f"{rows} periods, or its weights of the {dim} assets."
        )
    given = vector("benchmark", benchmark)
    if given.size not in (rows, dim):
        raise ValueError(
            f"benchmark must be {rows} returns, one per row of returns, or {dim} weights, one per "
            f"column, got {given.size} numbers."
        )
    if rows == dim:
        raise ValueError(
            f"benchmark could be {rows} returns or {dim} weights: there are as many rows as "
            "columns. Leave out a row of returns."
        )
    library = np if isinstance(table, np.ndarray) else jnp
    given = library.asarray(given, table.dtype)
    path = given if given.size == rows else table @ given
    return path - library.average(path, weights=weights)


def root_bound(scenes: Scenarios, smoothing: Any) -> Array:
    """`0 ≤ √(v + s²) - √v ≤ s`."""
    smooth, scale = scenes.smoothing(smoothing)
    return smooth * scale


def _squared(scenes: Scenarios, smoothing: Any) -> Array:
    return root_bound(scenes, smoothing) ** 2


def _loss(x: Row, scenario: Scenario) -> tuple[Scalar, Row]:
    r, w = split(scenario)
    return -weighed(w, inner(r, x)), x


def _plus_variance(risk: RiskWeight, net: Net, y: tuple[Scalar, Row], scenario: Scenario) -> Scalar:
    loss, x = y
    r, w = split(scenario)
    return -net(-loss, x) + risk.value * weighed(w, (inner(r, x) + loss) ** 2)


def _gain_and_square(net: Net, y: tuple[Scalar, Row], scenario: Scenario) -> tuple[Scalar, Scalar]:
    gain, x = y
    r, w = split(scenario)
    return net(gain, x), weighed(w, (inner(r, x) - gain) ** 2)


def _gain_and_active(
    net: Net, y: tuple[Scalar, Row], sample: tuple[Scenario, Scalar]
) -> tuple[Scalar, Scalar]:
    (gain, x), (scenario, followed) = y, sample
    r, w = split(scenario)
    return net(gain, x), weighed(w, (inner(r, x) - followed - gain) ** 2)


def _minus_deviation(risk: RiskWeight, delta: Scalar, z: tuple[Scalar, Scalar]) -> Scalar:
    net, square = z
    return -net + risk.value * jnp.sqrt(jnp.maximum(square, 0) + delta)
