"""Snapshots every I iterations: the estimator of PMFS, for finite sums."""

from __future__ import annotations

import math
from typing import Any

import equinox as eqx

from wolfnest.common import checks
from wolfnest.estimators.anchored import AnchoredEstimator
from wolfnest.estimators.batches import GradientBatch
from wolfnest.objective.composition import Composition, Pairing


class Snapshot(AnchoredEstimator):
    """Equations fs:u and fs:v: STORM whose target is `now - at_snapshot + exact_at_snapshot`.

    A snapshot is taken at t = 1 and whenever `t mod period = 0`; `period=None` is `⌈m/batch⌉`,
    one exact pass for every pass of samples.

    >>> Snapshot(period=50).period
    50
    """

    period: int | None = eqx.field(static=True, kw_only=True, default=None)
    pairing: Pairing = eqx.field(static=True, kw_only=True, default="paired")
    gradient_batch: GradientBatch = eqx.field(static=True, kw_only=True, default="shared")

    def __check_init__(self) -> None:
        if self.period is not None:
            checks.whole("period", self.period)

    @property
    def corrected(self) -> bool:
        return True

    def due(self, composition: Composition, t: Any, batch_size: int) -> Any:
        return t % self.period_for(composition, batch_size) == 0

    def taken(self, composition: Composition, t: int, steps: int, batch_size: int) -> int:
        period = self.period_for(composition, batch_size)
        return (t + steps) // period - t // period

    def period_for(self, composition: Composition, batch_size: int) -> int:
        if self.period is not None:
            return self.period
        return math.ceil((composition.largest or 1) / batch_size)
