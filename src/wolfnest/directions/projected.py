"""Projected steps, for the methods that are not projection-free."""

from __future__ import annotations

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import PyTree

from wolfnest.common import checks, pytrees
from wolfnest.directions.base import Target, TargetDirection, without_projection
from wolfnest.schedules.stage import Stage
from wolfnest.sets.base import AbstractSet
from wolfnest.state import State


class ProjectedDirection(TargetDirection):
    """Finds its target by a projection: the oracle is never called."""

    @abc.abstractmethod
    def end(self, domain: AbstractSet, state: State) -> PyTree:
        """`z`."""

    def target(self, domain: AbstractSet, state: State, stage: Stage) -> Target:
        return Target(self.end(domain, state), state.guess, jnp.int32(0))

    def needs(self, domain: AbstractSet) -> str | None:
        return without_projection(domain)

    def most_calls(self, stage: Stage, k: int, n: int) -> int:
        return 0


class Projected(ProjectedDirection):
    """`z = Π_X(x - v/β)`: the step of projected methods (learning rate 1/β).

    >>> Projected(beta=10.0).beta
    array(10.)
    """

    beta: Any

    def __init__(self, beta: Any) -> None:
        self.beta = checks.positive("beta", beta)

    def end(self, domain: AbstractSet, state: State) -> PyTree:
        return domain.project(descend(state.x, state.v, 1 / self.beta))


class DecayingProjected(ProjectedDirection):
    """A-TSCGD's step: `z = Π_X(x - a_k v)` with `a_k = lr · k^-p`, `p = (K+3)/(K+shift)`.

    The shift is 7 in general and 3, which makes p = 1, for strongly convex objectives. Yang, Wang
    and Fang, "Multilevel stochastic gradient methods for nested composition optimization", 2019;
    reconstructed.

    >>> DecayingProjected(lr=0.5, shift=3).shift
    3
    """

    lr: Any
    shift: int = eqx.field(static=True)

    def __init__(self, lr: Any, shift: int = 7) -> None:
        self.lr = checks.positive("lr", lr)
        self.shift = checks.whole("shift", shift)

    def end(self, domain: AbstractSet, state: State) -> PyTree:
        levels = len(state.u)
        k = state.k.astype(jnp.result_type(float))
        rate = self.lr * k ** (-(levels + 3) / (levels + self.shift))
        return domain.project(descend(state.x, state.v, rate))


class NormalisedProjected(ProjectedDirection):
    """Nested-SPIDER's step: `x̃ = Π_X(x - lr·v)` and `z = x + γ (x̃ - x)`,
    `γ = min(lr·eps / ||x̃ - x||, 1/2)`: no step is longer than `lr·eps`. Zhang and Xiao,
    "Multilevel composite stochastic optimization via nested variance reduction", 2021;
    reconstructed.

    >>> NormalisedProjected(lr=0.1, eps=0.5).eps
    array(0.5)
    """

    lr: Any
    eps: Any

    def __init__(self, lr: Any, eps: Any) -> None:
        self.lr = checks.positive("lr", lr)
        self.eps = checks.positive("eps", eps)

    def end(self, domain: AbstractSet, state: State) -> PyTree:
        ahead = domain.project(descend(state.x, state.v, self.lr))
        length = jnp.sqrt(pytrees.squared_norm(pytrees.subtract(ahead, state.x)))
        longest = jnp.asarray(self.lr * self.eps, length.dtype)
        gamma = jnp.where(length * 0.5 > longest, longest / length, 0.5)
        return pytrees.move(state.x, ahead, gamma)


def descend(x: PyTree, v: PyTree, rate: Any) -> PyTree:
    return jax.tree.map(lambda a, g: a - jnp.asarray(rate, g.dtype) * g, x, v)
