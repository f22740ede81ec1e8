"""Benchmarks: ratios measured side by side in one run, row by row. `wolfnest bench` lists them.

A row is one file of `rows`, a library that we compare with one of `peers`, a method written out by
hand one of `loops`. Times never decide a test: tests only see that the rows run, and that what they
compare computes the same.
"""

from wolfnest_benchmarks import rows
from wolfnest_benchmarks.measuring import RowError, run
from wolfnest_benchmarks.results import Result, Spread, Table
from wolfnest_benchmarks.row import Options, Row

__all__ = ["Options", "Result", "Row", "RowError", "Spread", "Table", "rows", "run"]
