"""Momentum: moving averages of batch values and batch gradients (PMM)."""

from __future__ import annotations

from typing import Any

from jaxtyping import PyTree

from wolfnest.estimators.base import Cost, Estimate
from wolfnest.estimators.memoryless import MemorylessEstimator
from wolfnest.estimators.recursion import track_gradient, track_values
from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State


class Momentum(MemorylessEstimator):
    """Equations ss1 and ss2: `u = (1-α) u + α·now`, `v = (1-α) v + α·now`.

    >>> Momentum(gradient_batch="separate")
    Momentum(gradient_batch='separate')
    """

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        values, gradient = self.split(composition, batch)
        inputs, u = track_values(composition, x, state.u, None, values, stage.alpha)
        v = track_gradient(composition, inputs, state.v, None, gradient, stage.alpha, self.pairing)
        return Estimate(u, v)

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        return self.cost(composition, batch_size * steps, points=1)
