"""Smooth problems of three levels that are not convex, for comparisons of methods."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.returns_table import as_table
from wolfnest.sets import L1Ball, Simplex

Scalar = Float[Array, ""]
Row = Float[Array, " d"]


def sharpe(returns: Any) -> Problem:
    """Minimise `-E r·x / √(Var(r·x) + 1e-6)` over the simplex: the ratio of mean and deviation.

    >>> from wolfnest import datasets
    >>> sharpe(datasets.factor_model(100, 4))
    Problem(3 levels: finite-sum(100) → finite-sum(100) → deterministic, over Simplex, float32)
    """
    table = as_table(returns)
    levels = [Level(_gain, data=table), Level(_square, data=table), Level(_ratio)]
    return Problem(levels, Simplex(table.shape[1]))


def robust(returns: Any) -> Problem:
    """Minimise `-E r·x + √(E log(1 + (r·x - E r·x)²) + 1e-6)`: a deviation that large losses
    hardly move."""
    table = as_table(returns)
    levels = [Level(_gain, data=table), Level(_bounded, data=table), Level(_plus_root)]
    return Problem(levels, Simplex(table.shape[1]))


def network(rows: int) -> Problem:
    """Minimise `‖E tanh²(b_ξ · E tanh(A_ξ x)) - c‖²` over an L1 ball: saturating layers."""
    rng = np.random.default_rng(0)
    inner = rng.normal(size=(rows, 5, 20)) + rng.normal(size=(5, 20))
    outer = rng.normal(size=(rows, 4, 5)) + rng.normal(size=(4, 5))
    levels = [Level(_layer, data=inner), Level(_squared_layer, data=outer), Level(_distance)]
    return Problem(levels, L1Ball(20, radius=2.0))


def _gain(x: Row, r: Row) -> tuple[Scalar, Row]:
    return r @ x, x


def _square(y: tuple[Scalar, Row], r: Row) -> tuple[Scalar, Scalar]:
    return y[0], (r @ y[1] - y[0]) ** 2


def _bounded(y: tuple[Scalar, Row], r: Row) -> tuple[Scalar, Scalar]:
    return y[0], jnp.log1p((r @ y[1] - y[0]) ** 2)


def _ratio(z: tuple[Scalar, Scalar]) -> Scalar:
    return -z[0] / jnp.sqrt(jnp.maximum(z[1], 0) + 1e-6)


def _plus_root(z: tuple[Scalar, Scalar]) -> Scalar:
    return -z[0] + jnp.sqrt(jnp.maximum(z[1], 0) + 1e-6)


def _layer(x: Row, a: Array) -> Array:
    return jnp.tanh(a @ x)


def _squared_layer(y: Array, b: Array) -> Array:
    return jnp.tanh(b @ y) ** 2


def _distance(z: Array) -> Scalar:
    return jnp.sum((z - jnp.array([0.1, 0.4, 0.2, 0.3], z.dtype)) ** 2)
