"""Smooth problems of three levels that are not convex, for comparisons of methods."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.returns_table import as_table
from wolfnest.sets import L1Ball, Simplex


def sharpe(returns: Any) -> Problem:
    """Minimise `-E r·x / √(Var(r·x) + 1e-6)` over the simplex: the ratio of mean and deviation.

    >>> from wolfnest import datasets
    >>> sharpe(datasets.factor_model(100, 4))
    Problem(3 levels: finite-sum(100) → finite-sum(100) → deterministic, over Simplex, float32)
    """
    square = lambda y, r: (y[0], (r @ y[1] - y[0]) ** 2)
    return _portfolio(returns, square, lambda z: -z[0] / _root(z[1]))


def robust(returns: Any) -> Problem:
    """Minimise `-E r·x + √(E log(1 + (r·x - E r·x)²) + 1e-6)`: a deviation that large losses
    hardly move."""
    bounded = lambda y, r: (y[0], jnp.log1p((r @ y[1] - y[0]) ** 2))
    return _portfolio(returns, bounded, lambda z: -z[0] + _root(z[1]))


def network(rows: int) -> Problem:
    """Minimise `‖E tanh²(b_ξ · E tanh(A_ξ x)) - c‖²` over an L1 ball: saturating layers."""
    rng = np.random.default_rng(0)
    inner = rng.normal(size=(rows, 5, 20)) + rng.normal(size=(5, 20))
    outer = rng.normal(size=(rows, 4, 5)) + rng.normal(size=(4, 5))
    levels = [
        Level(lambda x, a: jnp.tanh(a @ x), data=inner),
        Level(lambda y, b: jnp.tanh(b @ y) ** 2, data=outer),
        Level(lambda z: jnp.sum((z - jnp.array([0.1, 0.4, 0.2, 0.3], z.dtype)) ** 2)),
    ]
    return Problem(levels, L1Ball(20, radius=2.0))


def _portfolio(returns: Any, second: Any, third: Any) -> Problem:
    """Three levels, the first of which is `(E r·x, x)`."""
    table = as_table(returns)
    first = Level(lambda x, r: (r @ x, x), data=table)
    return Problem([first, Level(second, data=table), Level(third)], Simplex(table.shape[1]))


def _root(square: Any) -> Any:
    return jnp.sqrt(jnp.maximum(square, 0) + 1e-6)
