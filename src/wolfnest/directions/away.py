"""Away steps: linear convergence on polytopes."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array

from wolfnest.common import pytrees
from wolfnest.directions.vertex_weights import (
    CAPACITY,
    ChosenExchange,
    Exchange,
    ExchangeDirection,
    vertex_of,
)
from wolfnest.sets.base import AbstractSet
from wolfnest.state import State


class AwayStep(ExchangeDirection):
    """Towards the best vertex s, or away from the worst vertex a in use, whichever is steeper:

        s - x, at most 1, or x - a, at most w_a/(1-w_a), which drops a

    Guélat and Marcotte, "Some comments on Wolfe's 'away step'", 1986; Lacoste-Julien and Jaggi, "On
    the global linear convergence of Frank-Wolfe optimization variants", 2015. `capacity` is the
    number of vertices with which the arrays begin; `wn.solve` doubles them when they are full.

    >>> AwayStep().capacity
    64
    """

    capacity: int = eqx.field(static=True, default=CAPACITY)

    def choose(self, domain: AbstractSet, state: State, v: Array, x: Array) -> ChosenExchange:
        vertex, guess = vertex_of(domain, state)
        active, gap = state.active, pytrees.dot(v, x - vertex)
        scores = active.scores(v)
        _, worst = active.extremes(scores)
        weight = active.weights[worst]
        # Equal slopes: towards. A sum of NaN is neither, and must not look like a step away.
        back = (scores[worst] - jnp.vdot(v, x) > gap) & (weight < 1)
        pick = lambda yes, no: jnp.where(back, yes, no).astype(x.dtype)
        exchange = Exchange(
            scale=pick(1, -1),
            gain=pick(0, 1),
            loss=pick(1, 0),
            vertex=vertex,
            row=active.find(vertex),
            giver=worst,
            most=pick(weight / jnp.where(back, 1 - weight, 1), 1),
        )
        return ChosenExchange(exchange, guess, jnp.int32(1), gap, active.bound)
