"""Short steps with a smoothness that is estimated along the way."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import pytrees
from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes.base import (
    AbstractStepSize,
    first_that_fits,
    longest,
    model_step,
    slope_at,
    value_at,
)
from wolfnest.stepsizes.ray import Length, Ray

SHRINK, GROW = 0.9, 2.0
MOST_TRIALS = 40


class Adaptive(AbstractStepSize):
    """The short step for a local estimate M of the smoothness, found by backtracking.

    M starts at 0.9 of the last one (the first one makes a whole step) and doubles until the
    objective lies below its quadratic model at the new point:

        F(x + γ d) ≤ F(x) + γ slope + γ²/2 · M ||d||²

    Near a minimiser both sides agree up to rounding, and nothing can be learnt from them. Where
    the first-order change is below √ε |F|, the derivatives of the two sides are compared
    instead: for quadratics that is the same condition, and it keeps its digits. Pedregosa,
    Negiar, Askari and Jaggi, "Linearly convergent Frank-Wolfe with backtracking line-search",
    2020.

    >>> Adaptive().most_passes
    40
    """

    def begin(self, x: PyTree) -> Array:
        """0: nothing is known yet."""
        return jnp.zeros((), jnp.result_type(*jax.tree.leaves(x)))

    def length(self, composition: Composition, state: State, stage: Stage, ray: Ray) -> Length:
        square, slope = pytrees.squared_norm(ray.along), ray.slope
        value, known = state.u[-1], state.search
        clear = jnp.sqrt(jnp.finfo(value.dtype).eps) * jnp.abs(value)

        def fits(gamma: Array, smoothness: Array) -> Array:
            bend = gamma * smoothness * square

            def by_value() -> Array:
                rise = value_at(composition, state.x, ray, gamma) - value
                return rise <= gamma * (slope + bend / 2)

            def by_slope() -> Array:
                slack = jnp.sqrt(jnp.finfo(slope.dtype).eps) * slope
                return slope_at(composition, state.x, ray, gamma) <= slope + bend - slack

            return jax.lax.cond(-gamma * slope > clear, by_value, by_slope)

        def trial(smoothness: Array, n: Array) -> tuple[Array, Array]:
            smoothness = jnp.where(n > 0, GROW * smoothness, smoothness)
            return smoothness, fits(model_step(ray, smoothness), smoothness)

        first = jnp.where(known > 0, SHRINK * known, -slope / (longest(ray) * square))
        # Without descent (or with NaN) there is nothing to try.
        smoothness, n, found = first_that_fits(
            trial, first.astype(known.dtype), MOST_TRIALS, over=~(slope < 0)
        )
        # Where nothing fits, rounding has the word: what was known stays.
        learnt = jnp.where(found & (n > 0), smoothness, known)
        return Length(model_step(ray, smoothness), learnt, n)

    @property
    def most_passes(self) -> int:
        return MOST_TRIALS
