"""Limits on samples, oracle calls and seconds."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

from wolfnest.common import checks
from wolfnest.solution import Counts

# Steps when a tolerance or a budget ends the run.
MOST_STEPS = 1_000_000


@dataclasses.dataclass(frozen=True)
class Budget:
    """What a run may use; None is no limit. Samples and oracle calls are never exceeded. Seconds
    are wall time, recording included and compilation not, and looked at a few times per second; at
    least one step is made unless they are 0.

    >>> Budget.of({"samples": 1e6})
    Budget(samples=1000000, lmo=None, seconds=None)
    """

    samples: int | None = None
    lmo: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            limit = getattr(self, field.name)
            if limit is not None:
                number = float(checks.non_negative(f"budget[{field.name!r}]", limit))
                kind = float if field.name == "seconds" else int
                object.__setattr__(self, field.name, kind(number))

    @classmethod
    def of(cls, value: Budget | Mapping[str, Any] | None) -> Budget:
        """A budget from what a user passes."""
        if value is None or isinstance(value, Budget):
            return value or cls()
        names = [field.name for field in dataclasses.fields(cls)]
        if not isinstance(value, Mapping) or not set(value) <= set(names):
            raise ValueError(f"budget must be a dict with some of {names}, got {value!r}.")
        return cls(**value)

    @property
    def limited(self) -> bool:
        return any(limit is not None for limit in dataclasses.astuple(self))

    def affordable(
        self, spent: Counts, seconds: float, cost: Callable[[int], Counts], n: int
    ) -> int:
        """The largest number of steps up to `n` that the budget still covers, where `cost(k)` is
        what k steps cost at most."""
        if seconds >= (math.inf if self.seconds is None else self.seconds):
            return 0
        if self.covers(spent + cost(n)):
            return n
        low, high = 0, n
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.covers(spent + cost(middle)) else (low, middle)
        return low

    def covers(self, counts: Counts) -> bool:
        """Whether samples and oracle calls are within the limits."""
        return counts.samples <= (math.inf if self.samples is None else self.samples) and (
            counts.lmo <= (math.inf if self.lmo is None else self.lmo)
        )
