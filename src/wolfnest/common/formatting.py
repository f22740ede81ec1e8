"""Numbers for people: four significant digits, units, durations; "–" for what is not known."""

from __future__ import annotations

import math

UNKNOWN = "–"


def number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{float(value):.3e}"


def count(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def short(value: float | None) -> str:
    """Three digits and a unit.

    >>> short(12_345_678), short(999_999), short(64)
    ('12.3M', '1.00M', '64')
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if abs(value) < 999.5:
        return f"{value:.3g}"
    for unit in "kMGTP":
        value /= 1000
        if abs(value) < 999.5:
            return f"{value:#.3g}".rstrip(".") + unit
    return f"{value * 1e15:.2e}"


def duration(seconds: float | None) -> str:
    """A time for people.

    >>> duration(3.21), duration(65), duration(7380), duration(100_000)
    ('3.2s', '1m 05s', '2h 03m', '1d 03h')
    """
    if seconds is None or not math.isfinite(seconds):
        return UNKNOWN
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    if whole < 86_400:
        return f"{whole // 3600}h {whole % 3600 // 60:02}m"
    return f"{whole // 86_400}d {whole % 86_400 // 3600:02}h"
