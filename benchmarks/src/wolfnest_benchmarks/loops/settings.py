"""What a hand-written loop is told: the same numbers that the library gets."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np

PROBLEMS = ("mean-variance", "mean-deviation")
METHODS = ("PMVR-v1", "PMVR-v2", "PMM-v1", "PMFS-v1")
Draw = Callable[[int], np.ndarray]  # the rows of a step, (2, batch); step -1 is the start


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """Step size η, weight α, batch; λ and δ of the problem; N and β of the inner Frank-Wolfe.

    >>> Settings().period(25_105)
    197
    """

    eta: float = 0.01
    alpha: float = 0.1
    batch: int = 128
    risk: float = 1.0
    delta: float = 1e-6
    inner: int = 10
    beta: float = 1.0

    def period(self, days: int) -> int:
        """Iterations between snapshots: one exact pass for every pass of samples."""
        return math.ceil(days / self.batch)
