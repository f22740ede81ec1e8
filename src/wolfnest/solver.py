"""A solver is estimator × direction × schedule; one step moves, then re-estimates."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PyTree

from wolfnest import _checks, _trees
from wolfnest.directions import AbstractDirection
from wolfnest.estimators.base import AbstractEstimator, Estimate
from wolfnest.problem import Problem
from wolfnest.schedules import AbstractSchedule
from wolfnest.stage import Stage
from wolfnest.state import State


class Info(eqx.Module):
    """Diagnostics of one step, for free: oracle calls made, and the gap `<v, x - z>` of the
    estimated gradient (for the LMO direction an estimate of the Frank-Wolfe gap)."""

    lmo: Int32[Array, ""]
    gap: Array


@functools.partial(
    jax.tree_util.register_dataclass,
    data_fields=("estimator", "direction", "schedule"),
    meta_fields=("initial_batch", "name"),
)
@dataclasses.dataclass(frozen=True, eq=False)
class Solver:
    """A method: how the objective is estimated, where to move, and with which parameters.

    `initial_batch` is `B_0`; None takes the batch of the first stage.

    >>> import wolfnest as wn
    >>> solver = wn.Solver(wn.Storm(), wn.LMO(), wn.Constant(eta=0.01, alpha=0.1, batch=128))
    >>> solver.schedule.stages(400)
    [Stage(steps=400, eta=0.01, alpha=0.1, batch=128)]
    """

    estimator: AbstractEstimator
    direction: AbstractDirection
    schedule: AbstractSchedule
    initial_batch: int | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.initial_batch is not None:
            _checks.whole("initial_batch", self.initial_batch)
        if not self.name:
            parts = f"{type(self.estimator).__name__} × {type(self.direction).__name__}"
            object.__setattr__(self, "name", parts)

    def supports(self, problem: Problem) -> str | None:
        """Why this solver cannot run on `problem`; None if it can."""
        return self.estimator.needs(problem.composition) or self.direction.needs(problem.domain)

    def init(self, problem: Problem, x1: PyTree, batch: Any = None) -> State:
        """`(x_1, u_1, v_1)`, t = 1. Snapshot methods start from exact passes: `batch=None`."""
        reason = self.supports(problem)
        if reason:
            raise ValueError(f"{self.name} cannot run on this problem: {reason}.")
        return init(self.estimator, problem, problem.shaped(x1), batch)

    def step(self, problem: Problem, state: State, batch: Any, stage: Stage) -> tuple[State, Info]:
        """Move `x` with the current `v`, then update `u` and `v` at the new `x`.

        Pure: jit it, scan it, feed it batches of your own. `stage.eta` and `stage.alpha` are
        scalars here.
        """
        return step(self.estimator, self.direction, problem, state, batch, stage)

    def begin_stage(self, problem: Problem, state: State, stage: Stage, batch: Any = None) -> State:
        """t = 1 again. Snapshot methods take a snapshot at the present inputs; with
        `stage.restart` the estimates are re-initialised from `batch`."""
        return begin_stage(self.estimator, problem, state, stage.restart, batch)


def init(estimator: AbstractEstimator, problem: Problem, x1: PyTree, batch: Any) -> State:
    dtype = jnp.result_type(*jax.tree.leaves(x1))
    u, v, memory = _settle(estimator.init(problem.composition, x1, batch))
    rest = jax.tree.map(jnp.zeros_like, x1)
    return State(x1, u, v, jnp.int32(1), memory, problem.domain.first_guess(dtype), rest)


def step(
    estimator: AbstractEstimator,
    direction: AbstractDirection,
    problem: Problem,
    state: State,
    batch: Any,
    stage: Stage,
) -> tuple[State, Info]:
    if jnp.ndim(stage.eta) or jnp.ndim(stage.alpha):
        raise ValueError(
            "a step needs scalar eta and alpha, got one per step: pass the stage of this step "
            "alone, such as Stage(1, eta[t], alpha[t], batch)."
        )
    z, guess, lmo = direction.target(problem.domain, state.x, state.v, stage.inner, state.guess)
    x, rest = _trees.move_compensated(state.x, z, stage.eta, state.rest)
    u, v, memory = estimator.update(problem.composition, state, x, batch, stage)
    gap = _trees.dot(state.v, _trees.subtract(state.x, z))
    return State(x, u, v, state.t + 1, memory, guess, rest), Info(lmo, gap)


def begin_stage(
    estimator: AbstractEstimator, problem: Problem, state: State, restart: int | None, batch: Any
) -> State:
    if restart is not None:
        if batch is None and not estimator.exact_start and problem.composition.sampled_levels:
            raise ValueError(
                f"the stage restarts from {restart} samples per level, but batch is None: "
                "pass a batch of that size."
            )
        u, v, memory = _settle(estimator.init(problem.composition, state.x, batch))
    else:
        u, v = state.u, state.v
        memory = estimator.begin_stage(problem.composition, state)
    return dataclasses.replace(state, u=u, v=v, t=jnp.int32(1), memory=memory)


def _settle(estimate: Estimate) -> Estimate:
    """Strong dtypes, so that the state of a loop keeps its types."""
    return jax.tree.map(lambda a: jnp.asarray(a, a.dtype), estimate)
