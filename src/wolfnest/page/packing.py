"""Curves as short lists of whole numbers: a page of a thousand curves stays small.

A packed list is `[scale, first, difference, difference, …]`: the running sum of what follows the
scale, times the scale. A missing value is null and changes no sum. The page's `unpack` undoes it.
"""

from __future__ import annotations

import math

import numpy as np

MOST = 60  # records per curve on the page
LOG_STEP = 1e-4  # of a decimal logarithm: 0.02 % of a value
DIGITS = 1e-4  # of the largest value, on linear scales


def pack(values: np.ndarray, scale: float) -> list[float | int | None]:
    """Values in units of `scale`, as differences.

    >>> pack(np.array([1.0, 1.5, np.nan, 0.5]), 0.5)
    [0.5, 2, 1, None, -2]
    """
    packed: list[float | int | None] = [scale]
    before = 0
    for value in np.asarray(values, float).tolist():
        if not math.isfinite(value):
            packed.append(None)
            continue
        whole = round(value / scale)
        packed.append(whole - before)
        before = whole
    return packed


def unit(values: np.ndarray) -> float:
    """A power of ten that resolves the spread of values to about four digits.

    >>> unit(np.array([0.0, 0.031]))
    1e-06
    """
    finite = values[np.isfinite(values)]
    spread = float(np.ptp(finite)) if finite.size else 0.0
    size = spread or (float(np.abs(finite).max()) if finite.size else 0.0) or 1.0
    return float(f"1e{math.floor(math.log10(size * DIGITS))}")


def thin(count: int, most: int = MOST) -> np.ndarray:
    """Which of `count` records to keep: all, or `most` of them, first and last among them.

    >>> thin(5, 3)
    array([0, 2, 4])
    """
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).round().astype(int))


def log10(values: np.ndarray) -> np.ndarray:
    """Decimal logarithms, NaN where there is none.

    >>> log10(np.array([0.1, 0.0]))
    array([-1., nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log10(np.where(values > 0, values, np.nan))
