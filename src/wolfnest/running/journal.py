"""A run's checkpoints: when they are written, and where a run continues."""

from __future__ import annotations

import time
from pathlib import Path

import jax

from wolfnest.running import checkpoint as storage
from wolfnest.running import engine, identity
from wolfnest.running.checkpoint import Checkpoint
from wolfnest.running.lock import Lock
from wolfnest.running.position import Position
from wolfnest.running.request import Request


class Journal:
    """Stores where a run stands in a directory now and then; does nothing without a directory."""

    def __init__(self, checkpoint: Checkpoint | None) -> None:
        self.checkpoint = checkpoint
        self.written = time.monotonic()
        self.identity: dict[str, str] = {}
        self.request: Request | None = None
        self.lock: Lock | None = None

    @classmethod
    def of(cls, value: Checkpoint | str | Path | None) -> Journal:
        if value is None or isinstance(value, Checkpoint):
            return cls(value)
        return cls(Checkpoint(value))

    def open(self, request: Request) -> Position | None:
        """Prepare the directory; where an earlier run of this request ended, if there was one."""
        if self.checkpoint is None:
            return None
        directory = storage.prepare(self.checkpoint.directory)
        self.lock, self.request = Lock(directory), request
        self.lock.acquire()
        stored = storage.load(directory)
        if stored is None:
            self.identity = identity.parts_of(request)
            return None
        if not self.checkpoint.resume:
            raise ValueError(
                f"{directory} holds an earlier run and resume is False: name another directory, "
                "or delete it."
            )
        arrays, values = stored
        self.identity = identity.check(request, values, directory)
        begin = lambda: engine.begin(request.whole, request.x0, request.keys, 1)[0]
        return Position.restored(arrays, values, jax.eval_shape(begin), request.seeds)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the directory to other runs."""
        if self.lock is not None:
            self.lock.release()

    def save_if_due(self, position: Position) -> None:
        if self.checkpoint is None or time.monotonic() - self.written < self.checkpoint.every:
            return
        self.save(position)

    def save(self, position: Position) -> None:
        if self.checkpoint is None or self.request is None:
            return
        arrays, values = position.stored()
        behind = identity.stages_behind(self.request, position.stage, position.done)
        known = {"identity": self.identity, "stages": behind}
        storage.save(self.checkpoint.directory, arrays, known | values)
        self.written = time.monotonic()
