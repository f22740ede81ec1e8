"""What the families that never leave batches share: momentum, STORM and their relatives."""

from __future__ import annotations

from typing import Any

import equinox as eqx
from jaxtyping import PyTree

from wolfnest.common import checks
from wolfnest.estimators.base import Estimate
from wolfnest.estimators.batches import GradientBatch, SampledEstimator
from wolfnest.estimators.recursion import batch_start
from wolfnest.objective.composition import Composition, Pairing
from wolfnest.state import State


class MemorylessEstimator(SampledEstimator):
    """Keeps nothing beside `u` and `v`.

    `pairing`: "paired" multiplies Jacobians sample by sample as the paper writes it, "all"
    multiplies batch means.
    """

    pairing: Pairing = eqx.field(static=True, kw_only=True, default="paired")
    gradient_batch: GradientBatch = eqx.field(static=True, kw_only=True, default="shared")

    def __check_init__(self) -> None:
        checks.choice("pairing", self.pairing, ("paired", "all"))

    def init(self, composition: Composition, x: PyTree, batch: Any) -> Estimate:
        return Estimate(*batch_start(composition, x, *self.split(composition, batch), self.pairing))

    def begin_stage(self, composition: Composition, state: State) -> Estimate:
        return Estimate(state.u, state.v)
