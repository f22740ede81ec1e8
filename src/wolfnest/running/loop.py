"""The only loop: stages, calls of compiled steps, records, budgets, stopping."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import jax
import numpy as np

from wolfnest.running import divergence, engine
from wolfnest.running.costs import Costs
from wolfnest.running.interrupts import Interrupts
from wolfnest.running.journal import Journal
from wolfnest.running.position import Noted, Position
from wolfnest.running.progress import Progress
from wolfnest.running.request import Request
from wolfnest.running.stepping import Pace, StageSteps
from wolfnest.running.stopping import Stopping
from wolfnest.schedules.stage import Stage
from wolfnest.solution import Counts, Status


class Loop:
    """One call of `solve`. What comes next is decided here; where the run stands is in `position`,
    arithmetic is in `engine`."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.position = Position.unstarted(request.seeds, request.record_every)
        self.stopping = Stopping(request)
        self.pace = Pace()
        self.sampled: tuple[int | None, engine.Run] = (None, request.whole)

    @property
    def expected_steps(self) -> int:
        """The steps that the schedule plans and, at the cost of the first stage, the budget
        covers: what a display can count towards."""
        stages, limits = self.request.stages, self.request.limits
        cost = lambda n: self._costs.most(stages[0], done=0, step=0, n=n)
        planned = sum(stage.steps for stage in stages)
        return max(1, limits.affordable(Counts(), 0.0, cost, planned))

    def run(self, shown: Progress, journal: Journal) -> Status:
        """Run to an end, whatever it is, and say which."""
        with Interrupts() as interrupts, journal:
            self.position = journal.open(self.request) or self.position
            if self.position.evaluated is not None:
                self.request.criteria.resize(self.position.evaluated)
            try:
                status = self._start(shown) or self._run_stages(shown, journal, interrupts)
            except KeyboardInterrupt:
                if self.position.carry is None:
                    raise
                status = Status.INTERRUPTED
            # Stored before the closing record, which a run that goes on would not have.
            journal.save(self.position)
            rows = self.position.rows
            if not rows or rows[-1]["step"] != self.position.steps:
                self._record(shown)
                if status is not Status.DIVERGED:
                    status = self.stopping.reason(self.position) or status
            # Whoever asked means the callers, too: no other reason takes precedence.
            stopped = interrupts.asked and status is not Status.DIVERGED
            return Status.INTERRUPTED if stopped else status

    def _start(self, shown: Progress) -> Status | None:
        """Begin, or go on where a checkpoint ended; a reason if there is nothing to do."""
        position = self.position
        if position.carry is None:
            self._begin()
            position.tol = self.request.tol
        if not position.rows:
            self._record(shown)
            return self.stopping.reason(position)
        if position.lost.all:
            return Status.DIVERGED
        if position.tol != self.request.tol:  # what met another tolerance may not meet this one
            position.reached[:], position.met, position.tol = False, None, self.request.tol
        return Status.CONVERGED if self.stopping.converged(position) else None

    def _run_stages(self, shown: Progress, journal: Journal, interrupts: Interrupts) -> Status:
        position, stages = self.position, self.request.stages
        while True:
            stage = stages[position.stage]
            if position.entered < position.stage:
                if not self._enter(stage):
                    return Status.BUDGET
                if position.lost.all:
                    return Status.DIVERGED
            for _ in self._calls(stage):
                if position.lost.all:
                    return Status.DIVERGED
                self._show(shown)
                if self._record_is_due(stage):
                    self._record(shown)
                    status = self.stopping.reason(position)
                    if status:
                        return status
                journal.save_if_due(position)
                if interrupts.asked:
                    return Status.INTERRUPTED
            if position.done < stage.steps:
                return Status.BUDGET
            if position.stage + 1 == len(stages):
                return Status.FINISHED
            position.stage, position.done = position.stage + 1, 0

    def _calls(self, stage: Stage) -> Iterable[None]:
        """The rest of the present stage, call by call, as far as the budget goes."""
        if self.position.done == stage.steps:
            return ()
        return StageSteps(self.request, self.position, self._seen, self.pace).calls()

    # ---- starts ------------------------------------------------------------------------------

    @property
    def _seen(self) -> engine.Run:
        """What the compiled functions need in the present stage, which may see a sample only."""
        number, request = self.position.stage, self.request
        size = request.stages[number].sample
        if size is None:
            return request.whole
        if self.sampled[0] != number:
            place = request.key, np.asarray(number, np.int32)
            draw = lambda: engine.sampled(request.problem, *place, size)
            problem = self.position.clock.timed(draw)
            self.sampled = number, dataclasses.replace(request.whole, problem=problem)
        return self.sampled[1]

    @property
    def _costs(self) -> Costs:
        """Of the solver on the levels as the present stage sees them."""
        return Costs(self.request.solver, self._seen.problem.composition)

    def _begin(self) -> None:
        """The first estimates, if the budget covers them."""
        request, position = self.request, self.position
        cost, run = self._costs.start(request.stages), self._seen
        if not request.limits.covers(cost):
            raise ValueError(
                f"the budget of {request.limits.samples} samples does not cover the start of "
                f"{request.solver.name}, which uses {cost.samples}."
            )
        first = request.solver.first_batch(request.stages)
        start = lambda: engine.begin(run, request.x0, request.keys, first)
        carry, finite = position.clock.timed(start)
        for seed in np.flatnonzero(~np.atleast_1d(np.asarray(finite)))[:1]:
            composition = run.problem.composition
            batch = composition.draw(jax.random.key(0), 64)
            state = position.lost.take(carry.state, seed)
            where = divergence.culprit(composition, state, batch)
            raise ValueError(
                f"the first estimate at x0 is not finite: {where}. Start where all levels are "
                "defined, or change the level."
            )
        position.carry, position.counts = carry, cost

    def _enter(self, stage: Stage) -> bool:
        """Begin the present stage, if the budget covers that."""
        request, position = self.request, self.position
        cost, run = self._costs.stage_start(stage), self._seen
        if not request.limits.covers(position.counts + cost):
            return False
        number = np.asarray(position.stage, np.int32)
        how = stage.restart, request.hands_over_random
        start = lambda: engine.begin_stage(run, position.carry, request.keys, number, *how)
        carry, finite = position.clock.timed(start)
        composition = run.problem.composition
        position.lost.at_stage_start(position.carry, carry, finite, position.steps, composition)
        if not position.lost.all:
            position.carry = carry
        position.counts += cost
        position.entered = position.stage
        return True

    # ---- records -----------------------------------------------------------------------------

    def _record_is_due(self, stage: Stage) -> bool:
        """On schedule. A stage that sees a sample is recorded at its end, unless told otherwise: a
        record is a pass over all data, and may cost more than the whole stage."""
        if stage.sample is None or not self.request.sparse:
            return self.position.steps % self.position.record_every == 0
        return self.position.done == stage.steps

    def _record(self, shown: Progress) -> None:
        position, criteria = self.position, self.request.criteria
        row = position.clock.aside(lambda: criteria.row(position, self.request.output))
        done = position.reached | position.lost.mask
        while criteria.undecided(row, self.request.tol, done) and criteria.grow():
            row = position.clock.aside(lambda: criteria.row(position, self.request.output))
        position.evaluated = criteria.samples
        position.rows.append(row)
        value, alive = criteria.deciding(row), position.lost.alive
        if self.request.output == "best":
            found = Noted(np.asarray(value), position.carry.state.x)
            position.best = found if position.best is None else position.best.or_better(found)
        shown.record(
            step=position.steps,
            stage=position.stage + 1,
            criterion=float(alive(value).mean()),
            objective=float(alive(row["objective_estimate"]).mean()),
            samples=position.counts.samples,
            lmo=position.counts.lmo,
            seconds=position.clock.wall,
        )

    def _show(self, shown: Progress) -> None:
        counts, at = self.position.counts, self.position
        shown.tick(step=at.steps, samples=counts.samples, lmo=counts.lmo, seconds=at.clock.wall)
