"""SVRG: the plain difference to a snapshot, without a moving average."""

from __future__ import annotations

from typing import Any

import equinox as eqx

from wolfnest.common import checks
from wolfnest.common.rounding import round_up
from wolfnest.estimators.anchored import AnchoredEstimator
from wolfnest.estimators.batches import GradientBatch
from wolfnest.estimators.epochs import epoch_starts
from wolfnest.objective.composition import Composition, Pairing


class Svrg(AnchoredEstimator):
    """`v = now - at_snapshot + exact_at_snapshot` (with α = 1), the gradient of SVFW.

    Reddi, Sra, Póczos and Smola, "Stochastic Frank-Wolfe methods for nonconvex optimization",
    2016. Snapshots are taken at t = 1, 1+q, 1+2q, … with q = `epoch`; None is `⌈m^(1/3)⌉`.

    >>> Svrg(epoch=10).epoch
    10
    """

    epoch: int | None = eqx.field(static=True, kw_only=True, default=None)
    pairing: Pairing = eqx.field(static=True, kw_only=True, default="paired")
    gradient_batch: GradientBatch = eqx.field(static=True, kw_only=True, default="shared")

    def __check_init__(self) -> None:
        if self.epoch is not None:
            checks.whole("epoch", self.epoch, most=checks.MOST)

    @property
    def corrected(self) -> bool:
        return False

    def due(self, composition: Composition, t: Any, batch_size: int) -> Any:
        return (t - 1) % self.length(composition) == 0

    def taken(self, composition: Composition, t: int, steps: int, batch_size: int) -> int:
        return epoch_starts(self.length(composition), t, steps)

    def length(self, composition: Composition) -> int:
        """q."""
        return self.epoch or round_up(float(composition.largest or 1) ** (1 / 3))
