"""Scheduled steps that never make the objective rise."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes.base import AbstractStepSize, first_that_fits, longest, value_at
from wolfnest.stepsizes.ray import Length, Ray

MOST_TRIALS = 40


class Monotone(AbstractStepSize):
    """`γ = η`, halved until `F(x + γ · along) ≤ F(x)`; 0 where no length will do.

    With η = 2/(t+2): Carderera, Besançon and Pokutta, "Simple steps are all you need", 2021,
    where steps that would rise are halved rather than left out.

    >>> Monotone().most_passes
    40
    """

    def begin(self, x: PyTree) -> None:
        return None

    def length(self, composition: Composition, state: State, stage: Stage, ray: Ray) -> Length:
        whole = jnp.minimum(jnp.asarray(stage.eta, ray.slope.dtype), longest(ray))

        def trial(gamma: Array, n: Array) -> tuple[Array, Array]:
            gamma = jnp.where(n > 0, gamma / 2, gamma)
            return gamma, value_at(composition, state.x, ray, gamma) <= state.u[-1]

        gamma, n, found = first_that_fits(trial, whole, MOST_TRIALS)
        return Length(jnp.where(found, gamma, 0), None, n)

    @property
    def most_passes(self) -> int:
        return MOST_TRIALS
