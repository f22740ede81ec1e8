"""What a run consists of, and what of it is not there yet."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from wolfnest_reproduction.define import digests
from wolfnest_reproduction.define.cells import Cell
from wolfnest_reproduction.run.baselines import Baseline
from wolfnest_reproduction.run.store import Store, read_json


@dataclasses.dataclass(frozen=True)
class Plan:
    """All cells of a run and its baselines, and which of them are tasks."""

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
    """One cell of each work that no finished cell has done, and who gets copies of whom."""
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
        found.setdefault((cell.problem, cell.data, repr(cell.arguments)), Baseline(cell))
    return list(found.values())
