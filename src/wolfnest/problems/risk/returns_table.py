"""Tables of returns, and what is known about them before anything is minimised."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from numpy.typing import ArrayLike

from wolfnest.common import checks
from wolfnest.datasets.returns import DataError, Returns
from wolfnest.problems.risk.terms import Scalar
from wolfnest.sets.tools.arrays import refuse_where, vector

ReturnsLike = Returns | Array | ArrayLike  # data frames are array-like


def as_table(returns: ReturnsLike) -> Float[Array, "T d"]:
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
    if not checks.is_traced(table) and not bool(jnp.all(jnp.isfinite(table))):
        raise DataError(_first_gap(returns, np.asarray(values), np.asarray(table)))
    return table


def _first_gap(returns: ReturnsLike, given: np.ndarray, table: np.ndarray) -> str:
    row, column = (int(i) for i in np.argwhere(~np.isfinite(table))[0])
    where = f"in row {row} (from 0), column {column_name(returns, column)}"
    if np.isfinite(given[row, column]):
        return (
            f"returns must be finite, got {given[row, column]} {where}, which is too large for "
            f"{table.dtype}. Change the unit, or enable 64-bit floats (JAX_ENABLE_X64=1)."
        )
    return (
        f"returns must be finite, got {given[row, column]} {where}. Leave out or fill that row, or "
        "leave out that column."
    )


def column_name(returns: ReturnsLike, column: int) -> str:
    """What a table calls one of its columns, or its number."""
    names = getattr(returns, "columns", getattr(returns, "names", None))
    return repr(column if names is None else list(names)[column])


def multiples(scenario_weights: Any, rows: int) -> Array | np.ndarray | None:
    """Weights of scenarios as multiples of 1/rows: their mean is 1. None stays None."""
    if scenario_weights is None:
        return None
    weights = vector("scenario_weights", scenario_weights)
    if weights.size != rows:
        raise ValueError(
            f"scenario_weights must be {rows} numbers, one per row of returns, got {weights.size}."
        )
    if isinstance(weights, np.ndarray):
        refuse_where("scenario_weights", weights, weights < 0, "at least 0")
        if not np.any(weights):
            raise ValueError("scenario_weights must not all be 0: no scenario would count.")
    return weights / weights.mean()


class Moments(eqx.Module):
    """Mean and standard deviation of every asset; `scale`, the unit of smoothing.

    The scale is the standard deviation of the portfolio with equal weights, or the largest
    `|r|` where that is zero. It grows with the unit of the returns, and so does everything that
    is measured in it.
    """

    mean: Float[Array, " d"]
    deviation: Float[Array, " d"]
    scale: Scalar


@jax.jit
def moments(table: Float[Array, "T d"], weights: Float[Array, " T"] | None) -> Moments:
    """`E r`, `√Var r` and the scale, for `weights` with a mean of 1."""
    average = lambda a: jnp.mean(a if weights is None else (weights * a.T).T, axis=0)
    mean = average(table)
    even = jnp.sqrt(average((jnp.mean(table, axis=1) - jnp.mean(mean)) ** 2))
    size = jnp.max(jnp.abs(table))
    # Equal returns differ from their mean by rounding: that is no scale.
    fallback = jnp.where(size > 0, size, 1)
    scale = jnp.where(even > 64 * jnp.finfo(table.dtype).eps * size, even, fallback)
    return Moments(mean, jnp.sqrt(average((table - mean) ** 2)), scale)
