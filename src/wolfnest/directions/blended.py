"""Blended pairwise steps: pairwise among the vertices in use, Frank-Wolfe where that gains more."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.directions.vertex_weights import (
    CAPACITY,
    ChosenExchange,
    Exchange,
    ExchangeDirection,
    vertex_of,
)
from wolfnest.sets.base import AbstractSet
from wolfnest.state import State


class BlendedPairwise(ExchangeDirection):
    """From the worst vertex a in use to the best one s in use, at most `w_a`; or, where the gap of
    the oracle's vertex w is larger than `<v, a - s>`, towards w.

    Pairwise steps never bring in a vertex, which keeps points sparse. Tsuji, Tanaka and Pokutta,
    "Pairwise conditional gradients without swap steps and sparser kernel herding", 2022. With
    `lazy=J ≥ 1` the oracle is not called while `<v, a - s>` is at least 1/J of the least gap that
    it has certified so far. `capacity` is that of `AwayStep`.

    >>> BlendedPairwise(lazy=2.0).lazy
    array(2.)
    """

    lazy: Any
    capacity: int = eqx.field(static=True)

    def __init__(self, lazy: float | None = None, capacity: int = CAPACITY) -> None:
        self.lazy = None if lazy is None else checks.positive("lazy", lazy)
        self.capacity = capacity

    def choose(self, domain: AbstractSet, state: State, v: Array, x: Array) -> ChosenExchange:
        active = state.active
        scores = active.scores(v)
        best, worst = active.extremes(scores)
        local = scores[worst] - scores[best]

        def ask() -> tuple[Array, PyTree, Array, Array, Array]:
            vertex, guess = vertex_of(domain, state)
            gap = pytrees.dot(v, x - vertex)
            return vertex, guess, jnp.int32(1), gap, jnp.fmin(active.bound, gap)

        def skip() -> tuple[Array, PyTree, Array, Array, Array]:
            # The gap is not known, but the pairwise step is good enough.
            return active.atoms[best], state.guess, jnp.int32(0), local, active.bound

        if self.lazy is None:
            vertex, guess, calls, gap, bound = ask()
        else:
            enough = local >= active.bound / jnp.asarray(self.lazy, local.dtype)
            vertex, guess, calls, gap, bound = jax.lax.cond(enough, skip, ask)
        pairwise = local >= gap
        pick = lambda yes, no: jnp.where(pairwise, yes, no)
        exchange = Exchange(
            scale=pick(0, -1).astype(x.dtype),
            gain=jnp.ones((), x.dtype),
            loss=pick(1, 0).astype(x.dtype),
            vertex=pick(active.atoms[best], vertex),
            row=pick(best.astype(jnp.int32), active.find(vertex)),
            giver=worst,
            most=pick(active.weights[worst], 1).astype(x.dtype),
        )
        return ChosenExchange(exchange, guess, calls, gap, bound)
