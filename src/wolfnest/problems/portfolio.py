"""Portfolios: weights that trade the mean return against a measure of its risk.

Both problems are convex and take the returns as they are. Their unit counts: a variance in percent
squared is 10,000 times that of the same returns as fractions, so `risk` and `delta` belong to it.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import Partial
from jaxtyping import Array, Float
from numpy.typing import ArrayLike

from wolfnest import _checks
from wolfnest.datasets.returns import DataError, Returns
from wolfnest.level import Level
from wolfnest.problem import Problem
from wolfnest.sets.simplex import Simplex

Table = Returns | Array | ArrayLike  # data frames are array-like
Scalar = Float[Array, ""]
Row = Float[Array, " d"]


def mean_variance(returns: Table, risk: Any = 1.0) -> Problem:
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
    table = as_table(returns)
    weight = jnp.asarray(_checks.non_negative("risk", risk), table.dtype)
    levels = [Level(_loss, data=table), Level(Partial(_plus_variance, weight), data=table)]
    return Problem(levels, Simplex(table.shape[1]), convex=True)


def mean_deviation(returns: Table, risk: Any = 1.0, delta: Any = 1e-6) -> Problem:
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
    table = as_table(returns)
    weight = jnp.asarray(_checks.non_negative("risk", risk), table.dtype)
    smooth = jnp.asarray(_checks.positive("delta", delta), table.dtype)
    levels = [
        Level(_gain, data=table),
        Level(_gain_and_square, data=table),
        Level(Partial(_minus_deviation, weight, smooth)),
    ]
    return Problem(levels, Simplex(table.shape[1]), convex=True)


# The levels are functions of the module and their weights are arrays: problems that differ in
# these alone share their compiled code.


def _loss(x: Row, r: Row) -> tuple[Scalar, Row]:
    return -(r @ x), x


def _plus_variance(risk: Scalar, y: tuple[Scalar, Row], r: Row) -> Scalar:
    loss, x = y
    return loss + risk * (r @ x + loss) ** 2


def _gain(x: Row, r: Row) -> tuple[Scalar, Row]:
    return r @ x, x


def _gain_and_square(y: tuple[Scalar, Row], r: Row) -> tuple[Scalar, Scalar]:
    gain, x = y
    return gain, (r @ x - gain) ** 2


def _minus_deviation(risk: Scalar, delta: Scalar, z: tuple[Scalar, Scalar]) -> Scalar:
    gain, variance = z
    return -gain + risk * jnp.sqrt(jnp.maximum(variance, 0) + delta)


def as_table(returns: Table) -> Float[Array, "T d"]:
    """Returns on the device, checked: a finite table of at least two periods.

    float64 stays float64 where JAX allows it and becomes float32 elsewhere; integers become
    floats.
    """
    values = returns.values if isinstance(returns, Returns) else returns
    if not isinstance(values, jax.Array):
        try:
            values = np.asarray(values)
            if values.dtype.kind not in "f" and values.dtype.name != "bfloat16":
                values = values.astype(float)
        except (TypeError, ValueError) as error:
            raise DataError(
                "returns must be a table of numbers, one row per period and one column per asset, "
                f"got {type(returns).__name__}: {error}. Leave out columns of text or dates."
            ) from error
    with np.errstate(over="ignore"):  # what is too large for float32 is refused below
        table = jnp.asarray(values)
    if not jnp.issubdtype(table.dtype, jnp.floating):
        table = table.astype(float)
    if table.ndim != 2 or table.shape[0] < 2 or not table.shape[1]:
        raise DataError(
            "returns must be a table of at least two rows (periods) and one column (an asset), got "
            f"shape {table.shape}."
        )
    if not _checks.is_traced(table) and not bool(jnp.all(jnp.isfinite(table))):
        raise DataError(_first_gap(returns, np.asarray(values), np.asarray(table)))
    return table


def _first_gap(returns: Table, given: np.ndarray, table: np.ndarray) -> str:
    row, column = (int(i) for i in np.argwhere(~np.isfinite(table))[0])
    names = getattr(returns, "columns", getattr(returns, "names", range(table.shape[1])))
    where = f"in row {row} (from 0), column {list(names)[column]!r}"
    if np.isfinite(given[row, column]):
        return (
            f"returns must be finite, got {given[row, column]} {where}, which is too large for "
            f"{table.dtype}. Change the unit, or enable 64-bit floats (JAX_ENABLE_X64=1)."
        )
    return (
        f"returns must be finite, got {given[row, column]} {where}. Leave out or fill that row, or "
        "leave out that column."
    )
