"""What the descriptions of the cells add to their traces, by group and method."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wolfnest_reproduction.judge.curves import Facts, Group

if TYPE_CHECKING:
    import pandas as pd

Row = dict[Any, Any]


def edges(cells: pd.DataFrame | None) -> set[tuple[Group, str]]:
    """The cells in which a tuned setting ended at an edge of its grid."""
    return {(group, row["method"]) for group, row in _rows(cells) if _at_edge(row)}


def spreads(cells: pd.DataFrame | None) -> dict[tuple[Group, str], float]:
    """How far repeated timings of a whole run lie apart, relative to their median.

    >>> import pandas as pd
    >>> facts = {"experiment": "E2", "data": "D", "horizon": 9, "method": "A", "time_spread": 0.1}
    >>> list(spreads(pd.DataFrame([facts, facts | {"method": "B", "time_spread": None}])).values())
    [0.1]
    """
    return {
        (group, row["method"]): spread
        for group, row in _rows(cells)
        if (spread := _positive(row.get("time_spread")))
    }


def read(cells: pd.DataFrame | None) -> dict[tuple[Group, str], Facts]:
    """What is known of every cell beside its traces, by group and method."""
    return {
        (group, row["method"]): Facts(
            _positive(row.get("time_spread")), _at_edge(row), _positive(row.get("certificate"))
        )
        for group, row in _rows(cells)
    }


def _rows(cells: pd.DataFrame | None) -> Iterator[tuple[Group, Row]]:
    for row in [] if cells is None else cells.to_dict("records"):
        setting = row.get("setting")
        setting = setting if isinstance(setting, str) else ""
        yield Group(row["experiment"], row["data"], setting, int(row.get("horizon", 0))), row


def _at_edge(row: Row) -> bool:
    tuning = row.get("tuning")
    found = tuning.get("at_edge") if isinstance(tuning, dict) else row.get("tuning.at_edge")
    return found is not None and not isinstance(found, float) and len(found) > 0


def _positive(value: Any) -> float:
    """A finite number above 0, or 0."""
    known = isinstance(value, int | float) and math.isfinite(value)
    return max(float(value), 0.0) if known else 0.0
