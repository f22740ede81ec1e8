"""What a budget of samples pays for: the stages of a run, cut to it, and the counts along it."""

from __future__ import annotations

import dataclasses
import itertools

from wolfnest.budget import Budget
from wolfnest.problem import Problem
from wolfnest.solution import Counts
from wolfnest.solve import MOST_STEPS
from wolfnest.solver import Solver
from wolfnest.stage import Stage


@dataclasses.dataclass(frozen=True)
class Plan:
    """The run that `wn.solve(problem, solver, budget={"samples": …})` makes."""

    problem: Problem
    solver: Solver
    stages: tuple[Stage, ...]
    first: int
    """Samples per level at the start."""

    @property
    def steps(self) -> int:
        return sum(stage.steps for stage in self.stages)

    def stops(self, records: int) -> tuple[int, ...]:
        """The steps after which to record: the start, and `records` more as evenly as whole
        numbers allow (each one where there are fewer)."""
        total = self.steps
        return tuple(sorted({round(total * i / records) for i in range(records + 1)}))

    def counts(self, step: int) -> Counts:
        """Samples and evaluations up to a step; oracle calls are counted by the run."""
        estimator, composition = self.solver.estimator, self.problem.composition
        spent = Counts(*estimator.init_cost(composition, self.first))
        for number, stage in enumerate(self.stages):
            if number and step > 0:
                spent += start_of(self.solver, self.problem, stage)
            made = min(step, stage.steps)
            spent += Counts(*estimator.steps_cost(composition, stage.batch, 1, made))
            step -= made
        return spent


def plan(problem: Problem, solver: Solver, samples: int) -> Plan:
    """The stages of a solver as far as `samples` samples go.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> level = wn.Level(lambda x, a: (a @ x) ** 2, data=jnp.eye(3))
    >>> problem = wn.Problem([level], wn.sets.Simplex(3))
    >>> found = plan(problem, wn.method("PMVR-v1", batch=10), samples=1_005)
    >>> found.steps, found.stops(4), found.counts(99).samples
    (99, (0, 25, 50, 74, 99), 1000)
    """
    estimator, composition = solver.estimator, problem.composition
    stages = solver.schedule.stages(MOST_STEPS, composition.largest)
    limits, first = Budget(samples=samples), solver.initial_batch or stages[0].batch
    spent = Counts(*estimator.init_cost(composition, first))
    if not limits.covers(spent):
        raise ValueError(
            f"the budget of {samples:,} samples does not cover the start of {solver.name}, which "
            f"uses {spent.samples:,}. Take a longer horizon or larger batches."
        )
    kept: list[Stage] = []
    for number, stage in enumerate(stages):
        if number:
            spent += start_of(solver, problem, stage)
        cost = lambda n, batch=stage.batch: Counts(*estimator.steps_cost(composition, batch, 1, n))
        steps = limits.affordable(spent, 0.0, cost, stage.steps) if limits.covers(spent) else 0
        if steps:
            kept.append(stage.cut(steps))
            spent += cost(steps)
        if steps < stage.steps:
            break
    if not kept:
        raise ValueError(
            f"the budget of {samples:,} samples pays for the start of {solver.name}, but for no "
            "step after it. Take a longer horizon or larger batches."
        )
    return Plan(problem, solver, tuple(kept), first)


def start_of(solver: Solver, problem: Problem, stage: Stage) -> Counts:
    """What it costs to begin a later stage."""
    estimator, composition = solver.estimator, problem.composition
    if stage.restart is None:
        return Counts(*estimator.stage_cost(composition))
    return Counts(*estimator.init_cost(composition, stage.restart))


def pieces(stages: tuple[Stage, ...], stops: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """A run cut at the ends of stages and at `stops`: (stage, steps of it that are behind, steps).

    >>> pieces((Stage(3, 0.1, 0.1, 1), Stage(4, 0.1, 0.1, 1)), (0, 2, 4, 7))
    [(0, 0, 2), (0, 2, 1), (1, 0, 1), (1, 1, 3)]
    """
    ends = list(itertools.accumulate(stage.steps for stage in stages))
    cuts = sorted({0, *ends, *stops})
    found, number = [], 0
    for begin, end in itertools.pairwise(cuts):
        while begin >= ends[number]:
            number += 1
        behind = begin - (ends[number] - stages[number].steps)
        found.append((number, behind, end - begin))
    return found
