"""Finding the dates of a table, turning it round, refusing dates that are out of order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wolfnest.common.imports import optional
from wolfnest.datasets.returns import DataError
from wolfnest.portfolio.reading.moments import local, moments

if TYPE_CHECKING:
    import pandas as pd

pandas: Any = optional("pandas", "portfolio", "reading a file of returns")

NAMES = {"date", "dates", "datetime", "day", "time", "timestamp", "month", "period", "caldt"}


def dated(frame: pd.DataFrame, order: str = "detect") -> tuple[pd.DataFrame, list[str]]:
    """The table indexed by its dates, if it has some, and what was noticed, in words.

    `order` says whether the day or the month comes first in dates such as 01/02/2005.

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
        return _ordered(frame, index, ["dates from the index"])
    notes: list[str] = []
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
        days, how = moments(series, order)
        if not named and days.isna().mean() > 0.5:  # text, but no dates: refused as a number later
            continue
        lost = np.flatnonzero(days.isna())
        if lost.size:
            row = int(lost[0])
            raise DataError(
                f"expected a date, got {series.iloc[row]!r} in row {row} (from 0), column "
                f"{str(column)!r}. Correct it, as YYYY-MM-DD."
            )
        rest = frame.drop(columns=[column])
        notes.append(f"dates from column {str(column)!r}{how}")
        return _ordered(rest, days.rename("date"), notes)
    return frame, [*notes, "no dates found: rows are taken in their order"]


def _ordered(frame: pd.DataFrame, index: Any, notes: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """The table with that index from old to new, and the notes with one more where it was not."""
    days, how = local(index)
    notes[-1] += how
    twice = np.flatnonzero(days.duplicated())
    if twice.size:
        row = int(twice[0])
        before = int(np.argmax(days == days[row]))
        raise DataError(
            f"every date must occur once, got {_day(days[row])} in row {before} and in row {row} "
            "(from 0). Keep one of them."
        )
    if len(days) > 1 and days.is_monotonic_decreasing:
        notes.append(f"the rows ran from new to old, from {_day(days[0])}, and were turned round")
        frame, days = frame.iloc[::-1], days[::-1]
    refuse_unsorted(days, "Sort them.")
    return frame.set_axis(days, axis=0), notes


def refuse_unsorted(days: Any, advice: str) -> None:
    """An error that names the first date before which there is a later one."""
    late = np.flatnonzero(np.diff(days.asi8) < 0)
    if late.size:
        row = int(late[0]) + 1
        raise DataError(
            f"the rows must be sorted by date, got {_day(days[row])} in row {row} (from 0) after "
            f"{_day(days[row - 1])}. {advice}"
        )


def _counts(series: Any) -> bool:
    if series.dtype.kind not in "iu" or not len(series):
        return False
    return bool(np.array_equal(series, np.arange(len(series)) + int(series.iloc[0])))


def _day(moment: Any) -> str:
    return str(moment.date()) if moment == moment.normalize() else str(moment)
