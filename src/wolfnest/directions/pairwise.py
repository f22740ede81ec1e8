"""Pairwise steps: linear convergence on polytopes, from one vertex to another."""

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


class Pairwise(ExchangeDirection):
    """From the worst vertex a in use to the best vertex s: `s - a`, at most `w_a`, which drops a.

    Lacoste-Julien and Jaggi, "On the global linear convergence of Frank-Wolfe optimization
    variants", 2015. `capacity` is that of `AwayStep`.

    >>> Pairwise(capacity=128).capacity
    128
    """

    capacity: int = eqx.field(static=True, default=CAPACITY)

    def choose(self, domain: AbstractSet, state: State, v: Array, x: Array) -> ChosenExchange:
        vertex, guess = vertex_of(domain, state)
        active = state.active
        _, worst = active.extremes(active.scores(v))
        one = jnp.ones((), x.dtype)
        exchange = Exchange(
            scale=0 * one,
            gain=one,
            loss=one,
            vertex=vertex,
            row=active.find(vertex),
            giver=worst,
            most=active.weights[worst],
        )
        gap = pytrees.dot(v, x - vertex)
        return ChosenExchange(exchange, guess, jnp.int32(1), gap, active.bound)
