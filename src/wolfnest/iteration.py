"""One iteration of a method: begin at a point, move and re-estimate, begin a stage."""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray, PyTree

from wolfnest.directions import AbstractDirection
from wolfnest.estimators.base import AbstractEstimator, Estimate
from wolfnest.objective.composition import Composition
from wolfnest.objective.problem import Problem
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes import AbstractStepSize


class Info(eqx.Module):
    """Diagnostics of one step, for free: oracle calls made, the gap `<v, x - z>` of the
    estimated gradient (for the LMO direction an estimate of the Frank-Wolfe gap), and exact passes
    of the step-size rule."""

    lmo: Int32[Array, ""]
    gap: Array
    passes: Int32[Array, ""]


class Iteration(eqx.Module):
    """The parts that an iteration is made of: how the objective is estimated, where to move and how
    far to go. A solver is these and a schedule; compiled code takes them without it.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> problem = wn.Problem([wn.Level(lambda x: jnp.sum(x**2))], wn.sets.Simplex(2))
    >>> parts = wn.estimators.Exact(), wn.LMO(), wn.stepsizes.Scheduled()
    >>> iteration = Iteration(*parts)
    >>> state = iteration.init(problem, jnp.array([1.0, 0.0]))
    >>> state, info = iteration.step(problem, state, None, wn.Stage(1, eta=0.5, alpha=1.0, batch=1))
    >>> state.x.tolist(), float(info.gap)
    ([0.5, 0.5], 2.0)
    """

    estimator: AbstractEstimator
    direction: AbstractDirection
    step_size: AbstractStepSize

    def draw_first(self, composition: Composition, key: PRNGKeyArray, n: int) -> Any:
        """The batch of `n` samples per level that estimates start from; None where they start
        from exact passes."""
        return None if self.estimator.exact_start else self.estimator.draw(composition, key, n)

    def init(self, problem: Problem, x1: PyTree, batch: Any = None) -> State:
        """`(x_1, u_1, v_1)` with t = 1."""
        dtype = jnp.result_type(*jax.tree.leaves(x1))
        u, v, memory = _settle(self.estimator.init(problem.composition, x1, batch))
        ahead, active = self.direction.begin(x1)
        return State(
            x=x1,
            u=u,
            v=v,
            t=jnp.int32(1),
            k=jnp.int32(1),
            memory=memory,
            guess=problem.domain.first_guess(dtype),
            rest=jax.tree.map(jnp.zeros_like, x1),
            ahead=ahead,
            active=active,
            search=self.step_size.begin(x1),
        )

    def step(self, problem: Problem, state: State, batch: Any, stage: Stage) -> tuple[State, Info]:
        """From iteration t to t + 1: `x` moves with the present `v`, then `u` and `v` follow."""
        if jnp.ndim(stage.eta) or jnp.ndim(stage.alpha):
            raise ValueError(
                "a step needs scalar eta and alpha, got one per step: pass the stage of this step "
                "alone, stage.at(i)."
            )
        length = lambda ray: self.step_size.length(problem.composition, state, stage, ray)
        move = self.direction.move(problem.domain, state, stage, length)
        at = move.x if move.ahead is None else move.ahead.point
        u, v, memory = self.estimator.update(problem.composition, state, at, batch, stage)
        after = State(
            x=move.x,
            u=u,
            v=v,
            t=state.t + 1,
            k=state.k + 1,
            memory=memory,
            guess=move.guess,
            rest=move.rest,
            ahead=move.ahead,
            active=move.active,
            search=move.search,
        )
        return after, Info(move.lmo, move.gap, jnp.asarray(move.passes, jnp.int32))

    def begin_stage(
        self, problem: Problem, state: State, restart: int | None, batch: Any = None
    ) -> State:
        """t = 1 again, at the present point; with `restart` the estimates start anew from a batch
        of so many samples per level."""
        if restart is None:
            estimate = self.estimator.begin_stage(problem.composition, state)
        else:
            exact = self.estimator.exact_start
            if batch is None and not exact and problem.composition.sampled_levels:
                raise ValueError(
                    f"the stage restarts from {restart} samples per level, but batch is None: "
                    "pass a batch of that size."
                )
            estimate = self.estimator.init(problem.composition, state.inputs[0], batch)
        u, v, memory = _settle(estimate)
        return dataclasses.replace(state, u=u, v=v, t=jnp.int32(1), memory=memory)


def _settle(estimate: Estimate) -> Estimate:
    """Strong dtypes, so that the state of a loop keeps its types."""
    return jax.tree.map(lambda a: jnp.asarray(a, a.dtype), estimate)
