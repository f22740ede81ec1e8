"""SPIDER: differences of the same samples, summed from the exact start of an epoch."""

from __future__ import annotations

import equinox as eqx
from jaxtyping import PyTree

from wolfnest.common import checks
from wolfnest.estimators.base import Estimate, exact_estimate
from wolfnest.estimators.epochs import EpochEstimator
from wolfnest.estimators.recursion import batch_start, track_gradient, track_values
from wolfnest.objective.composition import Batch, Composition, Pairing
from wolfnest.state import State


class Spider(EpochEstimator):
    """`u = u + now - before` and the same for `v`, from epoch to epoch: STORM with α = 0.

    Fang, Li, Lin and Zhang, "SPIDER: near-optimal non-convex optimization via stochastic
    path-integrated differential estimator", 2018; the gradient of SPIDER-FW. See
    `EpochEstimator` for epochs.

    >>> Spider(epoch=20).epoch
    20
    """

    epoch: int | None = eqx.field(static=True, kw_only=True, default=None)
    large_batch: int | None = eqx.field(static=True, kw_only=True, default=None)
    pairing: Pairing = eqx.field(static=True, kw_only=True, default="paired")

    def __check_init__(self) -> None:
        checks.choice("pairing", self.pairing, ("paired", "all"))

    def exact(self, composition: Composition, x: PyTree) -> Estimate:
        return exact_estimate(composition, x)

    def sampled(self, composition: Composition, x: PyTree, batch: Batch) -> Estimate:
        return Estimate(*batch_start(composition, x, batch, batch, self.pairing))

    def differences(
        self, composition: Composition, state: State, x: PyTree, batch: Batch
    ) -> Estimate:
        before = state.inputs
        inputs, u = track_values(composition, x, state.u, before, batch, 0.0)
        v = track_gradient(composition, inputs, state.v, before, batch, 0.0, self.pairing)
        return Estimate(u, v)
