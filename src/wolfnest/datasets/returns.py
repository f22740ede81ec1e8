"""A table of returns that knows where it comes from."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from wolfnest.common import checks
from wolfnest.common.imports import optional

if TYPE_CHECKING:
    import pandas as pd

When = str | datetime.date | np.datetime64

BLOCK = 1 << 20  # cells that a check looks at in one go, so that its memory stays bounded


class DataError(ValueError):
    """Data that cannot be used as they are; the message says where, why, and what to do."""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Returns:
    """Returns of `d` assets in `T` periods, one row per period, all of them finite.

    `values` is float64 in the `unit` of the source ("percent": 0.02 is two hundredths of a
    percent), read-only and not copied. `dates` are days, strictly increasing, or None where there
    are none; a month is its last day. `provenance` holds what is known about the origin as JSON
    values (file, sha256, vintage, rows dropped), and always `rows`, `first` and `last`.

    >>> days = np.array(["2021-10-27", "2021-10-28", "2021-10-29"], "datetime64[D]")
    >>> table = Returns([[0.1, 0.2], [-0.3, 0.0], [0.5, 0.4]], days, ("A", "B"), "an example")
    >>> table
    Returns(3 × 2, percent, 2021-10-27 to 2021-10-29, an example)
    >>> table.last(1).values
    array([[0.5, 0.4]])
    >>> table.between("2021-10-28", "2021-10").shape
    (2, 2)
    """

    values: np.ndarray
    dates: np.ndarray | None
    names: tuple[str, ...]
    source: str
    unit: str = "percent"
    provenance: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        values = _as_array("values", self.values, np.float64).view()
        if values.ndim != 2 or not values.size:
            raise DataError(
                "values must be a table with at least one row (a period) and one column (an "
                f"asset), got shape {values.shape}."
            )
        names = tuple(str(name) for name in self.names)
        if len(names) != values.shape[1] or len(set(names)) < len(names):
            raise DataError(
                f"names must be {values.shape[1]} different names, one per column of values, got "
                f"{len(set(names))} different among {len(names)}: {_listed(names)}."
            )
        dates = None if self.dates is None else _checked_dates(self.dates, len(values))
        _refuse_infinite(values, names, dates)
        values.flags.writeable = False
        first, last = (None, None) if dates is None else (str(dates[0]), str(dates[-1]))
        provenance = {**self.provenance, "rows": len(values), "first": first, "last": last}
        fields = {"values": values, "dates": dates, "names": names, "provenance": provenance}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"Returns({rows:,} × {columns:,}, {self.unit}, {self.span}, {self.source})"

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> tuple[int, int]:
        """Periods and assets."""
        return len(self.values), len(self.names)

    @property
    def span(self) -> str:
        """The first and the last date, in words."""
        if self.dates is None:
            return "no dates"
        return f"{self.dates[0]} to {self.dates[-1]}"

    def last(self, n: int) -> Returns:
        """The last `n` rows."""
        n = checks.whole("n", n)
        if n > len(self):
            raise DataError(f"n must be at most the {len(self):,} rows of {self!r}, got {n:,}.")
        return self._rows(slice(len(self) - n, None))

    def between(self, start: When | None = None, end: When | None = None) -> Returns:
        """The rows from `start` to `end`, both included; "2021" and "2021-10" are whole periods."""
        if start is None and end is None:
            return self
        if self.dates is None:
            raise DataError(f"{self!r} cannot be cut by date. Use last(n), or leave out the dates.")
        begin = self.dates[0] if start is None else _day("start", start)
        final = self.dates[-1] if end is None else _day("end", end, closing=True)
        low, high = np.searchsorted(self.dates, [begin, final + 1])
        if low >= high:
            raise DataError(
                f"there are no rows from {begin} to {final} in {self!r}. Choose other dates."
            )
        return self._rows(slice(int(low), int(high)))

    def to_frame(self) -> pd.DataFrame:
        """A pandas data frame with one column per asset, indexed by date."""
        pandas = optional("pandas", "frames", "to_frame()")
        index = None if self.dates is None else pandas.DatetimeIndex(self.dates, name="date")
        return pandas.DataFrame(self.values, index=index, columns=list(self.names))

    def _rows(self, rows: slice) -> Returns:
        dates = None if self.dates is None else self.dates[rows]
        return dataclasses.replace(self, values=self.values[rows], dates=dates)


def _as_array(name: str, value: Any, dtype: Any) -> np.ndarray:
    try:
        return np.asarray(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be an array of {np.dtype(dtype)}: {error}.") from error


def _checked_dates(dates: Any, rows: int) -> np.ndarray:
    days = _as_array("dates", dates, "datetime64[D]").view()
    if days.shape != (rows,):
        raise DataError(f"dates must be {rows:,} days, one per row, got shape {days.shape}.")
    late = np.flatnonzero(~(days[1:] > days[:-1]))  # a date that is none compares as False
    if np.isnat(days[0]) or late.size:
        row = int(late[0]) + 1 if late.size else 0
        raise DataError(
            f"dates must be strictly increasing, got {days[row]} in row {row}"
            + (f" after {days[row - 1]}." if row else ".")
        )
    days.flags.writeable = False
    return days


def _refuse_infinite(values: np.ndarray, names: tuple[str, ...], dates: np.ndarray | None) -> None:
    step = max(1, BLOCK // len(names))
    for begin in range(0, len(values), step):
        bad = np.argwhere(~np.isfinite(values[begin : begin + step]))
        if bad.size:
            row, column = begin + int(bad[0, 0]), int(bad[0, 1])
            when = "" if dates is None else f" ({dates[row]})"
            raise DataError(
                f"values must be finite, got {values[row, column]} in row {row}{when}, column "
                f"{names[column]!r}. Leave out that row or that column."
            )


def _day(name: str, when: When, *, closing: bool = False) -> np.datetime64:
    """A point in time as a day: the first of its year or month, or the last if `closing`."""
    try:
        period = np.datetime64(when)
        unit = np.datetime_data(period)[0]
        if np.isnat(period) or unit == "generic":
            raise ValueError("not a date")
        if closing and unit in ("Y", "M"):
            return (period + 1).astype("datetime64[D]") - 1
        return period.astype("datetime64[D]")
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{name} must be a date such as '2021-10-29', '2021-10' or '2021', got {when!r}."
        ) from error


def _listed(names: tuple[str, ...], most: int = 8) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
