"""What the numbers of a table are: prices or returns, fractions or percent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from wolfnest.datasets.returns import DataError
from wolfnest.portfolio.reading.table_checks import Policy, complete, place

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["detect", "prices", "returns"]
Unit = Literal["detect", "fraction", "percent"]
# Returns as fractions are hardly ever so large in the middle, returns in percent always are.
LARGE = 0.1
# Nor are returns in percent so large, or so seldom negative: then they are prices.
TOO_LARGE, FEW = 50.0, 0.02


def kind_of(
    values: np.ndarray, kind: Kind, assets: Sequence[str], index: Any = None
) -> tuple[Literal["prices", "returns"], str]:
    """What the numbers are, and why.

    >>> kind_of(np.array([[0.01, -0.02]]), "detect", ["A", "B"])
    ('returns', 'there are negative values')
    """
    if kind != "detect":
        return kind, "as was said"
    below = values < 0
    if below.sum() > FEW * np.sum(values != 0):
        return "returns", "there are negative values"
    if below.any():
        row, column = (int(i) for i in np.argwhere(below)[0])
        raise DataError(
            f"these numbers can be prices or returns: only {below.sum():,} of {values.size:,} are "
            f"negative, the first {place(row, column, assets, index)}. A price cannot be: correct "
            "it, or say --returns."
        )
    near_one = np.nanmax(np.abs(values - 1)) < 0.5
    if np.nanmin(values) == 0 or near_one:
        raise DataError(
            "these numbers can be prices or returns: none is negative"
            + (", and all are near 1" if near_one else ", and some are 0")
            + ". Say which, with --prices or --returns (a return is a difference from 0, not 1)."
        )
    return "prices", "no value is negative or zero; a return is p_t / p_(t-1) - 1"


def unit_of(values: np.ndarray, unit: Unit) -> tuple[Literal["fraction", "percent"], str]:
    """The unit of returns, and why.

    >>> unit_of(np.array([[0.4, -1.6]]), "detect")[0], unit_of(np.array([[0.01]]), "detect")[0]
    ('percent', 'fraction')
    """
    if unit != "detect":
        return unit, "as was said"
    size = float(np.nanmedian(np.abs(values)))
    if size > TOO_LARGE:
        raise DataError(
            f"half of the values are beyond {size:.2g}, which no returns are, even in percent. Say "
            "--prices, or --unit if they are."
        )
    if np.nanmin(values) < -1:
        return "percent", "a value is below -1, and nothing loses more than all"
    if size > LARGE:
        return "percent", f"half of the values are beyond {size:.2g}"
    return "fraction", f"half of the values are within {size:.2g}"


def from_prices(frame: pd.DataFrame, assets: list[str], nan: Policy) -> tuple[pd.DataFrame, int]:
    """`p_t / p_(t-1) - 1`, and how many rows had a gap."""
    prices = frame.to_numpy(float)
    wrong = np.argwhere(prices <= 0)
    if wrong.size:
        row, column = int(wrong[0, 0]), int(wrong[0, 1])
        raise DataError(
            f"prices must be positive, got {prices[row, column]:g} "
            f"{place(row, column, assets, frame.index)}. Correct it, or say --returns if these "
            "are returns."
        )
    gaps = np.isnan(prices)
    count = int(gaps.any(1).sum())
    if count and nan == "raise":
        row = int(np.argmax(gaps.any(1)))
        where = place(row, int(np.argmax(gaps[row])), assets, frame.index)
        raise DataError(
            f"there is a gap in the prices {where} ({count:,} rows have one). Fill it, "
            "leave out that column (--without), or say --nan drop (without those rows) or --nan "
            "zero (the price before it)."
        )
    complete(prices, assets, frame.index, nan)
    whole: Any = frame[~gaps.any(1)] if nan == "drop" else frame.ffill()
    returns = whole / whole.shift(1) - 1
    return returns.iloc[1:].fillna(0.0), count
