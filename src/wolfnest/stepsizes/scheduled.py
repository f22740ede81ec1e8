"""Step sizes that the schedule sets."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import PyTree

from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes.base import AbstractStepSize
from wolfnest.stepsizes.ray import Length, Ray


class Scheduled(AbstractStepSize):
    """`γ = η` of the stage, at most the end of the ray.

    The agnostic rule `2/(t+2)`, t from 0, is this one with the schedule
    `Decaying(Power(2.0, decay=1.0, shift=1), 1.0, batch=1, alpha_decay=0.0)` of `wn.schedules`.

    >>> Scheduled().most_passes
    0
    """

    def begin(self, x: PyTree) -> None:
        return None

    def length(self, composition: Composition, state: State, stage: Stage, ray: Ray) -> Length:
        # Targets have rays of length 1, which no η exceeds: they keep η itself.
        whole = isinstance(ray.most, float | int) and ray.most == 1
        eta: Any = stage.eta  # of one step: a scalar
        gamma = eta if whole else jnp.minimum(eta, ray.most)
        return Length(gamma, None, jnp.int32(0))

    @property
    def most_passes(self) -> int:
        return 0
