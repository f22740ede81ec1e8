"""ρ itself, for tables and backtests: exact, in double precision, without JAX."""

from __future__ import annotations

from typing import Any

import numpy as np

from wolfnest.datasets.returns import Returns
from wolfnest.problems.risk.registry import known, measure, named, resolved
from wolfnest.problems.risk.table import Table, as_table, moments, multiples
from wolfnest.sets.tools.arrays import vector

BLOCK = 1 << 16  # rows that are converted to double precision in one go


def evaluate(
    name: str, returns: Table, weights: Any, scenario_weights: Any = None, **settings: Any
) -> float:
    """`ρ(x)` at `x = weights`: neither smoothed nor multiplied by `risk`.

    Settings that only smooth are accepted and change nothing.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> sample, equal = datasets.factor_model(1000, 5), [0.2] * 5
    >>> [round(risk.evaluate(name, sample, equal), 3) for name in ("deviation", "cvar")]
    [1.154, 2.419]
    """
    own, chosen = measure(name).exact, known(name, settings)
    values = returns.values if isinstance(returns, Returns) else returns
    values = np.asarray(values)
    if values.ndim != 2 or values.dtype.kind != "f":
        as_table(returns)  # says what is wrong with what is no table
        values = values.astype(float)
    x = np.asarray(vector("weights", weights))
    if x.size != values.shape[1]:
        raise ValueError(
            f"weights must be {values.shape[1]} numbers, one per column of returns, got {x.size}."
        )
    gain = _gains(values, x)
    if not np.all(np.isfinite(gain)):
        as_table(returns)  # names the entry that is not finite
    scaled = multiples(scenario_weights, len(gain))
    p = np.full(len(gain), 1 / len(gain)) if scaled is None else scaled / len(gain)
    chosen = resolved(chosen, returns, values, p)
    counted = p > 0  # a scenario of no weight is none: the worst one is not the worst
    if "benchmark" in chosen:
        chosen = chosen | {"benchmark": chosen["benchmark"][counted]}
    return float(own(gain[counted], p[counted], **named(own, chosen)))


def scale(returns: Table, scenario_weights: Any = None) -> float:
    """The unit of smoothing and of thresholds: the standard deviation of equal weights.

    >>> from wolfnest import datasets
    >>> from wolfnest.problems import risk
    >>> round(risk.scale(datasets.factor_model(1000, 5)), 3)
    1.154
    """
    table = as_table(returns)
    weights = multiples(scenario_weights, table.shape[0])
    return float(moments(table, weights).scale)


def _gains(values: np.ndarray, x: np.ndarray) -> np.ndarray:
    blocks = range(0, len(values), BLOCK)
    return np.concatenate([values[begin : begin + BLOCK].astype(float) @ x for begin in blocks])
