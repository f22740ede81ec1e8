"""The two times of a run: that of the method, and that on the wall."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax

from wolfnest.running import engine


class Clock:
    """`seconds` is what the method has taken: compilation and the measuring of criteria do not
    count. `wall` is everything since the run began but compilation; of a continued run, without
    the time between its parts."""

    def __init__(self, seconds: float = 0.0, wall: float = 0.0) -> None:
        self.seconds = seconds
        self._opened = time.perf_counter() - wall

    @property
    def wall(self) -> float:
        return time.perf_counter() - self._opened

    def aside(self, call: Callable[[], Any]) -> Any:
        """The result of a call; its time is not that of the method, nor of the wall if it compiled
        something."""
        traced, start = engine.traces(), time.perf_counter()
        result = jax.block_until_ready(call())
        if engine.traces() != traced:
            self._opened += time.perf_counter() - start
        return result

    def timed(self, call: Callable[[], Any]) -> Any:
        """The result of a call, its time added to `seconds`. Calls are pure: one that compiled
        is made once more, since compilation does not count."""
        traced, start = engine.traces(), time.perf_counter()
        result = jax.block_until_ready(call())
        if engine.traces() != traced:
            self._opened += time.perf_counter() - start
            start = time.perf_counter()
            result = jax.block_until_ready(call())
        self.seconds += time.perf_counter() - start
        return result
