"""Lazified Frank-Wolfe: vertices that were met before, as long as they are good enough."""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.directions.active_set import ActiveSet
from wolfnest.directions.base import Move, Target, towards
from wolfnest.directions.vertex_weights import CAPACITY, VertexKeeper, vertex_of
from wolfnest.schedules.stage import Stage
from wolfnest.sets.base import AbstractSet
from wolfnest.state import State
from wolfnest.stepsizes.ray import Rule


class Lazified(VertexKeeper):
    """Towards the best vertex met so far, while its gap `<v, x - s>` is at least `1/factor` of the
    least gap that the oracle has certified; else the oracle is called.

    Braun, Pokutta and Zink, "Lazifying conditional gradient algorithms", 2017, where the bound is
    halved instead when the oracle has nothing good enough to offer. With several seeds the oracle
    runs for all of them; calls are counted where they were needed. `capacity` is that of
    `AwayStep`.

    >>> Lazified(factor=4.0).factor
    array(4.)
    """

    factor: Any
    capacity: int = eqx.field(static=True)

    def __init__(self, factor: float = 2.0, capacity: int = CAPACITY) -> None:
        self.factor = checks.positive("factor", factor)
        self.capacity = capacity

    def move(self, domain: AbstractSet, state: State, stage: Stage, length: Rule) -> Move:
        (x, unravel), (v, _) = ravel_pytree(state.x), ravel_pytree(state.v)
        met: ActiveSet = state.active
        best, _ = met.extremes(met.scores(v))
        known = met.atoms[best]
        gap = pytrees.dot(v, x - known)

        def reuse() -> tuple[Array, PyTree, Array, ActiveSet]:
            return known, state.guess, jnp.int32(0), met

        def ask() -> tuple[Array, PyTree, Array, ActiveSet]:
            vertex, guess = vertex_of(domain, state)
            row, bound = met.find(vertex), jnp.fmin(met.bound, pytrees.dot(v, x - vertex))
            # A weight marks a row as used; it means nothing else here.
            kept = met.put(vertex, row, jnp.ones((), x.dtype))
            return vertex, guess, jnp.int32(1), dataclasses.replace(kept, bound=bound)

        enough = gap >= met.bound / jnp.asarray(self.factor, gap.dtype)
        z, guess, calls, met = jax.lax.cond(enough, reuse, ask)
        move = towards(state, Target(unravel(z), guess, calls), length)
        return move._replace(active=met)
