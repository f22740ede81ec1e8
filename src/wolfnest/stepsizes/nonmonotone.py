"""Whole steps that may rise above the last value, but not above all of the last ones."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from wolfnest.common import checks
from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes.base import AbstractStepSize, first_that_fits, longest, value_at
from wolfnest.stepsizes.ray import Length, Ray

MOST_TRIALS = 20
DESCENT = 1e-4  # share of the slope that a step must gain
ROUNDING = 8  # times the precision of the value: rises that say nothing
SHORTEST, FULLEST = 0.1, 0.5  # what may be left of a length that was refused


class Nonmonotone(AbstractStepSize):
    """The end of the ray, shortened until `F(x + γ along) ≤ max_j F_j + 1e-4 γ slope`, where `F_j`
    are the last `memory` values: spectral steps rise now and then, and are longer for it. Grippo,
    Lampariello and Lucidi, "A nonmonotone line search technique for Newton's method", 1986.

    A refused length is shortened to the minimiser of the parabola through what is known, within a
    tenth and a half of it. Values of another stage, which may see another sample, do not count.

    >>> Nonmonotone(memory=8).most_passes
    20
    """

    memory: int = eqx.field(static=True)

    def __init__(self, memory: int = 8) -> None:
        self.memory = checks.whole("memory", memory)

    def begin(self, x: PyTree) -> Float[Array, " memory"]:
        return jnp.full(self.memory, -jnp.inf, jnp.result_type(*jax.tree.leaves(x)))

    def length(self, composition: Composition, state: State, stage: Stage, ray: Ray) -> Length:
        value, slope = state.u[-1], ray.slope
        known = jnp.where(state.t == 1, -jnp.inf, state.search)
        known = jnp.roll(known, 1).at[0].set(value.astype(known.dtype))
        coarse = max(jnp.finfo(value.dtype).eps, jnp.finfo(known.dtype).eps)
        ceiling = jnp.max(known) + ROUNDING * coarse * jnp.abs(value)

        def trial(gamma: Array, n: Array) -> tuple[Array, Array]:
            there = value_at(composition, state.x, ray, gamma)
            fits = there <= ceiling + DESCENT * gamma * slope
            bend = there - value - gamma * slope
            vertex = jnp.where(bend > 0, -slope * gamma**2 / (2 * bend), gamma)
            vertex = jnp.where(jnp.isfinite(vertex), vertex, gamma)
            shorter = jnp.clip(vertex, SHORTEST * gamma, FULLEST * gamma)
            return jnp.where(fits, gamma, shorter).astype(gamma.dtype), fits

        # Without descent there is nowhere to go.
        gamma, n, found = first_that_fits(trial, longest(ray), MOST_TRIALS, over=~(slope < 0))
        gamma = jnp.where(found & (slope < 0), gamma, 0)
        # NaN is no slope: it must not look like a step.
        return Length(jnp.where(jnp.isnan(slope), slope, gamma), known, n)

    @property
    def most_passes(self) -> int:
        return MOST_TRIALS
