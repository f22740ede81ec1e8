"""Steps that move weight between vertices: what those with an active set share."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any, NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.directions.active_set import ActiveSet
from wolfnest.directions.base import AbstractDirection, Begun, Move
from wolfnest.schedules.stage import Stage
from wolfnest.sets.base import AbstractSet
from wolfnest.state import State
from wolfnest.stepsizes.ray import Ray, Rule

CAPACITY = 64


class Exchange(NamedTuple):
    """A step of length γ changes the weights to `(1 + γ·scale)·weights`, with `γ·gain` more for
    `vertex` (in `row`) and `γ·loss` less for the atom `giver`; so the ray is
    `scale·x + gain·vertex - loss·giver`."""

    scale: Any
    gain: Any
    loss: Any
    vertex: Array
    row: Array
    giver: Array
    most: Any


class ChosenExchange(NamedTuple):
    """The exchange that a direction chose, the oracle's next guess, its calls, the gap, and the
    least gap that the oracle has certified so far."""

    exchange: Exchange
    guess: PyTree
    lmo: Array
    gap: Array
    bound: Array


class VertexKeeper(AbstractDirection):
    """Keeps vertices in `state.active`; every step adds at most one, and asks the oracle at most
    once."""

    capacity: eqx.AbstractVar[int]

    def __check_init__(self) -> None:
        checks.whole("capacity", self.capacity)

    @property
    def takes_rules(self) -> bool:
        return True

    def begin(self, x: PyTree) -> Begun:
        return Begun(active=ActiveSet.of(ravel_pytree(x)[0], self.capacity))

    def room(self, state: State) -> int:
        """Of several seeds, the least."""
        return state.active.capacity - int(np.max(state.active.count))

    def grow(self, state: State) -> State:
        return dataclasses.replace(state, active=state.active.grown())

    def needs(self, domain: AbstractSet) -> str | None:
        return None

    def most_calls(self, stage: Stage, k: int, n: int) -> int:
        return n


class ExchangeDirection(VertexKeeper):
    """Moves weight between the vertices that `x` is made of, and rebuilds `x` from them: it does
    not drift away from its vertices, however many steps there are."""

    @abc.abstractmethod
    def choose(self, domain: AbstractSet, state: State, v: Array, x: Array) -> ChosenExchange:
        """The exchange for the gradient `v` at `x`, both flat."""

    def move(self, domain: AbstractSet, state: State, stage: Stage, length: Rule) -> Move:
        (x, unravel), (v, _) = ravel_pytree(state.x), ravel_pytree(state.v)
        active: ActiveSet = state.active
        (scale, gain, loss, vertex, row, giver, most), guess, lmo, gap, bound = self.choose(
            domain, state, v, x
        )
        along = scale * x + gain * vertex - loss * active.atoms[giver]
        gamma, search, passes = length(Ray(unravel(along), most, pytrees.dot(v, along)))
        # An atom that would give to itself keeps what it has, whatever the rule says.
        gamma = jnp.where((gain > 0) & (loss > 0) & (row == giver), 0, jnp.asarray(gamma, x.dtype))
        rescaled = dataclasses.replace(active, weights=(1 + gamma * scale) * active.weights)
        active = rescaled.put(vertex, row, gamma * gain)
        left = active.weights[giver] - gamma * loss
        # Weights that have vanished by rounding go as well: nothing could be taken from them.
        empty = (loss > 0) & ((left <= 0) | ((gamma >= most) & (gamma > 0)))
        active = dataclasses.replace(active, weights=active.weights.at[giver].set(left))
        active = active.drop(giver, empty).only(vertex, (gamma == 1) & (scale < 0))
        flat, active = active.point()
        active = dataclasses.replace(active, bound=bound)
        return Move(unravel(flat), state.rest, None, guess, lmo, gap, active, search, passes)


def vertex_of(domain: AbstractSet, state: State) -> tuple[Array, PyTree]:
    """The oracle's answer to the present gradient, flat, and its next guess."""
    vertex, guess = domain.lmo_from(state.v, state.guess)
    return ravel_pytree(pytrees.cast_like(vertex, state.x))[0], guess
