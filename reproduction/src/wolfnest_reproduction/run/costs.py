"""Rough costs of cells, for the time left before anything was measured."""

from __future__ import annotations

from typing import NamedTuple

from wolfnest_reproduction.run.cells import Cell


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

REPEATS = 8  # of a run that is timed, about


def seconds(cell: Cell) -> float:
    """About how long a cell takes."""
    rates = PORTFOLIO
    if cell.problem == "matrix_single_index":
        scale = cell.arguments["n"] / 20
        pairs = zip(MATRIX, POWERS, strict=True)
        rates = Rates(*(rate * scale**power for rate, power in pairs))
    inner = cell.grid["inner"].values[0] if "inner" in cell.grid else 0
    step = rates.step + rates.oracle * inner
    tuned = cell.tuning_seeds * cell.trials if cell.grid else 0
    runs = tuned + cell.seeds + REPEATS
    records = tuned * (cell.tuning_records + 1) + cell.seeds * (cell.records + 1)
    return rates.compiling + runs * cell.horizon * step / 1e6 + records * rates.record / 1e3
