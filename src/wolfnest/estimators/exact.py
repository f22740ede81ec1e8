"""No estimate at all: exact values and gradients, for finite sums and deterministic levels."""

from __future__ import annotations

from typing import Any

from jaxtyping import PRNGKeyArray, PyTree

from wolfnest.estimators.base import Cost, Estimate, ExactStart, exact_estimate, pass_cost
from wolfnest.objective.composition import Batch, Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State


class Exact(ExactStart):
    """`u^i = f_i(u^{i-1})` and `v = ∇F(x)`: one exact pass per step, and no batches.

    >>> Exact().copies
    0
    """

    def init(self, composition: Composition, x: PyTree, batch: Any) -> Estimate:
        return exact_estimate(composition, x)

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        return exact_estimate(composition, x)

    def begin_stage(self, composition: Composition, state: State) -> Estimate:
        return Estimate(state.u, state.v)

    @property
    def remedy(self) -> str:
        return (
            "exact passes need data: give it some, fix a sample with problem.freeze(n), or take a "
            "stochastic method (PMVR, PMM)"
        )

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
