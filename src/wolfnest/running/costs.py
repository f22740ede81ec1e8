"""What a run costs in samples, evaluations and oracle calls: counted here and nowhere else."""

from __future__ import annotations

import dataclasses

from wolfnest.estimators.base import pass_cost
from wolfnest.objective.composition import Composition
from wolfnest.running.budget import MOST_STEPS, Budget
from wolfnest.schedules.stage import Stage
from wolfnest.solution import Counts
from wolfnest.solver import Solver


@dataclasses.dataclass(frozen=True)
class Costs:
    """The pieces of a run of one solver on some levels, and what each of them costs.

    >>> import wolfnest as wn
    >>> problem = wn.problems.mean_variance(wn.datasets.factor_model(100, 3))
    >>> costs = Costs(wn.method("PMVR-v1", batch=4, initial_batch=10), problem.composition)
    >>> stages = costs.solver.schedule.stages(50)
    >>> costs.start(stages), costs.most(stages[0], done=0, step=0, n=50)
    (Counts(samples=20, evaluations=20, lmo=0), Counts(samples=400, evaluations=800, lmo=50))
    """

    solver: Solver
    composition: Composition

    def start(self, stages: list[Stage]) -> Counts:
        """The first estimates of a run of `stages`."""
        first = self.solver.first_batch(stages)
        return Counts(*self.solver.estimator.init_cost(self.composition, first))

    def stage_start(self, stage: Stage) -> Counts:
        """The start of any later stage."""
        estimator = self.solver.estimator
        if stage.restart is None:
            return Counts(*estimator.stage_cost(self.composition))
        return Counts(*estimator.init_cost(self.composition, stage.restart))

    def steps(self, stage: Stage, done: int, n: int, *, lmo: int = 0, passes: int = 0) -> Counts:
        """`n` steps of a stage of which `done` are behind, with so many oracle calls and exact
        passes of the step-size rule: steps decide themselves how many of those they make."""
        cost = self.solver.estimator.steps_cost(self.composition, stage.batch, done + 1, n)
        return Counts(*cost.plus(pass_cost(self.composition, passes)), lmo=lmo)

    def most(self, stage: Stage, done: int, step: int, n: int) -> Counts:
        """What `n` steps cost at most, where `step` steps of the run and `done` of the stage are
        behind."""
        lmo = self.solver.direction.most_calls(stage, step + 1, n)
        return self.steps(stage, done, n, lmo=lmo, passes=n * self.solver.step_size.most_passes)

    def stages(self, stages: list[Stage]) -> Counts:
        """All steps of `stages` and the starts of all but the first, without what only the steps
        know: oracle calls, and exact passes of the step-size rule."""
        total = Counts()
        for number, stage in enumerate(stages):
            if number > 0:
                total += self.stage_start(stage)
            total += self.steps(stage, 0, stage.steps)
        return total


def affordable_steps(
    solver: Solver, composition: Composition, samples: int, most: int = MOST_STEPS
) -> int:
    """How many steps a number of samples is enough for, the start included."""
    costs = Costs(solver, composition)

    def cost(steps: int) -> Counts:
        stages = solver.schedule.stages(steps, composition.largest)
        return costs.start(stages) + costs.stages(stages)

    return Budget(samples=samples).affordable(Counts(), 0.0, cost, most)
