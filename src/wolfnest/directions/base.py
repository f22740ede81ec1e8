"""What a direction is, and what those that only name a target share."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PyTree

from wolfnest.common import pytrees
from wolfnest.schedules.stage import Stage
from wolfnest.sets.base import AbstractSet
from wolfnest.state import Ahead, State
from wolfnest.stepsizes.ray import Ray, Rule


class Begun(NamedTuple):
    """What a direction keeps at its first point: where an accelerated method looks ahead, and
    vertices."""

    ahead: Ahead | None = None
    active: PyTree = None


class Move(NamedTuple):
    """The point after a step: `x`, what rounding kept back from it, and where an accelerated
    method looks ahead; the oracle's next guess and the calls made; the gap `<v, x - z>`; the
    vertices kept; what the step-size rule remembers, and its exact passes."""

    x: PyTree
    rest: PyTree
    ahead: Ahead | None
    guess: PyTree
    lmo: Int32[Array, ""]
    gap: Array
    active: PyTree = None
    search: PyTree = None
    passes: Any = 0


class Target(NamedTuple):
    """`z`, towards which the point moves; the oracle's next guess; oracle calls made."""

    z: PyTree
    guess: PyTree
    lmo: Int32[Array, ""]


class AbstractDirection(eqx.Module):
    """Moves the point, given an estimate of the gradient. Directions never see levels."""

    @abc.abstractmethod
    def begin(self, x: PyTree) -> Begun:
        """What the direction keeps at its first point."""

    @abc.abstractmethod
    def move(self, domain: AbstractSet, state: State, stage: Stage, length: Rule) -> Move:
        """One move with the present gradient estimate `state.v`; `length` says how far to go
        along a ray."""

    @abc.abstractmethod
    def needs(self, domain: AbstractSet) -> str | None:
        """Why this direction cannot be taken in `domain`; None if it can."""

    @abc.abstractmethod
    def most_calls(self, stage: Stage, k: int, n: int) -> int:
        """The largest number of oracle calls of `n` steps, the first of which has number `k`."""

    @property
    @abc.abstractmethod
    def takes_rules(self) -> bool:
        """Whether it moves along a ray, so that a step-size rule can say how far."""

    @abc.abstractmethod
    def room(self, state: State) -> int | None:
        """How many steps the arrays of `state` are enough for; None is any number."""

    @abc.abstractmethod
    def grow(self, state: State) -> State:
        """`state` with room for more steps."""


class MemorylessDirection(AbstractDirection):
    """Keeps no vertices."""

    def room(self, state: State) -> None:
        return None

    def grow(self, state: State) -> State:
        return state


class TargetDirection(MemorylessDirection):
    """Computes `z_t` of `x_{t+1} = x_t + γ (z_t - x_t)`; γ is η unless a rule says otherwise."""

    @abc.abstractmethod
    def target(self, domain: AbstractSet, state: State, stage: Stage) -> Target:
        """`z` for the point `state.x` and the gradient estimate `state.v`."""

    @property
    def takes_rules(self) -> bool:
        return True

    def begin(self, x: PyTree) -> Begun:
        return Begun()

    def move(self, domain: AbstractSet, state: State, stage: Stage, length: Rule) -> Move:
        return towards(state, self.target(domain, state, stage), length)


def towards(state: State, target: Target, length: Rule, least: Array | None = None) -> Move:
    """The move along the ray from `x` to a target. `least` is what the gap is known to be at least:
    rounding may hide that near a minimiser."""
    z, guess, lmo = target
    gap = pytrees.dot(state.v, pytrees.subtract(state.x, z))
    gap = gap if least is None else jnp.maximum(gap, least.astype(gap.dtype))
    gamma, search, passes = length(Ray(pytrees.subtract(z, state.x), 1, -gap))
    x, rest = pytrees.move_compensated(state.x, z, gamma, state.rest)
    # A whole step ends at the target itself: a sum would round out of the set.
    whole = jnp.asarray(gamma) == 1
    x = jax.tree.map(lambda a, b: jnp.where(whole, b.astype(a.dtype), a), x, z)
    rest = jax.tree.map(lambda a: jnp.where(whole, 0, a), rest)
    return Move(x, rest, None, guess, lmo, gap, state.active, search, passes)


def refusal(ask: Callable[[], Any]) -> str | None:
    """The error with which a set refuses what a direction asks for; None if it does not."""
    try:
        jax.eval_shape(ask)
    except ValueError as error:
        return str(error).rstrip(".")
    return None


def without_projection(domain: AbstractSet) -> str | None:
    """Why a projected step cannot be taken in `domain`."""
    return refusal(lambda: domain.project(domain.start()))
