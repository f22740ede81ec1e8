"""All rows by number. A new row is a module of this package with a `ROW`, named here."""

from __future__ import annotations

import functools
import importlib
import importlib.util

from wolfnest_benchmarks.row import Row

MODULES = (
    "iteration",
    "scaling",
    "latency",
    "singular",
    "matrix",
    "scenarios",
    "device",
    "choice",
    "methods",
)


@functools.cache
def rows() -> tuple[Row, ...]:
    """The rows of this installation, in order.

    >>> [row.number for row in rows()][:3]
    [1, 2, 3]
    """
    names = [f"{__package__}.{name}" for name in MODULES]
    present = [name for name in names if importlib.util.find_spec(name) is not None]
    return tuple(importlib.import_module(name).ROW for name in present)


def find(asked: str) -> Row:
    """A row by its number or its name.

    >>> find("1").name, find("iteration").number
    ('iteration', 1)
    """
    for row in rows():
        if asked in (str(row.number), row.name):
            return row
    known = ", ".join(f"{row.number} ({row.name})" for row in rows())
    raise ValueError(f"there is no row {asked!r} in the benchmark. Take one of: {known}; or all.")
