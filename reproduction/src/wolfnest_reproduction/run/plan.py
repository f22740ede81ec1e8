"""What a run consists of, what of it is not there yet, and about how long that takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import NamedTuple

from wolfnest_reproduction.define import digests
from wolfnest_reproduction.define.cells import Cell
from wolfnest_reproduction.run.baselines import Baseline
from wolfnest_reproduction.run.store import Store, read_json


@dataclasses.dataclass(frozen=True)
class Plan:
    cells: list[Cell]
    baselines: list[Baseline]
    tasks: list[Cell | Baseline]
    """What is to be done."""
    copies: dict[str, list[Cell]]
    """Cells that get the results of another one, which does the same work; by the id of that."""
    stale: int
    """How many finished cells other source code has made."""

    @classmethod
    def of(cls, cells: list[Cell], store: Store) -> Plan:
        baselines = _baselines(cells)
        left, copies = _missing(cells, store)
        undone = [each for each in baselines if not store.baseline(each.id).exists()]
        facts = (read_json(store.facts(cell.id)) for cell in cells if store.finished(cell.id))
        stale = sum(each.get("sources") != digests.of_code() for each in facts)
        return cls(cells, baselines, [*left, *undone], copies, stale)


def _missing(cells: Iterable[Cell], store: Store) -> tuple[list[Cell], dict[str, list[Cell]]]:
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.work, []).append(cell)
    left, copies = [], {}
    for group in groups.values():
        finished = [cell for cell in group if store.finished(cell.id)]
        first = (finished or group)[0]
        if not finished:
            left.append(first)
        copies[first.id] = [cell for cell in group if cell not in finished and cell is not first]
    return left, copies


def _baselines(cells: Iterable[Cell]) -> list[Baseline]:
    """One for every problem, under the first experiment that has it."""
    found: dict[tuple[str, str, str], Baseline] = {}
    for cell in cells:
        found.setdefault((cell.problem, cell.data, repr(cell.arguments)), Baseline.of(cell))
    return list(found.values())


# ---- time ------------------------------------------------------------------------------------


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
