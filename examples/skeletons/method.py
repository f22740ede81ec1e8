"""A method of your own: copy this file and put your parts together."""

import jax.numpy as jnp

import wolfnest as wn


def momentum_away(eta: float = 0.05, alpha: float = 0.2, batch: int = 64) -> wn.Solver:
    """Away steps on averaged gradients: estimator × direction × schedule.

    Parts of your own go in their places (`estimator.py`, `direction.py`, `step_size.py`); the
    schedule may have stages (`wn.schedules.Stagewise`) or decay (`wn.schedules.Decaying`).
    """
    return wn.Solver(
        wn.estimators.Momentum(gradient_batch="separate"),
        wn.directions.AwayStep(),
        wn.schedules.Constant(eta, alpha, batch),
        initial_batch=4 * batch,  # samples for the first estimate
        name="momentum, away steps",
        most_levels=None,  # 1 for a method that is defined for one level alone
        step_size=wn.stepsizes.Scheduled(),
    )


def example() -> wn.Solution:
    """The point of a simplex that is nearest to the mean of some points."""
    points = jnp.array([[0.9, 0.2, 0.0], [0.1, 0.6, -0.6]])
    level = wn.Level(lambda x, p: jnp.sum((x - p) ** 2), data=points)
    problem = wn.Problem([level], wn.sets.Simplex(3), convex=True)
    return wn.solve(problem, momentum_away(), steps=300, progress=False)


if __name__ == "__main__":
    print(example().x)
