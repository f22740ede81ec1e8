"""Extrapolation: values averaged over points ahead of the inputs (A-TSCGD)."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import checks
from wolfnest.estimators.base import Cost, Estimate
from wolfnest.estimators.memoryless import MemorylessEstimator
from wolfnest.estimators.recursion import combine
from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State


def _scale(value: Any) -> Any:
    return checks.positive("scale", value)


class Extrapolated(MemorylessEstimator):
    """`u^j ← (1-β_j) u^j + β_j f_j(z^j)` with `z^j = (1 - 1/β_j) u^{j-1} + u^{j-1}_new / β_j`, and
    the batch gradient at the new values as it comes.

    In step k, `β_j = min(1, α · scale · k^-p_j)` with `p_j = (K+3-j)/(K+shift)`; the shift is 7 in
    general and 3 for strongly convex objectives. The points `z^j` can leave the set. Yang, Wang
    and Fang, "Multilevel stochastic gradient methods for nested composition optimization", 2019;
    reconstructed from its description.

    >>> Extrapolated(scale=0.5).shift
    7
    """

    scale: Any = eqx.field(kw_only=True, default=1.0, converter=_scale)
    shift: int = eqx.field(static=True, kw_only=True, default=7)

    def __check_init__(self) -> None:
        checks.whole("shift", self.shift)

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        values, gradient = self.split(composition, batch)
        y, inputs, u = x, [], []
        for j, level in enumerate(composition.levels, 1):
            beta = self._beta(j, len(composition), state.k, stage.alpha)
            z = jax.tree.map(lambda a, b, w=beta: _ahead(a, b, w), state.inputs[j - 1], y)
            inputs.append(y)
            y = combine(state.u[j - 1], level.mean(z, values[j - 1]), None, beta)
            u.append(y)
        return Estimate(tuple(u), composition.gradient(tuple(inputs), gradient, self.pairing))

    def _beta(self, j: int, levels: int, k: Array, alpha: Any) -> Array:
        decay = (levels + 3 - j) / (levels + self.shift)
        return jnp.minimum(1, alpha * self.scale * k.astype(jnp.result_type(float)) ** -decay)

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        # Values ahead of the inputs, gradients at the inputs: two points, whatever the batches.
        return self.cost(composition, batch_size * steps, 2 if self.copies == 1 else 1)


def _ahead(before: Array, now: Array, beta: Array) -> Array:
    return before + (now - before) / beta.astype(before.dtype)
