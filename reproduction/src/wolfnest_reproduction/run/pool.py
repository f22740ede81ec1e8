"""Worker processes, each on a core of its own: one task at a time, and a death is no disaster."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

import jax

from wolfnest.common import environment
from wolfnest_reproduction.define.posing import Poser
from wolfnest_reproduction.run.store import Store

TURN_SECONDS = 0.5  # how often the caller gets a look at the clock


class Task(Protocol):
    """Work that knows how to do itself and where its result goes."""

    @property
    def id(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def program(self) -> tuple[str, ...]:
        """Tasks with the same one share compiled code; the first two entries name the problem."""
        ...

    def perform(self, store: Store, poser: Poser) -> None: ...


@dataclasses.dataclass(frozen=True)
class Done:
    """A task that ended, after how many seconds, and why it failed if it did."""

    task: Any
    seconds: float
    error: str | None


@dataclasses.dataclass
class _Worker:
    process: Any
    line: Connection
    core: int
    task: Any = None
    since: float = 0.0
    program: tuple[str, ...] = ()


class Pool:
    """`jobs` workers, to be used as a context manager: leaving it ends them at once."""

    def __init__(self, jobs: int, store: Store, data: Mapping[str, Any]) -> None:
        self.store, self.data = store, dict(data)
        cores = environment.cores()
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

    def run(
        self, tasks: list[Any], done: Callable[[Done], Any], turn: Callable[[], bool] = lambda: True
    ) -> None:
        """Do all tasks. `done` hears of every end; `turn` is asked every moment whether to hand out
        more, and is called for the last time when nothing runs."""
        pending = list(tasks)
        while True:
            going = turn()
            if going:
                for worker in self._workers:
                    if worker.task is None and pending:
                        self._give(worker, pending)
            busy = [worker for worker in self._workers if worker.task is not None]
            if not busy:
                return
            for line in wait([worker.line for worker in busy], timeout=TURN_SECONDS):
                done(self._received(next(w for w in busy if w.line is line)))

    def _give(self, worker: _Worker, pending: list[Any]) -> None:
        """The next task, if possible one whose programs this worker has compiled already."""
        place = next((i for i, task in enumerate(pending) if task.program == worker.program), 0)
        task = pending.pop(place)
        worker.task, worker.program, worker.since = task, task.program, time.monotonic()
        worker.line.send(task)

    def _received(self, worker: _Worker) -> Done:
        try:
            error = worker.line.recv()
        except EOFError:
            worker.process.join()
            error = f"the worker process ended with code {worker.process.exitcode} (memory?)"
            self._workers[self._workers.index(worker)] = self._start(worker.core)
        task, worker.task = worker.task, None
        return Done(task, time.monotonic() - worker.since, error)

    def _start(self, core: int) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_work, args=(theirs, self.store, self.data), daemon=True, name="wolfnest worker"
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


def _work(line: Connection, store: Store, data: Mapping[str, Any]) -> None:
    """The life of a worker: tasks in, errors or None out, until the line is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    poser, posed = Poser(data), ()
    while True:
        try:
            task: Task = line.recv()
        except EOFError:
            return
        if posed != task.program[:2]:  # another problem: what was compiled so far has had its day
            jax.clear_caches()
            posed = task.program[:2]
        try:
            task.perform(store, poser)
            line.send(None)
        except Exception:
            line.send(traceback.format_exc())


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers: they see to it themselves."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
