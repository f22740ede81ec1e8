"""Rounding of sizes that a formula gives."""

from __future__ import annotations

import math


def round_up(value: float) -> int:
    """The ceiling, at least 1, forgiving the rounding of a formula: `0.1 ** -3` is a thousand.

    >>> round_up(0.1**-3)
    1000
    """
    return max(1, math.ceil(value * (1 - 1e-12)))
