"""Rough costs of cells, for the time left before anything was measured."""

from __future__ import annotations

from typing import NamedTuple

from wolfnest.experiments.cells import Cell


class Rates(NamedTuple):
    """Microseconds per step, and per oracle call of an inner step; milliseconds per record,
    criteria included; seconds to compile. Measured on one core of a server of 2025."""

    step: float
    oracle: float
    record: float
    compiling: float


PORTFOLIO = Rates(11.0, 0.12, 0.75, 2.5)
# Of 20 x 20; n x n takes (n/20) to these powers as long.
MATRIX, POWERS = Rates(160.0, 115.0, 2.4, 5.0), Rates(1.7, 1.1, 1.45, 0.0)
GROWN = 1.3  # a grid after its extensions, on average


def seconds(cell: Cell) -> float:
    """About how long a cell takes."""
    rates = PORTFOLIO
    if cell.problem == "matrix_single_index":
        scale = cell.arguments["n"] / 20
        pairs = zip(MATRIX, POWERS, strict=True)
        rates = Rates(*(rate * scale**power for rate, power in pairs))
    step = rates.step + rates.oracle * cell.settings.get("inner", 0)
    tuned = cell.tuning_seeds * (GROWN if cell.extensions else 1.0) if cell.grid else 0.0
    for axis in cell.grid.values():
        tuned *= len(axis.values)
    runs = tuned + cell.seeds + 4
    records = tuned * (cell.tuning_records + 1) + cell.seeds * (cell.records + 1)
    return rates.compiling + runs * cell.horizon * step / 1e6 + records * rates.record / 1e3
