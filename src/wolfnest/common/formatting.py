"""Numbers for people: few digits, units, times; "–" for what is not known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

UNKNOWN = "–"


def number(value: object, digits: int = 3) -> str:
    """A number for reading: few digits, an exponent only where it helps; text stays text.

    >>> number(0.000123456), number(1e-10), number(1234567), number(0.25), number(None)
    ('1.23e-4', '1e-10', '1,234,567', '0.25', '–')
    """
    if value is None or isinstance(value, bool):
        return UNKNOWN if value is None else str(value)
    if isinstance(value, str):
        return value
    try:
        real = float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        return str(value)
    if real != real:
        return UNKNOWN
    if real in (float("inf"), float("-inf")):
        return "∞" if real > 0 else "-∞"
    if real == int(real) and abs(real) < 1e9:
        return f"{int(real):,}"
    text = f"{real:.{digits}g}" if 1e-3 <= abs(real) < 1e5 else f"{real:.{digits - 1}e}"
    mantissa, e, exponent = text.partition("e")
    return f"{float(mantissa):g}e{int(exponent)}" if e else text


def shown(value: Any) -> str:
    """Any value for reading: settings with their names in one line, lists in brackets.

    >>> shown({"eta": 0.01, "alpha": [0.1, None]}), shown({}), shown(12345)
    ('eta=0.01, alpha=[0.1, –]', '–', '12,345')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={_inner(one)}" for name, one in value.items()) or UNKNOWN
    return _inner(value) if not isinstance(value, list | tuple) or value else UNKNOWN


def _inner(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{shown(value)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inner, value))}]"
    return number(value)


def scientific(value: float | None) -> str:
    """Four digits and an exponent: numbers that change by orders of magnitude, in a column."""
    return UNKNOWN if value is None else f"{float(value):.3e}"


def percent(value: float, digits: int = 3) -> str:
    """A fraction in percent.

    >>> percent(0.01234), percent(math.inf)
    ('1.23 %', '–')
    """
    return f"{100 * value:.{digits}g} %" if math.isfinite(value) else UNKNOWN


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


def timing(seconds: float) -> str:
    """A short time in the unit that suits it.

    >>> timing(0.0089), timing(2.5), timing(2e-5), timing(float("nan"))
    ('8.9 ms', '2.5 s', '20 µs', '–')
    """
    if seconds != seconds:
        return UNKNOWN
    size, unit = next(
        ((size, unit) for size, unit in ((1, "s"), (1e3, "ms")) if seconds * size >= 1), (1e6, "µs")
    )
    return f"{number(float(f'{seconds * size:.3g}'))} {unit}"
