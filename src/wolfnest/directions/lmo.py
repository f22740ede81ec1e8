"""v1: towards the vertex that the linear minimisation oracle names."""

from __future__ import annotations

import jax.numpy as jnp

from wolfnest.directions.base import Target, TargetDirection
from wolfnest.schedules.stage import Stage
from wolfnest.sets.base import AbstractSet
from wolfnest.state import State


class LMO(TargetDirection):
    """v1: `z = argmin_{s ∈ X} <s, v>`.

    >>> LMO()
    LMO()
    """

    def target(self, domain: AbstractSet, state: State, stage: Stage) -> Target:
        z, guess = domain.lmo_from(state.v, state.guess)
        return Target(z, guess, jnp.int32(1))

    def needs(self, domain: AbstractSet) -> str | None:
        return None

    def most_calls(self, stage: Stage, k: int, n: int) -> int:
        return n
