"""Worker processes, each on a core of its own: one task at a time, and a death is no disaster."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any

from wolfnest.common import environment

TURN_SECONDS = 0.5  # how often the caller gets a look at the clock


Done = Callable[[Any, float, str | None], Any]
"""Hears of a task that ended: after how many seconds, and why it failed if it did."""


@dataclasses.dataclass
class _Worker:
    process: Any
    line: Connection
    core: int
    task: Any = None
    since: float = 0.0
    program: tuple[str, ...] = ()


class Pool:
    """`jobs` processes with a copy of `work` each, to be used as a context manager: leaving it ends
    them at once. Tasks whose `program` is the same share compiled code."""

    def __init__(self, jobs: int, work: Callable[[Any], Any]) -> None:
        self._work, cores = work, environment.cores()
        self._workers = [self._start(cores[i % len(cores)]) for i in range(jobs)]

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: Any) -> None:
        for worker in self._workers:
            worker.line.close()  # an idle worker ends by itself
            if worker.task is not None:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join()

    def run(self, tasks: list[Any], done: Done, turn: Callable[[], bool] = lambda: True) -> None:
        """Do all tasks. `done` hears of every end; `turn` is asked every moment whether to hand out
        more, and is called for the last time when nothing runs."""
        pending = list(tasks)
        while True:
            going = turn()
            for worker in self._workers:
                if going and worker.task is None and pending:
                    self._give(worker, pending)
            busy = {worker.line: worker for worker in self._workers if worker.task is not None}
            if not busy:
                return
            for line in wait(list(busy), timeout=TURN_SECONDS):
                done(*self._received(busy[line]))  # type: ignore[index]

    def _give(self, worker: _Worker, pending: list[Any]) -> None:
        """The next task, if possible one whose programs this worker has compiled already."""
        place = next((i for i, task in enumerate(pending) if task.program == worker.program), 0)
        task = pending.pop(place)
        worker.task, worker.program, worker.since = task, task.program, time.monotonic()
        worker.line.send(task)

    def _received(self, worker: _Worker) -> tuple[Any, float, str | None]:
        try:
            error = worker.line.recv()
        except EOFError:
            worker.process.join()
            error = f"the worker process ended with code {worker.process.exitcode} (memory?)"
            self._workers[self._workers.index(worker)] = self._start(worker.core)
        task, worker.task = worker.task, None
        return task, time.monotonic() - worker.since, error

    def _start(self, core: int) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_live, args=(theirs, self._work), daemon=True, name="wolfnest worker"
        )
        with environment.for_worker(core), _without_interrupts():
            process.start()
        theirs.close()
        return _Worker(process, ours, core)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """While entered, a process that is started ignores Ctrl-C: that is for the parent to handle."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


def _live(line: Connection, work: Callable[[Any], Any]) -> None:
    """The life of a worker: tasks in, errors or None out, until the line is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task = line.recv()
        except EOFError:
            return
        try:
            work(task)
            line.send(None)
        except Exception:
            line.send(traceback.format_exc())


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers: they see to it themselves."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
