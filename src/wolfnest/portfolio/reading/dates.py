"""Finding the dates of a table, and refusing those that are out of order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wolfnest.common.imports import optional
from wolfnest.datasets.returns import DataError

if TYPE_CHECKING:
    import pandas as pd

pandas: Any = optional("pandas", "portfolio", "reading a file of returns")

NAMES = {"date", "dates", "datetime", "day", "time", "timestamp", "month", "period", "caldt"}
DIGITS = {8: "%Y%m%d", 6: "%Y%m"}


def dated(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The table indexed by its dates, if it has some, and what was noticed, in words.

    Dates are the index, a column whose name says so, or a first column of text that can be read
    as dates. A column that counts the rows is left out.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"Date": ["2024-01-02", "2024-01-03"], "A": [1.0, 2.0]})
    >>> frame, notes = dated(table)
    >>> frame.index[1].date().isoformat(), notes
    ('2024-01-03', ["dates from column 'Date'"])
    """
    index: Any = frame.index
    if isinstance(index, pandas.PeriodIndex):
        index = index.to_timestamp(how="end").normalize()
    if isinstance(index, pandas.DatetimeIndex):
        return _ordered(frame, index), ["dates from the index"]
    notes = []
    for number, column in enumerate(frame.columns):
        series, named = frame[column], str(column).strip().lower() in NAMES
        unnamed = number == 0 and (not str(column).strip() or str(column).startswith("Unnamed:"))
        if unnamed and _counts(series):
            frame = frame.drop(columns=[column])
            notes.append("the first column counts the rows and was left out")
            continue
        text = series.dtype.kind not in "fiubcM"
        if not (named or unnamed or (number == 0 and text) or series.dtype.kind == "M"):
            continue
        days = _parsed(series)
        if not named and days.isna().mean() > 0.5:  # text, but no dates: refused as a number later
            continue
        lost = np.flatnonzero(days.isna())
        if lost.size:
            row = int(lost[0])
            raise DataError(
                f"expected a date, got {series.iloc[row]!r} in row {row} (from 0), column "
                f"{str(column)!r}. Correct it, as YYYY-MM-DD."
            )
        index = pandas.DatetimeIndex(days, name="date")
        rest = frame.drop(columns=[column])
        return _ordered(rest, index), [*notes, f"dates from column {str(column)!r}"]
    return frame, [*notes, "no dates found: rows are taken in their order"]


def _ordered(frame: pd.DataFrame, index: Any) -> pd.DataFrame:
    """The table with that index, which must increase."""
    days = index.tz_localize(None) if getattr(index, "tz", None) is not None else index
    twice = np.flatnonzero(days.duplicated())
    if twice.size:
        row = int(twice[0])
        before = int(np.argmax(days == days[row]))
        raise DataError(
            f"every date must occur once, got {_day(days[row])} in row {before} and in row {row} "
            "(from 0). Keep one of them."
        )
    if len(days) > 1 and days.is_monotonic_decreasing:
        raise DataError(
            f"the rows run from new to old, {_day(days[0])} to {_day(days[-1])}. Sort them by date."
        )
    refuse_unsorted(days, "Sort them.")
    return frame.set_axis(days, axis=0)


def refuse_unsorted(days: Any, advice: str) -> None:
    """An error that names the first date before which there is a later one."""
    late = np.flatnonzero(np.diff(days.asi8) < 0)
    if late.size:
        row = int(late[0]) + 1
        raise DataError(
            f"the rows must be sorted by date, got {_day(days[row])} in row {row} (from 0) after "
            f"{_day(days[row - 1])}. {advice}"
        )


def _parsed(series: Any) -> Any:
    if series.dtype.kind in "iu":
        lengths = {len(str(value)) for value in series.head(1_000)}
        form = DIGITS.get(lengths.pop()) if len(lengths) == 1 else None
        return pandas.to_datetime(series.astype(str), format=form, errors="coerce")
    if series.dtype.kind == "f":
        return pandas.to_datetime(series.astype(str), errors="coerce")
    return pandas.to_datetime(series, errors="coerce")


def _counts(series: Any) -> bool:
    if series.dtype.kind not in "iu" or not len(series):
        return False
    return bool(np.array_equal(series, np.arange(len(series)) + int(series.iloc[0])))


def _day(moment: Any) -> str:
    return str(moment.date()) if moment == moment.normalize() else str(moment)
