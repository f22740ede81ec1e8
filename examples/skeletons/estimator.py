"""An estimator of your own: copy this file and put your recursion into `update`."""

from typing import Any

import jax.numpy as jnp

import wolfnest as wn
from wolfnest.estimators import Composition, Cost, Estimate, MemorylessEstimator, track_values


class AveragedValues(MemorylessEstimator):  # its batches, checks and first estimates are there
    """`u^i ← (1-α) u^i + α·now`, and `v` is the batch gradient at them as it comes."""

    def update(
        self, composition: Composition, state: wn.State, x: Any, batch: Any, stage: wn.Stage
    ) -> Estimate:
        """From the estimate at `state.x` to the one at `x`, with the samples of `batch`."""
        values, gradient = self.split(composition, batch)  # the same, or two independent batches
        inputs, u = track_values(composition, x, state.u, None, values, stage.alpha)
        return Estimate(u, composition.gradient(inputs, gradient, self.pairing))

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        """What `steps` updates cost: every sample is evaluated at one point here."""
        return self.cost(composition, batch_size * steps, points=1)


def example() -> wn.Solution:
    """Half the variance of two assets less a share of their mean: a level inside a level."""
    returns = jnp.array([[0.1, 0.3], [0.2, -0.1], [0.0, 0.4], [0.1, 0.2]])
    mean = wn.Level(lambda x, r: (r @ x, x), data=returns)
    risk = wn.Level(lambda y, r: 0.5 * (r @ y[1] - y[0]) ** 2 - 0.1 * y[0], data=returns)
    problem = wn.Problem([mean, risk], wn.sets.Simplex(2), convex=True)
    schedule = wn.schedules.Constant(eta=0.005, alpha=0.1, batch=64)
    solver = wn.Solver(AveragedValues(gradient_batch="separate"), wn.LMO(), schedule)
    return wn.solve(problem, solver, steps=500, progress=False)


if __name__ == "__main__":
    print(example().x)
