"""What every library is asked to do with one of the `convex_problems`.

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

Watch = Callable[[int, np.ndarray], bool]

MOST_STEPS = 1_000_000


class Unsupported(ValueError):
    """A method cannot be run on a problem; the message says why."""


class Method(abc.ABC):
    """A method on an instance."""

    @abc.abstractmethod
    def trace(self, watch: Watch) -> None:
        """Show points to `watch(effort, x)` while it returns True."""

    @abc.abstractmethod
    def run(self, effort: int) -> Any:
        """All of the work from the start, compilation aside; the last point."""

    def amount(self, effort: int) -> str | int:
        """Effort as people read it."""
        return effort


class Stepwise(Method):
    """A compiled method whose steps can be made one part after the other."""

    @abc.abstractmethod
    def begin(self) -> Any:
        """What is carried from step to step, at the start."""

    @abc.abstractmethod
    def advance(self, carry: Any, first: int, last: int) -> Any:
        """Steps `first` to `last`."""

    @abc.abstractmethod
    def point(self, carry: Any) -> jax.Array:
        """The point reached."""

    def trace(self, watch: Watch) -> None:
        carry, done = self.begin(), 0
        for effort in efforts():
            carry, done = self.advance(carry, done, effort), effort
            if not watch(effort, np.asarray(self.point(carry))):
                return

    def run(self, effort: int) -> Any:
        return jax.block_until_ready(self.point(self.advance(self.begin(), 0, effort)))


def efforts() -> Iterator[int]:
    """Every number up to 20, then 5 % more each time."""
    effort = 1
    while effort <= MOST_STEPS:
        yield effort
        effort = max(effort + 1, effort * 105 // 100)
