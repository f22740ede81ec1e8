"""A file of prices or returns, read and checked; what was assumed about it is said."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wolfnest.common import checks
from wolfnest.common.imports import optional
from wolfnest.datasets.returns import DataError
from wolfnest.portfolio.per_asset import listed
from wolfnest.portfolio.reading.cells import plain_numbers
from wolfnest.portfolio.reading.csv_file import csv_table
from wolfnest.portfolio.reading.dates import dated
from wolfnest.portfolio.reading.moments import ORDERS
from wolfnest.portfolio.reading.prices_or_returns import from_prices, kind_of
from wolfnest.portfolio.reading.shapes import wide
from wolfnest.portfolio.reading.start_and_stop import notes_of_gaps
from wolfnest.portfolio.reading.table_checks import (
    POLICIES,
    Labels,
    complete,
    constant_columns,
    refuse_doubled,
)
from wolfnest.portfolio.reading.units import unit_of

if TYPE_CHECKING:
    import pandas as pd

pandas: Any = optional("pandas", "portfolio", "reading a file of returns")

SAMPLE = "sp500"
PARQUET = {".parquet", ".pq", ".parq"}


@dataclasses.dataclass(frozen=True)
class NotedReturns:
    """Returns as fractions, one column per asset; `notes` say what was assumed and left out."""

    frame: pd.DataFrame
    source: str
    notes: tuple[str, ...]

    def noting(self, note: str) -> NotedReturns:
        """The same with one more note."""
        return dataclasses.replace(self, notes=(*self.notes, note))

    @property
    def dates(self) -> Any:
        """The dates of the rows, None where there are none."""
        return self.frame.index if self.frame.index.dtype.kind == "M" else None


def read(
    source: str | Path,
    *,
    kind: str = "detect",
    unit: str = "detect",
    dates: str = "detect",
    nan: str = "raise",
    without: tuple[str, ...] = (),
) -> NotedReturns:
    """The returns in a CSV or Parquet file, or of `"sp500"`, which comes with skfolio.

    A file has one column per asset and, if any, one of dates. `kind` and `unit` say what the
    numbers are, where they do not show it, and `dates` whether 01/02/2005 is "day-first" or
    "month-first"; `without` leaves out columns. Gaps are treated as `nan`
    says: in prices, "zero" takes the last price before a gap.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "prices.csv")
    ...     rows = ("date,A,B", "2024-01-02,100,50", "2024-01-03,110,50", "2024-01-04,110,55")
    ...     _ = path.write_text("\\n".join(rows))
    ...     table = read(path)
    >>> table.frame.to_numpy().round(2).tolist(), table.notes[0]
    ([[0.1, 0.0], [0.0, 0.1]], "dates from column 'date'")
    """
    checks.choice("kind", kind, ("detect", "prices", "returns"))
    checks.choice("unit", unit, ("detect", "fraction", "percent"))
    checks.choice("dates", dates, ORDERS)
    checks.choice("nan", nan, POLICIES)
    frame: Any
    frame, name, found = _frame(source)
    frame, more, signs = plain_numbers(frame, skip=without)
    if signs:
        kind = "returns" if kind == "detect" else kind
        unit = "percent" if unit == "detect" else unit
    frame, shape = wide(frame)
    frame, notes = dated(frame, dates)
    notes += [*found, *more, *shape]
    frame = _numbers(_without(frame, without))
    values, labels = frame.to_numpy(float), Labels.of(frame)
    kind, why = kind_of(values, kind, labels)
    gap_notes = notes_of_gaps(values, labels, nan)
    if kind == "prices":
        notes.append(f"taken as prices: {why}")
        frame, gaps = from_prices(frame, labels, nan)
    else:
        keep = complete(values, labels, nan)
        gaps = int(np.isnan(values).any(1).sum())
        unit, reason = unit_of(values, unit, labels)
        one = "1 is 1 %" if unit == "percent" else "1 is 100 %"
        notes.append(f"taken as returns in {unit} ({one}): {reason}; as returns: {why}")
        frame = frame[keep].fillna(0.0) / (100 if unit == "percent" else 1)
    if gaps:
        did = {"drop": "left out", "zero": "filled as if nothing had moved"}[nan]
        notes += [f"{gaps:,} rows with gaps were {did}", *gap_notes]
    _refuse_constant(frame, labels)
    frame.columns = list(labels.assets)
    return NotedReturns(frame, name, tuple(notes))


# ---- files -----------------------------------------------------------------------------------


def _frame(source: str | Path) -> tuple[pd.DataFrame, str, list[str]]:
    path = Path(source)
    if str(source) == SAMPLE and not path.exists():
        from wolfnest.datasets import sp500

        found = sp500()
        return found.to_frame() / 100, found.source, []
    if path.is_dir():
        raise DataError(f"{str(source)!r} is a folder. Name one CSV or Parquet file in it.")
    if not path.is_file():
        raise DataError(
            f"there is no file {str(source)!r}. Name a CSV or Parquet file with one column per "
            f"asset, or {SAMPLE} for the sample that comes with skfolio."
        )
    if path.suffix.lower() in PARQUET:
        return _parquet(path), path.name, []
    frame, notes = csv_table(path)
    return frame, path.name, notes


def _parquet(path: Path) -> pd.DataFrame:
    parquet: Any = optional("pyarrow.parquet", "portfolio", "reading Parquet")
    arrow: Any = optional("pyarrow", "portfolio", "reading Parquet")
    try:
        refuse_doubled(parquet.read_schema(path).names, f"{path}: ")
        return pandas.read_parquet(path)
    except (OSError, arrow.ArrowException) as error:
        raise DataError(f"{path} cannot be read as Parquet: {error}") from error


# ---- columns ---------------------------------------------------------------------------------


def _without(frame: pd.DataFrame, without: tuple[str, ...]) -> pd.DataFrame:
    unknown = [name for name in without if name not in frame.columns]
    if unknown:
        raise DataError(
            f"there is no column {listed(unknown)} to leave out: the columns are "
            f"{listed(frame.columns)}."
        )
    return frame.drop(columns=list(without))


def _numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """All columns as floats; the first cell that is none is named."""
    frame = frame.copy()
    for number, column in enumerate(frame.columns):
        series = frame[column]
        if series.dtype.kind in "fiu":
            continue
        plain = pandas.to_numeric(series, errors="coerce")
        bad = np.flatnonzero(plain.isna() & series.notna())
        if bad.size or series.dtype.kind in "bM":
            row = int(bad[0]) if bad.size else 0
            raise DataError(
                f"expected a number, got {series.iloc[row]!r} "
                f"{Labels.of(frame).place(row, number)}. Correct it, or leave out that column "
                "(--without)."
            )
        frame[column] = plain
    if len(frame) < 3 or not frame.shape[1]:
        raise DataError(
            f"expected at least 3 rows and one column of numbers, got {len(frame)} rows and "
            f"{frame.shape[1]} columns."
        )
    return frame.astype(float)


def _refuse_constant(frame: pd.DataFrame, labels: Labels) -> None:
    constant = constant_columns(frame.to_numpy())
    if constant.size:
        value = frame.to_numpy()[0, constant[0]]
        raise DataError(
            f"these columns never change: {listed(labels.assets[i] for i in constant)} (the return "
            f"is {value:g} in every row). Any measure of risk would take them for safe: leave them "
            "out (--without)."
        )
