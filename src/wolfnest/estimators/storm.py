"""STORM: moving averages corrected by the change of the same samples (PMVR)."""

from __future__ import annotations

from typing import Any

from jaxtyping import PyTree

from wolfnest.estimators.base import Cost, Estimate
from wolfnest.estimators.memoryless import MemorylessEstimator
from wolfnest.estimators.recursion import track_gradient, track_values
from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State


class Storm(MemorylessEstimator):
    """Equations VR:u and VR:v: `u = (1-α) u + now - (1-α)·before`, the same for `v`
    (computed in `recursion.combine`).

    >>> Storm(pairing="all")
    Storm(pairing='all')
    """

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        values, gradient = self.split(composition, batch)
        before, alpha = state.inputs, stage.alpha
        inputs, u = track_values(composition, x, state.u, before, values, alpha)
        v = track_gradient(composition, inputs, state.v, before, gradient, alpha, self.pairing)
        return Estimate(u, v)

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        return self.cost(composition, batch_size * steps, points=2)
