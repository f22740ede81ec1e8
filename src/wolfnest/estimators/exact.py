"""No estimate at all: exact values and gradients, for finite sums and deterministic levels."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray, PyTree

from wolfnest.estimators.base import AbstractEstimator, Cost, Estimate, pass_cost
from wolfnest.objective.composition import Batch, Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State


class Exact(AbstractEstimator):
    """`u^i = f_i(u^{i-1})` and `v = ∇F(x)`: one exact pass per step, and no batches.

    >>> Exact().copies
    0
    """

    def init(self, composition: Composition, x: PyTree, batch: Any) -> Estimate:
        u = composition.exact_values(x)
        v = composition.exact_gradient((x, *u[:-1]))
        return Estimate(u, jax.tree.map(lambda a, b: jnp.asarray(a, b.dtype), v, x))

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        return self.init(composition, x, batch)

    def begin_stage(self, composition: Composition, state: State) -> Estimate:
        return Estimate(state.u, state.v)

    @property
    def exact_start(self) -> bool:
        return True

    def needs(self, composition: Composition) -> str | None:
        if composition.endless is None:
            return None
        return (
            f"level {composition.endless} is endless, and exact passes need data: give it some, "
            "fix a sample with problem.freeze(n), or take a stochastic method (PMVR, PMM)"
        )

    def init_cost(self, composition: Composition, batch_size: int) -> Cost:
        return pass_cost(composition)

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        return pass_cost(composition, steps)

    def stage_cost(self, composition: Composition) -> Cost:
        return Cost(0, 0)

    @property
    def copies(self) -> int:
        return 0

    def tickets(self, composition: Composition, key: PRNGKeyArray, n: int) -> None:
        return None

    def fetch(self, composition: Composition, tickets: Any, n: int) -> None:
        return None

    def split(self, composition: Composition, batch: Any) -> tuple[Batch, Batch]:
        """The data themselves: what values and gradients are computed from."""
        data = tuple(level.data for level in composition.levels)
        return data, data
