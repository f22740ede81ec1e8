"""From the text of a column to its dates: day or month first, zones, dates without separators."""

from __future__ import annotations

from typing import Any

import numpy as np

from wolfnest.common.imports import optional
from wolfnest.datasets.returns import DataError

pandas: Any = optional("pandas", "portfolio", "reading a file of returns")

ORDERS = ("detect", "day-first", "month-first")
DIGITS = {8: "%Y%m%d", 6: "%Y%m", 4: "%Y"}
TWO_NUMBERS_AND_A_YEAR = r"^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})(?!\d)(.*)$"
ZONE = r"(?<=\d)\s*(?:Z|[+-]\d{2}:?\d{2}|[A-Z]{3,4})$"
# Rows are evenly spaced if no gap is so many times the usual one; and one reading of the dates is
# better than the other if it is so many times as even.
EVEN, BETTER = 10.0, 4.0


def moments(series: Any, order: str = "detect") -> tuple[Any, str]:
    """The dates in a column, and how they were read, in words; NaT for what is none.

    >>> days, how = moments(pandas.Series(["30/01/2005", "01/02/2005"]))
    >>> days[1].date().isoformat(), how
    ('2005-02-01', ', day first: 30/01/2005 can be nothing else')
    """
    kind = series.dtype.kind
    if kind in "iu":
        lengths = {len(str(value)) for value in series.head(1_000)}
        form = DIGITS.get(lengths.pop()) if len(lengths) == 1 else "%Y%m%d"
        return pandas.DatetimeIndex(
            pandas.to_datetime(series.astype(str), format=form, errors="coerce")
        ), ""
    if kind == "f":
        series = series.astype(str).str.removesuffix(".0")
        return pandas.DatetimeIndex(pandas.to_datetime(series, errors="coerce")), ""
    if kind == "M":
        return pandas.DatetimeIndex(series), ""
    text = series.astype("string").str.strip()
    some = text.dropna().head(1_000)
    if some.str.match(TWO_NUMBERS_AND_A_YEAR).mean() > 0.5:
        return _two_readings(text, order)
    return _local(text)


def local(index: Any) -> tuple[Any, str]:
    """Dates without their zone, as clocks show them; in UTC where clocks show one time twice."""
    if getattr(index, "tz", None) is None:
        return index, ""
    shown = index.tz_localize(None)
    if index.is_unique and not shown.is_unique:
        return index.tz_convert(None), ", in UTC: clocks were put back"
    return shown, ""


def _local(text: Any) -> tuple[Any, str]:
    zoned = text.str.contains(":", regex=False) & text.str.contains(ZONE)
    if not zoned.fillna(False).any():
        return pandas.DatetimeIndex(pandas.to_datetime(text, errors="coerce")), ""
    shown = pandas.to_datetime(text.str.replace(ZONE, "", regex=True), errors="coerce")
    shown = pandas.DatetimeIndex(shown)
    if not shown.dropna().is_unique:
        everywhere = pandas.to_datetime(text, errors="coerce", utc=True)
        if everywhere.notna().all() and everywhere.is_unique:
            return pandas.DatetimeIndex(everywhere).tz_localize(None), ", in UTC"
    return shown, ""


def _two_readings(text: Any, order: str) -> tuple[Any, str]:
    """Dates such as 01/02/2005: one order of day and month for the whole column."""
    parts = text.str.extract(TWO_NUMBERS_AND_A_YEAR)
    one, two, year = (pandas.to_numeric(parts[i]).astype("Float64") for i in range(3))
    year = year.where(year > 99, year + 1900 + 100 * (year < 69).astype("Float64"))

    def read(day: Any, month: Any) -> tuple[Any, str]:
        filled = (year.fillna(0), month.fillna(0), day.fillna(0))
        years, months, days = (part.astype(int).astype(str) for part in filled)
        written = years + "-" + months.str.zfill(2) + "-" + days.str.zfill(2) + parts[3].fillna("")
        return _local(written.astype("string"))

    readings = {"day-first": (one, two), "month-first": (two, one)}
    if order != "detect":
        days, how = read(*readings[order])
        return days, f", {_words(order)} as was said{how}"
    beyond = [np.flatnonzero((part > 12).fillna(False)) for part in (one, two)]
    if all(rows.size for rows in beyond):
        first, second = (f"{text.iloc[rows[0]]!r} in row {rows[0]}" for rows in beyond)
        raise DataError(
            f"the dates must all be written in one way, got {first} (from 0; day first) and "
            f"{second} (month first). Write them as YYYY-MM-DD."
        )
    for order, rows in zip(readings, beyond, strict=True):
        if rows.size:
            days, how = read(*readings[order])
            return days, f", {_words(order)}: {text.iloc[rows[0]]} can be nothing else{how}"
    found = {order: read(*reading) for order, reading in readings.items()}
    (days, how), (other, _) = found.values()
    if days.equals(other):
        return days, how
    uneven = {order: _unevenness(days) for order, (days, _) in found.items()}
    best, worst = sorted(uneven, key=lambda order: uneven[order])
    if uneven[best] > EVEN or uneven[worst] < BETTER * uneven[best]:
        raise DataError(
            f"the dates can be read with the day or with the month first, {text.iloc[0]!r} to "
            f"{text.iloc[-1]!r}. Say --dates day-first or --dates month-first, or write them as "
            "YYYY-MM-DD."
        )
    days, how = found[best]
    return days, f", {_words(best)}: so they are evenly spaced{how}"


def _unevenness(days: Any) -> float:
    """The longest gap over the usual one; infinite for dates that are not in order."""
    gaps = np.diff(days.asi8).astype(float)
    if days.isna().any() or not gaps.size or not (np.all(gaps > 0) or np.all(gaps < 0)):
        return float("inf")
    return float(np.max(np.abs(gaps)) / np.median(np.abs(gaps)))


def _words(order: str) -> str:
    return order.replace("-", " ")
