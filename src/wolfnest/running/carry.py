"""What a run carries from call to call of its compiled code."""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import pytrees
from wolfnest.state import State


class Kept(eqx.Module):
    """What is kept of the points of the stage so far, None where it is not asked for.

    `random` is the state of an iteration chosen uniformly (by reservoir sampling, so that it is
    valid whenever the run stops), `mean` the average point.
    """

    random: Any
    mean: PyTree

    @classmethod
    def of(cls, state: State, *, random: bool, mean: bool) -> Kept:
        """What is kept when a stage begins with `state`."""
        return cls(random=state if random else None, mean=state.x if mean else None)

    def joined_by(self, state: State, lot: Array) -> Kept:
        """With one more state, that of iteration `t`; `lot` is uniform in [0, 1)."""
        random, mean = self.random, self.mean
        if random is not None:
            pick = lambda new, old: jnp.where(lot * state.t < 1, new, old)
            picked = jax.tree.map(pick, state, random)
            random = dataclasses.replace(picked, t=state.t, k=state.k)
        if mean is not None:
            mean = pytrees.move(mean, state.x, 1.0 / state.t)
        return Kept(random, mean)


class Carry(eqx.Module):
    """The state of a run, and what is kept of the states before it."""

    state: State
    kept: Kept


def seed_axes(keep_random: bool) -> Any:
    """Where a carry has an axis of seeds: everywhere but in the iteration numbers."""
    axes: dict[str, Any] = {field.name: 0 for field in dataclasses.fields(State)}
    axes.update(t=None, k=None)
    state = State(**axes)
    return Carry(state, Kept(random=state if keep_random else None, mean=0))
