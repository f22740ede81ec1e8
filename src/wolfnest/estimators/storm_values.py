"""Tracked values, a fresh gradient: SCSC."""

from __future__ import annotations

from typing import Any

from jaxtyping import PyTree

from wolfnest.estimators.base import Cost, Estimate, batch_cost
from wolfnest.estimators.memoryless import MemorylessEstimator
from wolfnest.estimators.recursion import track_values
from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State


class StormValues(MemorylessEstimator):
    """SCSC: values by STORM, the batch gradient at them as it comes.

    Chen, Sun and Yin, "Solving stochastic compositional optimization is nearly as easy as solving
    stochastic optimization", 2021. With α = 1 nothing is tracked at all: plain, biased
    compositional SGD.

    >>> StormValues()
    StormValues()
    """

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        values, gradient = self.split(composition, batch)
        inputs, u = track_values(composition, x, state.u, state.inputs, values, stage.alpha)
        return Estimate(u, composition.gradient(inputs, gradient, self.pairing))

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        cost = batch_cost(composition, batch_size * steps, points=2)
        if self.copies == 1:
            return cost
        return cost.plus(batch_cost(composition, batch_size * steps, points=1))
