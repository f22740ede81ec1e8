"""How far axes reach, so that one slow or diverging method does not hide all others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

FACTOR = 2.0  # an axis ends at this multiple of where the median method ends
GROWTH = 10.0  # a logarithmic y axis ends at this multiple of the highest start
DEPTH = 10.0  # and goes down by this factor for what is not a method of the comparison
RISE = 1.0  # a linear one above the highest start by this multiple of the deepest fall


def right(ends: list[float]) -> float:
    """Where a linear x axis ends, given where the curves end.

    >>> right([1.0, 1.2, 2.0]), right([1.0, 1.2, 50.0])
    (2.0, 2.4)
    """
    finite = [end for end in ends if np.isfinite(end)]
    if not finite:
        return 1.0
    return min(max(finite), FACTOR * float(np.median(finite))) or 1.0


def vertical(
    curves: list[np.ndarray], *, logarithmic: bool, others: Sequence[np.ndarray] = ()
) -> tuple[float, float] | None:
    """The lowest and the highest value that an axis shows; None where there is nothing to show.

    What grows much beyond the start leaves the panel. `others` are shown as far as they lie at most
    a decade below the curves.
    """
    curves = [curve[np.isfinite(curve)] for curve in curves]
    curves = [curve for curve in curves if curve.size]
    if not curves:
        return None
    every = np.concatenate(curves)
    start, low, high = max(curve[0] for curve in curves), every.min(), every.max()
    if logarithmic:
        if not low > 0:
            return None
        lower = [value for other in others for value in other if 0 < value < low]
        low = max(low / DEPTH, min(lower)) if lower else low
        high = min(high, GROWTH * start)
        margin = (high / low) ** 0.05 if high > low else 2.0
        return float(low / margin), float(high * margin)
    high = min(high, start + RISE * (start - low)) if start > low else high
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    return float(low - margin), float(high + margin)
