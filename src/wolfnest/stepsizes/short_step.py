"""The short step: the minimiser of the quadratic upper bound along the ray."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import PyTree

from wolfnest.common import checks
from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes.base import AbstractStepSize, model_step
from wolfnest.stepsizes.ray import Length, Ray


class ShortStep(AbstractStepSize):
    """`γ = min(-slope / (L ||along||²), most)`, where L is a Lipschitz constant of the gradient.

    It makes no exact passes, so that it also goes with estimated gradients.

    >>> ShortStep(smoothness=2.0).smoothness
    array(2.)
    """

    smoothness: Any

    def __init__(self, smoothness: Any) -> None:
        self.smoothness = checks.positive("smoothness", smoothness)

    def begin(self, x: PyTree) -> None:
        return None

    def length(self, composition: Composition, state: State, stage: Stage, ray: Ray) -> Length:
        return Length(model_step(ray, self.smoothness), None, jnp.int32(0))

    @property
    def most_passes(self) -> int:
        return 0
