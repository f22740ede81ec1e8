"""What the descriptions of the cells add to their traces."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from wolfnest_reproduction.judge.curves import Facts, Group


def read(cells: pd.DataFrame | None) -> dict[tuple[Group, str], Facts]:
    """What is known of every cell beside its traces, by group and method.

    >>> import pandas as pd
    >>> cell = {"experiment": "E2", "data": "D", "horizon": 9, "method": "A", "time_spread": 0.1}
    >>> [facts.time_spread for facts in read(pd.DataFrame([cell])).values()]
    [0.1]
    """
    found = {}
    for row in [] if cells is None else cells.to_dict("records"):
        setting = row.get("setting")
        setting = setting if isinstance(setting, str) else ""
        group = Group(row["experiment"], row["data"], setting, int(row.get("horizon", 0)))
        spread, certificate = (_positive(row.get(name)) for name in ("time_spread", "certificate"))
        found[group, row["method"]] = Facts(spread, _at_edge(row), certificate)
    return found


def _at_edge(row: dict[Any, Any]) -> bool:
    tuning = row.get("tuning")
    found = tuning.get("at_edge") if isinstance(tuning, dict) else row.get("tuning.at_edge")
    return found is not None and not isinstance(found, float) and len(found) > 0


def _positive(value: Any) -> float:
    """A finite number above 0, or 0."""
    known = isinstance(value, int | float) and math.isfinite(value)
    return max(float(value), 0.0) if known else 0.0
