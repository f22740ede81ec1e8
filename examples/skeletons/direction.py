"""A direction of your own: copy this file and say in `target` where to move."""

import jax
import jax.numpy as jnp
from jax import Array

import wolfnest as wn
from wolfnest.directions import Target, TargetDirection
from wolfnest.sets import AbstractSet


class Alternating(TargetDirection):  # ExchangeDirection to move weight between vertices instead
    """Towards the oracle's vertex in odd steps, towards `Π(x - v/β)` in even ones."""

    beta: Array

    def __init__(self, beta: float) -> None:
        self.beta = jnp.asarray(beta)

    def target(self, domain: AbstractSet, state: wn.State, stage: wn.Stage) -> Target:
        """`z` for the point `state.x` and the gradient `state.v`, in step number `state.k`."""

        vertex = lambda: wn.LMO().target(domain, state, stage)
        projected = lambda: wn.Projected(self.beta).target(domain, state, stage)
        # Made by hand: Target(z, the guess for the oracle's next call, oracle calls made).
        found: Target = jax.lax.cond(state.k % 2 == 1, vertex, projected)
        return found

    def needs(self, domain: AbstractSet) -> str | None:
        """Why it cannot be taken in a set; None if it can."""
        return wn.Projected(self.beta).needs(domain)

    def most_calls(self, stage: wn.Stage, k: int, n: int) -> int:
        """The most oracle calls of `n` steps, the first of which has number `k`."""
        return (n + k % 2) // 2


def example() -> wn.Solution:
    """The point of a simplex that is nearest to a target, by exact gradients."""
    target = jnp.array([0.5, 0.4, -0.3])
    level = wn.Level(lambda x: jnp.sum((x - target) ** 2))
    problem = wn.Problem([level], wn.sets.Simplex(3), convex=True)
    schedule = wn.schedules.Constant(eta=1.0, alpha=1.0, batch=1)
    rule = wn.stepsizes.Adaptive()
    solver = wn.Solver(wn.estimators.Exact(), Alternating(2.0), schedule, step_size=rule)
    return wn.solve(problem, solver, steps=20, progress=False)


if __name__ == "__main__":
    print(example().x)
