"""What a direction is, and what those that only name a target share."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PyTree

from wolfnest import _trees
from wolfnest.sets.base import AbstractSet
from wolfnest.stage import Stage
from wolfnest.state import Ahead, State


class Move(NamedTuple):
    """The point after a step: `x`, what rounding kept back from it, and where an accelerated
    method looks ahead; the oracle's next guess and the calls made; the gap `<v, x - z>`."""

    x: PyTree
    rest: PyTree
    ahead: Ahead | None
    guess: PyTree
    lmo: Int32[Array, ""]
    gap: Array


class Target(NamedTuple):
    """`z`, towards which the point moves; the oracle's next guess; oracle calls made."""

    z: PyTree
    guess: PyTree
    lmo: Int32[Array, ""]


class AbstractDirection(eqx.Module):
    """Moves the point, given an estimate of the gradient. Directions never see levels."""

    @abc.abstractmethod
    def begin(self, x: PyTree) -> Ahead | None:
        """What an accelerated method keeps at its first point; None for the others."""

    @abc.abstractmethod
    def move(self, domain: AbstractSet, state: State, stage: Stage) -> Move:
        """One move with the present gradient estimate `state.v`."""

    @abc.abstractmethod
    def needs(self, domain: AbstractSet) -> str | None:
        """Why this direction cannot be taken in `domain`; None if it can."""

    @abc.abstractmethod
    def most_calls(self, stage: Stage, k: int, n: int) -> int:
        """The largest number of oracle calls of `n` steps, the first of which has number `k`."""


class TargetDirection(AbstractDirection):
    """Computes `z_t` of `x_{t+1} = x_t + η (z_t - x_t)`."""

    @abc.abstractmethod
    def target(self, domain: AbstractSet, state: State, stage: Stage) -> Target:
        """`z` for the point `state.x` and the gradient estimate `state.v`."""

    def begin(self, x: PyTree) -> None:
        return None

    def move(self, domain: AbstractSet, state: State, stage: Stage) -> Move:
        z, guess, lmo = self.target(domain, state, stage)
        x, rest = _trees.move_compensated(state.x, z, stage.eta, state.rest)
        # A whole step ends at the target itself: a sum would round out of the set.
        whole = jnp.asarray(stage.eta) == 1
        x = jax.tree.map(lambda a, b: jnp.where(whole, b.astype(a.dtype), a), x, z)
        rest = jax.tree.map(lambda a: jnp.where(whole, 0, a), rest)
        gap = _trees.dot(state.v, _trees.subtract(state.x, z))
        return Move(x, rest, None, guess, lmo, gap)


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
