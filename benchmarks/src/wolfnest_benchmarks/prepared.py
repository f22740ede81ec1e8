"""A method on a problem, compiled: its iterations alone, as often as a measurement needs them."""

from __future__ import annotations

import math

import jax
import numpy as np
from jaxtyping import PRNGKeyArray, PyTree

from wolfnest.estimators import Snapshot, Svrg
from wolfnest.estimators.epochs import EpochEstimator
from wolfnest.objective.problem import Problem
from wolfnest.running import engine, streams
from wolfnest.running.costs import Costs
from wolfnest.schedules import Stagewise
from wolfnest.solver import Solver
from wolfnest.state import State


class Prepared:
    """Calling it makes all iterations, always from the same start; the start is not part of it.

    `steps` are rounded up to whole periods, epochs or stages, so that exact passes count in
    proportion. `seeds` runs go side by side.

    >>> import wolfnest as wn
    >>> problem = wn.problems.mean_variance(wn.datasets.factor_model(100, 3))
    >>> run = Prepared(problem, wn.method("PMVR-v1", batch=4), steps=10)
    >>> run().x.shape, run.steps, run.calls
    ((3,), 10, 10)
    """

    def __init__(
        self,
        problem: Problem,
        solver: Solver,
        steps: int,
        *,
        seeds: int | None = None,
        key: PRNGKeyArray | None = None,
        x0: PyTree | None = None,
    ) -> None:
        self.problem, self.solver = problem, solver
        self.key = streams.seed_keys(jax.random.key(0) if key is None else key, seeds)
        self.parts = engine.Run(solver.iteration, problem, seeded=seeds is not None)
        self.stages = solver.schedule.stages(
            whole_steps(solver, problem, steps), problem.composition.largest
        )
        settings = [engine.Setting.of(stage) for stage in self.stages]
        self.programs = [engine.Steps(self.parts, setting) for setting in settings]
        self.steps = sum(stage.steps for stage in self.stages)
        batch = solver.first_batch(self.stages)
        # Not `problem.point`: whether x0 is in the set may take a full decomposition to say.
        start = problem.start() if x0 is None else problem.shaped(x0)
        self.first, _ = engine.begin(self.parts, start, self.key, batch)
        self.calls, finite = 0, True
        _, self.calls, finite = self._run()
        if not finite:
            raise ValueError(
                f"{solver.name} left the finite numbers on {problem!r}: its times mean nothing. "
                "Take smaller steps."
            )

    def __call__(self) -> State:
        return jax.block_until_ready(self._run()[0])

    def _run(self) -> tuple[State, int, bool]:
        """The last state, the oracle calls of one seed, and whether all is finite."""
        carry, made, calls, finite = self.first, 0, [], True
        for number, (stage, advance) in enumerate(zip(self.stages, self.programs, strict=True)):
            if number:
                place = np.int32(number)
                carry, _ = engine.begin_stage(
                    self.parts, carry, self.key, place, stage.restart, False
                )
            carry, spent, finite = advance(carry, self.key, made, 0, stage.steps)
            made, calls = made + stage.steps, [*calls, spent.lmo]
        return carry.state, sum(int(np.max(part)) for part in calls), bool(np.all(finite))

    def costs(self) -> tuple[float, float, float]:
        """Samples, evaluations and oracle calls per iteration."""
        spent = Costs(self.solver, self.problem.composition).stages(self.stages)
        return spent.samples / self.steps, spent.evaluations / self.steps, self.calls / self.steps

    def state_bytes(self) -> int:
        return sum(leaf.nbytes for leaf in jax.tree.leaves(self.first.state))


def whole_steps(solver: Solver, problem: Problem, steps: int) -> int:
    """At least `steps`, in whole periods or epochs; whole stages are longer, since every stage
    is a call of its own."""
    estimator, composition = solver.estimator, problem.composition
    if isinstance(solver.schedule, Stagewise):
        return _staged_steps(solver.schedule, steps)
    period = 1
    if isinstance(estimator, Snapshot):
        batch = solver.schedule.stages(1, composition.largest)[0].batch
        period = estimator.period_for(composition, batch)
    elif isinstance(estimator, Svrg | EpochEstimator):
        period = estimator.length(composition)
    return period * math.ceil(steps / period)


def _staged_steps(schedule: Stagewise, steps: int) -> int:
    total = count = 0
    while total < 4 * steps:
        total, count = total + schedule.stage(count).steps, count + 1
    return total
