"""A step-size rule of your own: copy this file and say in `length` how far to go."""

from typing import Any

import jax.numpy as jnp

import wolfnest as wn
from wolfnest.stepsizes import AbstractStepSize, Composition, Length, Ray, value_at


class Parabola(AbstractStepSize):
    """The minimiser of the parabola through the value and the slope here and the value at the end
    of the ray: exact for quadratics."""

    def begin(self, x: Any) -> None:
        """What the rule remembers at the first point; it comes back as `state.search`."""
        return None

    def length(
        self, composition: Composition, state: wn.State, stage: wn.Stage, ray: Ray
    ) -> Length:
        """γ in `x ← x + γ · ray.along`, between 0 and `ray.most`."""
        most = jnp.asarray(ray.most, ray.slope.dtype)
        end = value_at(composition, state.x, ray, most)  # one exact pass
        bend = end - state.u[-1] - most * ray.slope
        lowest = -ray.slope * most**2 / jnp.where(bend > 0, 2 * bend, 1)
        gamma = jnp.where(bend > 0, jnp.clip(lowest, 0, most), most)
        return Length(gamma, None, jnp.int32(1))  # what to remember, and the passes made

    @property
    def most_passes(self) -> int:
        """The most exact passes of a step; 0 goes with estimated gradients as well."""
        return 1


def example() -> wn.Solution:
    """The point of a simplex that is nearest to a target, by pairwise steps."""
    target = jnp.array([0.5, 0.4, -0.3])
    level = wn.Level(lambda x: jnp.sum((x - target) ** 2))
    problem = wn.Problem([level], wn.sets.Simplex(3), convex=True)
    schedule = wn.schedules.Constant(eta=1.0, alpha=1.0, batch=1)
    pairwise = wn.directions.Pairwise()
    solver = wn.Solver(wn.estimators.Exact(), pairwise, schedule, step_size=Parabola())
    return wn.solve(problem, solver, steps=20, progress=False)


if __name__ == "__main__":
    print(example().x)
