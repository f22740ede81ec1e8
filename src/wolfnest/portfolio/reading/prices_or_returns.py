"""What the numbers of a table are, prices or returns, and returns from prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wolfnest.datasets.returns import DataError
from wolfnest.portfolio.reading.table_checks import Labels, complete, first

if TYPE_CHECKING:
    import pandas as pd

# Prices are hardly ever negative; a few that are will be mistakes in them.
FEW = 0.02


def kind_of(values: np.ndarray, kind: str, labels: Labels) -> tuple[str, str]:
    """What the numbers are, "prices" or "returns", and why.

    >>> kind_of(np.array([[0.01, -0.02]]), "detect", Labels(("A", "B")))
    ('returns', 'there are negative values')
    """
    if kind != "detect":
        return kind, "as was said"
    below = values < 0
    if below.sum() > FEW * np.sum(values != 0):
        return "returns", "there are negative values"
    if below.any():
        row, column = first(below)
        raise DataError(
            f"these numbers can be prices or returns: only {below.sum():,} of {values.size:,} are "
            f"negative, the first {labels.place(row, column)}. A price cannot be: correct it, or "
            "say --returns."
        )
    near_one = np.nanmax(np.abs(values - 1)) < 0.5
    if np.nanmin(values) == 0 or near_one:
        raise DataError(
            "these numbers can be prices or returns: none is negative"
            + (", and all are near 1" if near_one else ", and some are 0")
            + ". Say which, with --prices or --returns (a return is a difference from 0, not 1)."
        )
    return "prices", "no value is negative or zero; a return is p_t / p_(t-1) - 1"


def from_prices(frame: pd.DataFrame, labels: Labels, nan: str) -> tuple[pd.DataFrame, int]:
    """`p_t / p_(t-1) - 1`, and how many rows had a gap."""
    prices = frame.to_numpy(float)
    wrong = prices <= 0
    if wrong.any():
        row, column = first(wrong)
        raise DataError(
            f"prices must be positive, got {prices[row, column]:g} {labels.place(row, column)}. "
            "Correct it, or say --returns if these are returns."
        )
    gaps = np.isnan(prices)
    count = int(gaps.any(1).sum())
    if count and nan == "raise":
        row, column = first(gaps)
        raise DataError(
            f"there is a gap in the prices {labels.place(row, column)} ({count:,} rows have one). "
            "Fill it, leave out that column (--without), or say --nan drop (without those rows) or "
            "--nan zero (the price before it)."
        )
    complete(prices, labels, nan)
    whole: Any = frame[~gaps.any(1)] if nan == "drop" else frame.ffill()
    returns = whole / whole.shift(1) - 1
    return returns.iloc[1:].fillna(0.0), count
