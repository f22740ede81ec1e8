"""Figures by which portfolios are compared, from their returns as fractions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Days between rows, and how many such rows make a year.
YEARS = ((4.0, 252), (10.0, 52), (45.0, 12), (120.0, 4))
TAIL = 0.95


def periods_per_year(dates: Any) -> int | None:
    """Rows in a year by the usual distance of dates; None where there are none.

    >>> import pandas as pd
    >>> periods_per_year(pd.date_range("2020-01-01", periods=9, freq="ME")), periods_per_year(None)
    (12, None)
    """
    if dates is None or len(dates) < 3:
        return None
    days = np.asarray(dates, "datetime64[s]")
    apart = float(np.median(np.diff(days).astype(float))) / 86_400
    return next((count for most, count in YEARS if apart <= most), 1)


def summary(returns: Any, per_year: int | None = None) -> dict[str, float]:
    """Mean and deviation (of a year, if `per_year` says how many rows have one), their ratio, the
    mean of the worst twentieth, the largest fall from a peak, and the growth over all rows.

    >>> {name: round(value, 3) for name, value in summary([0.1, -0.1, 0.1]).items()}
    {'mean': 0.033, 'deviation': 0.115, 'sharpe': 0.289, 'tail': -0.1, 'drawdown': 0.1, \
'growth': 0.089}
    """
    values = np.asarray(returns, float)
    scale = per_year or 1
    mean, deviation = float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else 0.0
    wealth = np.concatenate([[1.0], np.cumprod(1 + values)])
    peak = np.maximum.accumulate(wealth)
    worst = np.sort(values)[: max(1, math.ceil((1 - TAIL) * values.size - 1e-9))]
    return {
        "mean": scale * mean,
        "deviation": math.sqrt(scale) * deviation,
        "sharpe": math.sqrt(scale) * mean / deviation if deviation else 0.0,
        "tail": float(worst.mean()),
        "drawdown": float(np.max(1 - wealth / peak)),
        "growth": float(wealth[-1] - 1),
    }
