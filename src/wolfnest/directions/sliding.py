"""Conditional gradient sliding: accelerated prox steps, solved by an inner Frank-Wolfe iteration.

These methods keep two sequences, the output `y` (our `state.x`) and the centre `x` of the prox
steps, and estimate the gradient at a point between them, `state.ahead.point`.
"""

from __future__ import annotations

import abc
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.directions.base import Begun, MemorylessDirection, Move, Target, refusal
from wolfnest.directions.inner import inner_frank_wolfe
from wolfnest.schedules.stage import Stage
from wolfnest.sets.base import AbstractSet
from wolfnest.state import Ahead, State
from wolfnest.stepsizes.ray import Rule


class SlidingDirection(MemorylessDirection):
    """Keeps the centre of its prox steps and the point to estimate at; both begin at the output."""

    @property
    def takes_rules(self) -> bool:
        return False

    def begin(self, x: PyTree) -> Begun:
        return Begun(Ahead(x, x))

    @abc.abstractmethod
    def slide(self, domain: AbstractSet, state: State, ahead: Ahead, stage: Stage) -> Move:
        """`move` without a length: prox steps have their own."""

    def move(self, domain: AbstractSet, state: State, stage: Stage, length: Rule) -> Move:
        assert state.ahead is not None
        return self.slide(domain, state, state.ahead, stage)


class Sliding(SlidingDirection):
    """SCGS, with `γ_k = 3/(k+2)`, `β_k = 4L/(k+2)`, `tol_k = L D²/(k(k+1))`:

        x ← CndG(v, x, β_k, tol_k),  y ← (1-γ_k) y + γ_k x,  z = (1-γ_{k+1}) y + γ_{k+1} x

    `stage.inner` bounds the steps of CndG; `stage.tol` replaces its tolerance. Lan and Zhou,
    "Conditional gradient sliding for convex optimization", 2016.

    >>> Sliding(smoothness=2.0).smoothness
    array(2.)
    """

    smoothness: Any

    def __init__(self, smoothness: Any) -> None:
        self.smoothness = checks.positive("smoothness", smoothness)

    def slide(self, domain: AbstractSet, state: State, ahead: Ahead, stage: Stage) -> Move:
        k = _number(state.k)
        tol = self.smoothness * domain.diameter**2 / (k * (k + 1))
        beta = 4 * self.smoothness / (k + 2)
        x, guess, calls = _prox(domain, state, stage, ahead.centre, state.guess, beta, tol)
        y, rest = pytrees.move_compensated(state.x, x, _gamma(k), state.rest)
        next_ahead = Ahead(x, pytrees.move(y, x, _gamma(k + 1)))
        return Move(y, rest, next_ahead, guess, calls, _gap(state, x))

    def needs(self, domain: AbstractSet) -> str | None:
        return refusal(lambda: domain.diameter)

    def most_calls(self, stage: Stage, k: int, n: int) -> int:
        return n * stage.inner


class NonconvexSliding(SlidingDirection):
    """NCGS, reconstructed: two prox steps with the gradient `v` at `z_k = (1-a_k) y + a_k x`,
    `a_k = 2/(k+1)`:

        x ← CndG(v, x, 4L/k, tol),  y ← CndG(v, z_k, 2L, tol)

    `stage.inner` bounds the steps of each CndG; `stage.tol`, or else `tol`, is their tolerance. Qu,
    Li and Xu, "Non-convex conditional gradient sliding", 2018.

    >>> NonconvexSliding(smoothness=2.0, tol=1e-3).tol
    array(0.001)
    """

    smoothness: Any
    tol: Any

    def __init__(self, smoothness: Any, tol: float = 0.0) -> None:
        self.smoothness = checks.positive("smoothness", smoothness)
        self.tol = checks.non_negative("tol", tol)

    def slide(self, domain: AbstractSet, state: State, ahead: Ahead, stage: Stage) -> Move:
        k, smoothness, tol = _number(state.k), self.smoothness, self.tol
        beta = 4 * smoothness / k
        x, guess, calls = _prox(domain, state, stage, ahead.centre, state.guess, beta, tol)
        y, guess, more = _prox(domain, state, stage, ahead.point, guess, 2 * smoothness, tol)
        next_ahead = Ahead(x, pytrees.move(y, x, 2 / (k + 2)))
        rest = jax.tree.map(jnp.zeros_like, state.rest)
        return Move(y, rest, next_ahead, guess, calls + more, _gap(state, y))

    def needs(self, domain: AbstractSet) -> str | None:
        return None

    def most_calls(self, stage: Stage, k: int, n: int) -> int:
        return 2 * n * stage.inner


def _prox(
    domain: AbstractSet,
    state: State,
    stage: Stage,
    centre: PyTree,
    guess: PyTree,
    beta: Any,
    tol: Any,
) -> Target:
    """`CndG(v, centre, β, tol)`."""
    tol = tol if stage.tol is None else stage.tol
    steps = stage.inner
    return inner_frank_wolfe(domain, state.v, centre, guess, beta=beta, steps=steps, tol=tol)


def _number(k: Array) -> Array:
    return k.astype(jnp.result_type(float))


def _gamma(k: Array) -> Array:
    return 3 / (k + 2)


def _gap(state: State, z: PyTree) -> Array:
    return pytrees.dot(state.v, pytrees.subtract(state.inputs[0], z))
