"""A solver is estimator × direction × schedule; one step moves, then re-estimates."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray, PyTree

from wolfnest.common import checks
from wolfnest.directions import AbstractDirection
from wolfnest.estimators import Exact
from wolfnest.estimators.base import AbstractEstimator, Cost, Estimate
from wolfnest.objective.composition import Composition
from wolfnest.objective.problem import Problem
from wolfnest.schedules import AbstractSchedule
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes import AbstractStepSize, Scheduled


class Info(eqx.Module):
    """Diagnostics of one step, for free: oracle calls made, the gap `<v, x - z>` of the
    estimated gradient (for the LMO direction an estimate of the Frank-Wolfe gap), and exact passes
    of the step-size rule."""

    lmo: Int32[Array, ""]
    gap: Array
    passes: Int32[Array, ""]


@functools.partial(
    jax.tree_util.register_dataclass,
    data_fields=("estimator", "direction", "schedule", "step_size"),
    meta_fields=("initial_batch", "name", "most_levels"),
)
@dataclasses.dataclass(frozen=True, eq=False)
class Solver:
    """A method: how the objective is estimated, where to move, and with which parameters.

    `initial_batch` is `B_0`; None takes the batch of the first stage. `most_levels` is the largest
    number of levels that the method is defined for; None is any. `step_size` says how far to go
    along the direction: as the schedule has it, unless told otherwise.

    >>> import wolfnest as wn
    >>> schedule = wn.schedules.Constant(eta=0.01, alpha=0.1, batch=128)
    >>> solver = wn.Solver(wn.estimators.Storm(), wn.LMO(), schedule)
    >>> solver.schedule.stages(400)
    [Stage(steps=400, eta=0.01, alpha=0.1, batch=128)]
    """

    estimator: AbstractEstimator
    direction: AbstractDirection
    schedule: AbstractSchedule
    initial_batch: int | None = None
    name: str = ""
    most_levels: int | None = None
    step_size: AbstractStepSize = dataclasses.field(default_factory=Scheduled)

    def __post_init__(self) -> None:
        if self.initial_batch is not None:
            checks.whole("initial_batch", self.initial_batch)
        if not self.name:
            parts = f"{type(self.estimator).__name__} × {type(self.direction).__name__}"
            object.__setattr__(self, "name", parts)

    def supports(self, problem: Problem) -> str | None:
        """Why this solver cannot run on `problem`; None if it can."""
        levels = len(problem.composition)
        if self.most_levels is not None and levels > self.most_levels:
            most = "one level" if self.most_levels == 1 else f"{self.most_levels} levels"
            return (
                f"it has {levels} levels, and the method is defined for {most}: take a method for "
                "nested objectives (wn.methods.table() names them)"
            )
        return (
            self.estimator.needs(problem.composition)
            or self.direction.needs(problem.domain)
            or self._misfit()
        )

    def _misfit(self) -> str | None:
        """Why the step-size rule does not go with the other parts."""
        rule = type(self.step_size).__name__
        if not (self.direction.takes_rules or isinstance(self.step_size, Scheduled)):
            name = type(self.direction).__name__
            return f"{name} sets the lengths of its steps itself, so {rule} cannot: take Scheduled"
        if self.step_size.most_passes and not isinstance(self.estimator, Exact):
            name = type(self.estimator).__name__
            return (
                f"{rule} compares exact values, and the estimator is {name}: take the estimator "
                "Exact, or the step sizes Scheduled or ShortStep"
            )
        return None

    def stage_cost(self, composition: Composition, stage: Stage) -> Cost:
        """What it costs to begin `stage`."""
        if stage.restart is None:
            return self.estimator.stage_cost(composition)
        return self.estimator.init_cost(composition, stage.restart)

    def state_bytes(self, problem: Problem) -> int:
        """The memory of the state of a run: what methods that track Jacobians pay for.

        >>> import jax.numpy as jnp, wolfnest as wn
        >>> mean = wn.Level(lambda x, r: (r @ x, x), data=jnp.eye(100))
        >>> risk = wn.Level(lambda y, r: (r @ y[1] - y[0]) ** 2, data=jnp.eye(100))
        >>> problem = wn.Problem([mean, risk], wn.sets.Simplex(100))
        >>> wn.method("PMVR-v1").state_bytes(problem), wn.method("SMVR").state_bytes(problem)
        (1616, 42420)
        """

        def first(key: PRNGKeyArray) -> State:
            batch = None
            if not self.estimator.exact_start:
                batch = self.estimator.draw(problem.composition, key, 1)
            return self.init(problem, problem.start(), batch)

        leaves = jax.tree.leaves(jax.eval_shape(first, jax.random.key(0)))
        return sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in leaves)

    def init(self, problem: Problem, x1: PyTree, batch: Any = None) -> State:
        """`(x_1, u_1, v_1)`, t = 1. Snapshot methods start from exact passes: `batch=None`."""
        reason = self.supports(problem)
        if reason:
            raise ValueError(f"{self.name} cannot run on this problem: {reason}.")
        x1 = problem.shaped(x1)
        return init(self.estimator, self.direction, self.step_size, problem, x1, batch)

    def step(self, problem: Problem, state: State, batch: Any, stage: Stage) -> tuple[State, Info]:
        """Move `x` with the current `v`, then update `u` and `v` at the new `x`.

        Pure: jit it, scan it, feed it batches of your own. `stage.eta` and `stage.alpha` are
        scalars here.
        """
        return step(self.estimator, self.direction, self.step_size, problem, state, batch, stage)

    def begin_stage(self, problem: Problem, state: State, stage: Stage, batch: Any = None) -> State:
        """t = 1 again. Snapshot methods take a snapshot at the present inputs; with
        `stage.restart` the estimates are re-initialised from `batch`."""
        return begin_stage(self.estimator, problem, state, stage.restart, batch)


def init(
    estimator: AbstractEstimator,
    direction: AbstractDirection,
    step_size: AbstractStepSize,
    problem: Problem,
    x1: PyTree,
    batch: Any,
) -> State:
    dtype = jnp.result_type(*jax.tree.leaves(x1))
    u, v, memory = _settle(estimator.init(problem.composition, x1, batch))
    ahead, active = direction.begin(x1)
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
        search=step_size.begin(x1),
    )


def step(
    estimator: AbstractEstimator,
    direction: AbstractDirection,
    step_size: AbstractStepSize,
    problem: Problem,
    state: State,
    batch: Any,
    stage: Stage,
) -> tuple[State, Info]:
    if jnp.ndim(stage.eta) or jnp.ndim(stage.alpha):
        raise ValueError(
            "a step needs scalar eta and alpha, got one per step: pass the stage of this step "
            "alone, stage.at(i)."
        )
    length = lambda ray: step_size.length(problem.composition, state, stage, ray)
    move = direction.move(problem.domain, state, stage, length)
    at = move.x if move.ahead is None else move.ahead.point
    u, v, memory = estimator.update(problem.composition, state, at, batch, stage)
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
    estimator: AbstractEstimator, problem: Problem, state: State, restart: int | None, batch: Any
) -> State:
    if restart is None:
        estimate = estimator.begin_stage(problem.composition, state)
    else:
        if batch is None and not estimator.exact_start and problem.composition.sampled_levels:
            raise ValueError(
                f"the stage restarts from {restart} samples per level, but batch is None: "
                "pass a batch of that size."
            )
        estimate = estimator.init(problem.composition, state.inputs[0], batch)
    u, v, memory = _settle(estimate)
    return dataclasses.replace(state, u=u, v=v, t=jnp.int32(1), memory=memory)


def _settle(estimate: Estimate) -> Estimate:
    """Strong dtypes, so that the state of a loop keeps its types."""
    return jax.tree.map(lambda a: jnp.asarray(a, a.dtype), estimate)
