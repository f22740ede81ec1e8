"""The rows of the benchmark, by number. A new row is a module here with a `ROW`, named below."""

from __future__ import annotations

import functools
import importlib

from wolfnest_benchmarks.row import Row

MODULES = (
    "against_loops",
    "scaling",
    "latency",
    "against_arpack",
    "against_projections",
    "many_scenarios",
    "device",
    "automatic_choice",
    "every_method",
    "time_to_gap",
    "portfolios",
)


@functools.cache
def every() -> tuple[Row, ...]:
    """All rows, in order.

    >>> [row.number for row in every()][:3]
    [1, 2, 3]
    """
    return tuple(importlib.import_module(f"{__name__}.{module}").ROW for module in MODULES)


def find(asked: str) -> Row:
    """A row by its number or its name.

    >>> find("1").name, find("iteration").number
    ('iteration', 1)
    """
    for row in every():
        if asked in (str(row.number), row.name):
            return row
    known = ", ".join(f"{row.number} ({row.name})" for row in every())
    raise ValueError(f"there is no row {asked!r} in the benchmark. Take one of: {known}; or all.")
