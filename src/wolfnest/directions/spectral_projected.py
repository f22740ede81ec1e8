"""Spectral projected steps: the last step tells how long the next one should be."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from wolfnest.common import pytrees
from wolfnest.directions.base import (
    Begun,
    MemorylessDirection,
    Move,
    Target,
    towards,
    without_projection,
)
from wolfnest.directions.lmo import LMO
from wolfnest.directions.projected import descend
from wolfnest.schedules.stage import Stage
from wolfnest.sets.base import AbstractSet
from wolfnest.state import State
from wolfnest.stepsizes.ray import Rule

# Rates beyond so many times |s|/|y| come from rounding: the two are next to orthogonal.
LONGEST = 1e3


class Before(eqx.Module):
    """Where the last step began, the gradient there, and its rate; 0 where it had none."""

    x: PyTree
    v: PyTree
    rate: Float[Array, ""]


class SpectralProjected(MemorylessDirection):
    """`z = Π_X(x - a v)` with the rate `a = <s, s> / <s, y>` of the last step, `s = x - x'` and
    `y = v - v'`: the inverse of the curvature that it met. Birgin, Martínez and Raydan,
    "Nonmonotone spectral projected gradient methods on convex sets", 2000.

    The first step has none to learn from: it goes towards the oracle's vertex, so that the units of
    the objective do not count. Those of the variables do: one rate serves all of them. The first
    step of a stage, which may see another sample than the last one did, keeps the rate. Where `<s,
    y> ≤ 0` it is `|s| / |y|`.

    >>> SpectralProjected()
    SpectralProjected()
    """

    def begin(self, x: PyTree) -> Begun:
        nothing = jnp.zeros((), jnp.result_type(*jax.tree.leaves(x)))
        return Begun(active=Before(x, jax.tree.map(jnp.zeros_like, x), nothing))

    def move(self, domain: AbstractSet, state: State, stage: Stage, length: Rule) -> Move:
        rate = _rate(state)

        def projected() -> Target:
            z = domain.project(descend(state.x, state.v, rate))
            return Target(pytrees.cast_like(z, state.x), state.guess, jnp.int32(0))

        def vertex() -> Target:
            z, guess, lmo = LMO().target(domain, state, stage)
            return Target(pytrees.cast_like(z, state.x), guess, lmo)

        target = jax.lax.cond(rate > 0, projected, vertex)
        # <v, x - Π(x - a v)> ≥ ||x - Π(x - a v)||² / a.
        square = pytrees.squared_norm(pytrees.subtract(target.z, state.x))
        least = jnp.where(rate > 0, square / jnp.where(rate > 0, rate, 1), 0)
        move = towards(state, target, length, least)
        return move._replace(active=Before(state.x, state.v, rate))

    def needs(self, domain: AbstractSet) -> str | None:
        return without_projection(domain)

    def most_calls(self, stage: Stage, k: int, n: int) -> int:
        return n

    @property
    def takes_rules(self) -> bool:
        return True


def _rate(state: State) -> Float[Array, ""]:
    before = state.active
    # Scaled to entries of at most 1, or squares would leave the range of small floats.
    s, moved = _scaled(pytrees.subtract(state.x, before.x))
    y, changed = _scaled(pytrees.subtract(state.v, before.v))
    ss, sy, yy = pytrees.squared_norm(s), pytrees.dot(s, y), pytrees.squared_norm(y)
    usual = jnp.sqrt(ss / jnp.where(yy > 0, yy, 1))
    learnt = jnp.where(sy > 0, ss / jnp.where(sy > 0, sy, 1), usual)
    learnt = jnp.minimum(learnt, LONGEST * usual) * (moved / changed)
    # Nothing to learn from: another sample, no move, or no curvature.
    useless = (state.t == 1) | (ss == 0) | (yy == 0) | ~jnp.isfinite(learnt)
    return jnp.where(useless, before.rate, learnt.astype(before.rate.dtype))


def _scaled(tree: PyTree) -> tuple[PyTree, Array]:
    """A tree over its largest entry, and that; 1 where it is zero."""
    largest = jnp.max(jnp.stack([jnp.max(jnp.abs(leaf)) for leaf in jax.tree.leaves(tree)]))
    largest = jnp.where(largest > 0, largest, 1)
    return jax.tree.map(lambda leaf: leaf / largest.astype(leaf.dtype), tree), largest
