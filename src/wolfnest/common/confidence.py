"""Confidence limits from a sample and the disjoint groups that it consists of."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np


def upper_limit(whole: Any, groups: np.ndarray, level: float) -> np.ndarray:
    """The one-sided limit of what `whole` estimates, from its values on groups (leading axis).

    Student's quantile times the standard error. A bias `c / n` shows in groups, which are `G` times
    smaller, as `c G / n`; it is made good where it is negative.

    >>> float(upper_limit(1.0, np.array([0.5, 1.5] * 8), level=0.95).round(3))
    1.226
    """
    count = len(groups)
    bias = np.maximum(0.0, (whole - groups.mean(axis=0)) / (count - 1))
    error = np.std(groups, axis=0, ddof=1) / np.sqrt(count)
    return whole + bias + student(level, count - 1) * error


def student(level: float, degrees: int) -> float:
    """The quantile of Student's distribution, by its expansion around the normal one.

    >>> round(student(0.95, degrees=15), 3)
    1.753
    """
    z, n = NormalDist().inv_cdf(level), degrees
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / n + second / n**2 + third / n**3
