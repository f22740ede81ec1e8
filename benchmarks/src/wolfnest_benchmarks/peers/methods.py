"""What is compared, and our side of it.

All methods are run in the same two ways. `trace(watch)` runs once, slowly, and shows points after
growing effort to `watch` until that has seen enough; `run(effort)` is what is timed. Effort is a
number of steps; of conic solvers, which have no points on the way, the place of a tolerance in
a list of them.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

import wolfnest as wn
from wolfnest.running import engine
from wolfnest.running.carry import Carry
from wolfnest_benchmarks.peers.problems import Instance

Watch = Callable[[int, np.ndarray], bool]

MOST_STEPS = 1_000_000


class Method(abc.ABC):
    """A method on an instance."""

    @abc.abstractmethod
    def trace(self, watch: Watch) -> None:
        """Show points to `watch(effort, x)` while it returns True."""

    @abc.abstractmethod
    def run(self, effort: int) -> Any:
        """All of the work from the start, compilation aside; the last point."""


def efforts() -> Iterator[int]:
    """Every number up to 20, then 5 % more each time."""
    effort = 1
    while effort <= MOST_STEPS:
        yield effort
        effort = max(effort + 1, effort * 105 // 100)


class Wolfnest(Method):
    """A method by its name, run by the compiled loop that `wn.solve` runs."""

    def __init__(self, instance: Instance, name: str, **settings: Any) -> None:
        self.problem, self.solver = instance.problem(), wn.method(name, **settings)
        self.key, solver = jax.random.key(0), self.solver
        self.parts = engine.Run(solver.iteration, self.problem)
        [stage] = solver.schedule.stages(MOST_STEPS, None)
        self.steps = engine.Steps(self.parts, engine.Setting.of(stage))

    def begin(self) -> Carry:
        return engine.begin(self.parts, self.problem.start(), self.key, 1)[0]

    def advance(self, carry: Carry, first: int, last: int) -> Carry:
        """Steps `first` to `last`; what the state keeps grows in between where it must."""
        while first < last:
            room = self.solver.direction.room(carry.state)
            if room == 0:
                carry = engine.grow(self.parts, carry)
                continue
            n = last - first if room is None else min(last - first, room)
            carry, _, _ = self.steps(carry, self.key, first, first, n)
            first += n
        return carry

    def trace(self, watch: Watch) -> None:
        carry, done = self.begin(), 0
        for effort in efforts():
            carry, done = self.advance(carry, done, effort), effort
            if not watch(effort, np.asarray(carry.state.x)):
                return

    def run(self, effort: int) -> Any:
        return jax.block_until_ready(self.advance(self.begin(), 0, effort).state.x)
