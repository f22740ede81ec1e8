"""A solver is estimator × direction × schedule; one step moves, then re-estimates."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import jax
from jaxtyping import PRNGKeyArray, PyTree

from wolfnest.common import checks
from wolfnest.directions import AbstractDirection
from wolfnest.estimators import Exact
from wolfnest.estimators.base import AbstractEstimator
from wolfnest.iteration import Info, Iteration
from wolfnest.objective.problem import Problem
from wolfnest.schedules import AbstractSchedule
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes import AbstractStepSize, Scheduled


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

    @property
    def iteration(self) -> Iteration:
        """The solver without its schedule: what one iteration is made of."""
        return Iteration(self.estimator, self.direction, self.step_size)

    def first_batch(self, stages: list[Stage]) -> int:
        """`B_0` of a run of `stages`."""
        return self.initial_batch or stages[0].batch

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
            batch = self.iteration.draw_first(problem.composition, key, 1)
            return self.init(problem, problem.start(), batch)

        leaves = jax.tree.leaves(jax.eval_shape(first, jax.random.key(0)))
        return sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in leaves)

    def init(self, problem: Problem, x1: PyTree, batch: Any = None) -> State:
        """`(x_1, u_1, v_1)`, t = 1. Snapshot methods start from exact passes: `batch=None`."""
        reason = self.supports(problem)
        if reason:
            raise ValueError(f"{self.name} cannot run on this problem: {reason}.")
        return self.iteration.init(problem, problem.shaped(x1), batch)

    def step(self, problem: Problem, state: State, batch: Any, stage: Stage) -> tuple[State, Info]:
        """Move `x` with the current `v`, then update `u` and `v` at the new `x`.

        Pure: jit it, scan it, feed it batches of your own. `stage.eta` and `stage.alpha` are
        scalars here.
        """
        return self.iteration.step(problem, state, batch, stage)

    def begin_stage(self, problem: Problem, state: State, stage: Stage, batch: Any = None) -> State:
        """t = 1 again. Snapshot methods take a snapshot at the present inputs; with
        `stage.restart` the estimates are re-initialised from `batch`."""
        return self.iteration.begin_stage(problem, state, stage.restart, batch)
