"""What a worker does: tasks one after the other, each stored when it is done."""

from __future__ import annotations

from collections.abc import Mapping

import jax

from wolfnest.datasets import Returns
from wolfnest_reproduction.define.cells import Cell
from wolfnest_reproduction.define.posing import Poser
from wolfnest_reproduction.run import baselines, execution
from wolfnest_reproduction.run.baselines import Baseline
from wolfnest_reproduction.run.store import Store


class Work:
    """To be called with a task; it keeps the problems that it has posed."""

    def __init__(self, store: Store, data: Mapping[str, Returns]) -> None:
        self._store, self._poser = store, Poser(data)
        self._posed: tuple[str, ...] = ()

    def __call__(self, task: Cell | Baseline) -> None:
        if self._posed != task.program[:2]:  # another problem: what was compiled has had its day
            jax.clear_caches()
            self._posed = task.program[:2]
        if isinstance(task, Baseline):
            self._store.save_baseline(task.id, baselines.solve(task, self._poser))
        else:
            self._store.save(task.id, *execution.run(task, self._poser))
