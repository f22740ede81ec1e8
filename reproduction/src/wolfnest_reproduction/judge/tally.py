"""Counts of comparisons by their outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from wolfnest_reproduction.judge.bootstrap import BETTER, OPEN, WORSE


class Tally(NamedTuple):
    """How many comparisons ended which way.

    >>> str(Tally(better=9, worse=1, open=2)), Tally(9, 1, 2).share
    ('9 of 12', 0.75)
    """

    better: int
    worse: int
    open: int

    @classmethod
    def of(cls, outcomes: Iterable[str]) -> Tally:
        """
        >>> Tally.of(["better", "open", "better"])
        Tally(better=2, worse=0, open=1)
        """
        counts = Counter(outcomes)
        return cls(counts[BETTER], counts[WORSE], counts[OPEN])

    @property
    def total(self) -> int:
        return self.better + self.worse + self.open

    @property
    def share(self) -> float:
        return self.better / self.total if self.total else float("nan")

    def __str__(self) -> str:
        return f"{self.better:,} of {self.total:,}"
