"""Benchmarks: ratios measured side by side in one run, row by row. `wolfnest bench` lists them.

A row is one file of this package. Times never decide a test: tests only see that the rows run, and
that what they compare computes the same.
"""

from wolfnest_benchmarks.registry import find, rows
from wolfnest_benchmarks.row import Options, Row, Spread, Table
from wolfnest_benchmarks.running import RowError, run

__all__ = ["Options", "Row", "RowError", "Spread", "Table", "find", "rows", "run"]
