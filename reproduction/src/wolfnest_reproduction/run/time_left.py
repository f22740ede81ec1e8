"""Rough costs of tasks, for the time left before anything was measured."""

from __future__ import annotations

from typing import NamedTuple

from wolfnest_reproduction.define.cells import Cell
from wolfnest_reproduction.run.baselines import Baseline


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
BASELINE = 8.0


def seconds(task: Cell | Baseline) -> float:
    """About how long a task takes."""
    if isinstance(task, Baseline):
        return BASELINE
    rates = PORTFOLIO
    if task.problem == "matrix_single_index":
        scale = task.arguments["n"] / 20
        pairs = zip(MATRIX, POWERS, strict=True)
        rates = Rates(*(rate * scale**power for rate, power in pairs))
    inner = task.grid["inner"].values[0] if "inner" in task.grid else 0
    tuned = task.tuning_seeds * task.trials if task.grid else 0
    steps = (tuned + task.seeds + REPEATS) * task.horizon
    records = tuned * (task.tuning_records + 1) + task.seeds * (task.records + 1)
    moving = steps * (rates.step + rates.oracle * inner) / 1e6
    return rates.compiling + moving + records * rates.record / 1e3
