"""The paper's portfolios: weights that trade the mean return against its variance or deviation.

Both problems are convex and take the returns as they are. Their unit counts: a variance in percent
squared is 10,000 times that of the same returns as fractions, so `risk` and `delta` belong to it.
Other measures, sets, costs and weights of scenarios: `wolfnest.problems.risk`.
"""

from __future__ import annotations

from typing import Any

from wolfnest.common import checks
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.common_options import prepare
from wolfnest.problems.risk.returns_table import ReturnsLike
from wolfnest.problems.risk.variances import rooted, variance


def mean_variance(returns: ReturnsLike, risk: Any = 1.0) -> Problem:
    """Minimise `-E r·x + λ Var(r·x)` over the simplex, `λ = risk`; K = 2.

    `f_1(x) = (-E r·x, x)` and `f_2(y) = y_1 + λ E(r·y_2 + y_1)²`. `returns` is a table of `T`
    periods by `d` assets: an array, `wolfnest.datasets.Returns` or a data frame. Another `risk`,
    or other returns of the same shape, compile nothing anew.

    >>> from wolfnest import datasets, problems
    >>> problem = problems.mean_variance(datasets.factor_model(1000, 5), risk=0.2)
    >>> problem
    Problem(2 levels: finite-sum(1000) → finite-sum(1000), over Simplex, convex, float32)
    >>> print(problems.minimum(problem).x.round(2))
    [0.57 0.07 0.11 0.21 0.05]
    """
    return variance(returns, risk)


def mean_deviation(returns: ReturnsLike, risk: Any = 1.0, delta: Any = 1e-6) -> Problem:
    """Minimise `-E r·x + λ √(Var(r·x) + δ)` over the simplex, `λ = risk`, `δ = delta`; K = 3.

    `f_1(x) = (E r·x, x)`, `f_2(y) = (y_1, E(r·y_2 - y_1)²)` and
    `f_3(z) = -z_1 + λ √(max(z_2, 0) + δ)`. Methods track `z_2`, and a tracked variance can fall
    below zero: there f_3 is flat in it. `δ > 0` keeps the root smooth. `returns` and `risk` are
    those of `mean_variance`.

    >>> from wolfnest import datasets, problems
    >>> problem = problems.mean_deviation(datasets.factor_model(1000, 5), risk=0.2)
    >>> problem
    Problem(3 levels: finite-sum(1000) → finite-sum(1000) → deterministic, over Simplex, convex, \
float32)
    >>> print(problems.minimum(problem).x.round(2))
    [0.59 0.01 0.11 0.29 0.  ]
    """
    return rooted(prepare(returns, risk), checks.positive("delta", delta))
