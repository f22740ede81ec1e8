"""Tables of returns as an estimator takes them: what is wrong with one, and where."""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from wolfnest.common import checks
from wolfnest.datasets.returns import BLOCK, DataError
from wolfnest.portfolio.per_asset import listed

POLICIES = ("raise", "drop", "zero")  # for gaps


@dataclasses.dataclass(frozen=True)
class Labels:
    """The names of the columns, and the index of the rows where they have one."""

    assets: tuple[str, ...]
    index: Any = None

    @classmethod
    def of(cls, X: Any, count: int = 0) -> Labels:
        """Those of a table; x0, x1, … for `count` columns without names.

        >>> Labels.of(np.zeros((3, 2)), 2).assets
        ('x0', 'x1')
        """
        columns = getattr(X, "columns", getattr(X, "names", None))
        if columns is None:
            return cls(tuple(f"x{i}" for i in range(count)))
        names = tuple(str(name) for name in columns)
        refuse_doubled(names)
        return cls(names, getattr(X, "index", None))

    def place(self, row: int, column: int) -> str:
        """Where a value stands, in words.

        >>> Labels(("A", "B")).place(3, 1)
        "in row 3 (from 0), column 'B'"
        """
        when = ""
        if self.index is not None and type(self.index).__name__ != "RangeIndex":
            label = self.index[row]
            when = f", {label.date() if callable(getattr(label, 'date', None)) else label}"
        return f"in row {row} (from 0{when}), column {self.assets[column]!r}"


def refuse_doubled(names: Sequence[str], source: str = "") -> None:
    """An error that names the columns which share a name; columns may have none."""
    twice = [name for name, count in Counter(filter(None, names)).items() if count > 1]
    if twice:
        columns = {name: [str(i) for i, n in enumerate(names, 1) if n == name] for name in twice}
        where = [f"{n!r} more than once, in columns {', '.join(at)}" for n, at in columns.items()]
        raise DataError(
            f"{source}every column must have a name of its own, got {'; '.join(where[:3])}. Rename "
            "or delete the columns that are doubled."
        )


def first(mask: np.ndarray) -> tuple[int, int]:
    """Row and column of the first True."""
    row, column = np.argwhere(mask)[0]
    return int(row), int(column)


def complete(values: np.ndarray, labels: Labels, nan: str, least: int = 2) -> np.ndarray:
    """Which rows can be used; infinite values and, unless `nan` says otherwise, gaps are refused.

    With "drop" rows with a gap are left out, with "zero" they stay (and count as no return). At
    least so many rows must be left.
    """
    checks.choice("nan", nan, POLICIES)
    keep = np.ones(len(values), bool)
    # A block at a time: a mask over all of a large table would be as large as the table.
    for begin in range(0, len(values), step := max(1, BLOCK // max(1, values.shape[1]))):
        block = values[begin : begin + step]
        if np.isfinite(block).all():
            continue
        infinite = np.isinf(block)
        if infinite.any():
            row, column = first(infinite)
            raise DataError(
                f"returns must be finite, got {block[row, column]} (inf) "
                f"{labels.place(begin + row, column)}. A price of 0 before it gives that: correct "
                "it, or leave out that row or column."
            )
        gaps = np.isnan(block)
        if nan == "raise":
            row, column = first(gaps)
            raise DataError(
                f"returns must be finite, got NaN {labels.place(begin + row, column)}. Fill it, "
                'leave out that row or column, or say nan="drop" (without rows that have gaps) or '
                'nan="zero" (a gap is a return of 0).'
            )
        if nan == "drop":
            keep[begin : begin + step] = ~gaps.any(1)
    if keep.sum() < least:
        raise DataError(
            f'nan="drop" leaves {int(keep.sum())} of {len(values)} rows, and {least} are needed. '
            'Leave out the columns that have most gaps, or say nan="zero".'
        )
    return keep


def warn_of(values: np.ndarray, labels: Labels, level: int = 3) -> None:
    """Warn of tables that can be used, and mostly should not be."""
    rows, columns = values.shape
    if rows < columns:
        warnings.warn(
            f"there are fewer rows ({rows}) than assets ({columns}): weights will follow the noise "
            "in them. Give more rows, or limit the weights (max_weight, group_caps).",
            stacklevel=level,
        )
    constant = constant_columns(values)
    if constant.size:
        names = listed(labels.assets[i] for i in constant)
        warnings.warn(
            f"these columns never change: {names}. They count as assets without risk; leave them "
            "out if they are prices that were not quoted.",
            stacklevel=level,
        )


def constant_columns(values: np.ndarray) -> np.ndarray:
    """The numbers of the columns that hold one value throughout.

    >>> constant_columns(np.array([[0.0, 1.0], [0.0, 2.0]]))
    array([0])
    """
    return np.flatnonzero(np.nanmax(values, axis=0) == np.nanmin(values, axis=0))
