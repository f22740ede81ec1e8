"""Tables of another shape: two rows of header (field, asset), and one row per date and asset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wolfnest.datasets.returns import DataError
from wolfnest.portfolio.reading.dates import NAMES

if TYPE_CHECKING:
    import pandas as pd

PRICES = ("Adj Close", "Close")  # the better first
FIELDS = {*PRICES, "Open", "High", "Low", "Volume", "Dividends", "Stock Splits", "Capital Gains"}


def two_headers(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two lines are fields and assets, in either order.

    >>> two_headers(["Price", "Close", "Close"], ["Ticker", "AA", "BB"])
    True
    """
    return len(first) == len(second) > 1 and any(set(row[1:]) <= FIELDS for row in (first, second))


def prices_alone(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Of a table with two rows of header, the prices by asset."""
    columns: Any = frame.columns
    level = 0 if set(columns.get_level_values(0)) <= FIELDS else 1
    there = [field for field in PRICES if field in columns.get_level_values(level)]
    if not there:
        raise DataError(
            f"expected prices named {' or '.join(PRICES)} in a header of two rows, got "
            f"{', '.join(sorted(set(columns.get_level_values(level))))}."
        )
    chosen: Any = frame.xs(there[0], axis=1, level=level)
    chosen.columns = [str(name) for name in chosen.columns]
    return chosen.rename_axis("Date").reset_index(), f"of two rows of header, {there[0]!r} is taken"


def wide(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """One column per asset, from a table of date, asset and value; other tables stay.

    >>> import pandas as pd
    >>> rows = {"date": ["1", "1", "2", "2"], "asset": list("ABAB"), "value": [1.0, 2.0, 3.0, 4.0]}
    >>> wide(pd.DataFrame(rows))[0].columns.tolist()
    ['date', 'A', 'B']
    """
    if frame.shape[1] != 3 or str(frame.columns[0]).strip().lower() not in NAMES:
        return frame, []
    date, asset, value = frame.columns
    if frame[asset].dtype.kind in "fiubcM" or frame[value].dtype.kind not in "fiu":
        return frame, []
    if not frame[date].duplicated().any():
        return frame, []
    twice = np.flatnonzero(frame.duplicated([date, asset]))
    if twice.size:
        row = int(twice[0])
        raise DataError(
            f"every date and asset must occur once, got {frame[date].iloc[row]!r} and "
            f"{frame[asset].iloc[row]!r} again in row {row} (from 0). Keep one of them."
        )
    order = frame[date].unique()
    found = frame.pivot(index=date, columns=asset, values=value).reindex(order)
    found.columns = [str(name) for name in found.columns]
    return found.reset_index(), [f"one column for each {str(asset)!r}, from one row for each"]
