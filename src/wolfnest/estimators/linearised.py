"""Linearised averaging: values follow their inputs along Jacobians (NLASG, LiNASA)."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import pytrees
from wolfnest.estimators.base import Cost, Estimate
from wolfnest.estimators.memoryless import MemorylessEstimator
from wolfnest.estimators.recursion import combine
from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State


class Linearised(MemorylessEstimator):
    """`u^i ← (1-α) u^i + α G_i + J_i (u^{i-1}_new - u^{i-1})` and `v ← (1-α) v + α g`, where the
    values `G_i`, Jacobians `J_i` and gradient `g` of the batch are those at the old inputs.

    Balasubramanian, Ghadimi and Nguyen, "Stochastic multi-level composition optimization
    algorithms with level-independent convergence rates", 2020 (there α = τ).

    >>> Linearised(gradient_batch="separate")
    Linearised(gradient_batch='separate')
    """

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        values, gradient = self.split(composition, batch)
        y, u = x, []
        levels = zip(composition.levels, state.inputs, state.u, values, strict=True)
        for level, before, prev, samples in levels:
            now, moved = level.push_mean(before, samples, pytrees.subtract(y, before))
            y = jax.tree.map(_add, combine(prev, now, None, stage.alpha), moved)
            u.append(y)
        fresh = composition.gradient(state.inputs, gradient, self.pairing)
        return Estimate(tuple(u), combine(state.v, fresh, None, stage.alpha))

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        return self.cost(composition, batch_size * steps, points=1)


def _add(value: Array, change: Array) -> Array:
    return value + jnp.asarray(change, value.dtype)
