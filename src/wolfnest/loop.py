"""The only loop: stages, calls of compiled steps, records, budgets, stopping."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray, PyTree

from wolfnest import divergence, engine
from wolfnest.budget import Budget
from wolfnest.interrupts import Interrupts
from wolfnest.journal import Journal
from wolfnest.problem import Problem
from wolfnest.recording import Recorder
from wolfnest.solution import Counts, Solution, Status
from wolfnest.solver import Solver
from wolfnest.stage import Stage

Output = Literal["last", "random", "average", "best"]

# A call of the compiled loop should not take longer than this: between calls the run looks at
# the clock, at Ctrl-C and at its checkpoint.
SECONDS_PER_CALL = 0.2


class Loop:
    """One call of `solve`. Position, costs and records live here; arithmetic lives in `engine`."""

    def __init__(
        self,
        problem: Problem,
        solver: Solver,
        x0: PyTree,
        stages: list[Stage],
        key: PRNGKeyArray,
        seeds: int | None,
        recorder: Recorder,
        record_every: int,
        tol: float | None,
        limits: Budget,
        output: Output,
        callback: Callable | None,
    ) -> None:
        self.solver, self.x0, self.stages, self.seeds = solver, x0, stages, seeds
        self.recorder, self.record_every = recorder, record_every
        self.tol, self.limits, self.output, self.callback = tol, limits, output, callback
        self.composition = problem.composition
        self.keys = key if seeds is None else jax.random.split(key, seeds)
        self.hand_over_random = solver.schedule.handover == "random"
        self.parts = engine.Run(
            solver.estimator,
            solver.direction,
            problem,
            seeded=seeds is not None,
            keep_random=self.hand_over_random or output == "random",
            keep_mean=output == "average",
        )
        # Where the run stands: steps made in all, and within the present stage.
        self.stage, self.done, self.steps = 0, 0, 0
        self.entered = 0  # the newest stage whose start is behind
        self.counts, self.seconds = Counts(), 0.0
        self.calls = np.zeros(seeds or 1, dtype=np.int64)  # oracle calls of every seed
        self.carry: Any = None
        self.best: Any = None
        self.lost = divergence.Lost(seeds)
        self.planned = sum(stage.steps for stage in stages)
        self.quantum = 16

    def identity(self) -> tuple:
        """What a checkpoint must agree on to be continued; limits and tolerances may differ."""
        return (
            self.solver,
            self.parts.problem,
            self.x0,
            [repr(stage) for stage in self.stages],
            jax.random.key_data(self.keys),
            self.recorder.names,
            self.record_every,
            self.output,
        )

    # ---- the run -------------------------------------------------------------------------

    def run(self, shown: Any, journal: Journal) -> Status:
        """Run to an end, whatever it is, and say which."""
        journal.open(self)
        with Interrupts() as interrupts:
            try:
                status = self._start(shown) or self._run_stages(shown, journal, interrupts)
            except KeyboardInterrupt:
                if self.carry is None:
                    raise
                status = Status.INTERRUPTED
            if not self.recorder.rows or self.recorder.rows[-1]["step"] != self.steps:
                self._record(shown)
                if status is not Status.DIVERGED:
                    status = self._stop_reason() or status
            journal.save(self)
        return status

    def _start(self, shown: Any) -> Status | None:
        """Begin, or go on where a checkpoint ended; a reason if there is nothing to do."""
        if self.carry is None:
            self._begin()
            self._record(shown)
            return self._stop_reason()
        if self.lost.all:
            return Status.DIVERGED
        return Status.CONVERGED if self._converged() else None

    def _begin(self) -> None:
        first = self.solver.initial_batch or self.stages[0].batch
        cost = Counts(*self.solver.estimator.init_cost(self.composition, first))
        if not self.limits.covers(cost):
            raise ValueError(
                f"the budget of {self.limits.samples} samples does not cover the start of "
                f"{self.solver.name}, which uses {cost.samples}."
            )
        self.carry, finite = engine.begin(self.parts, self.x0, self.keys, first)
        self.counts += cost
        for seed in np.flatnonzero(~np.atleast_1d(np.asarray(finite)))[:1]:
            where = divergence.culprit(self.composition, self.lost.take(self.carry.state, seed))
            self.carry = None
            raise ValueError(
                f"the first estimate at x0 is not finite: {where}. Start where all levels are "
                "defined, or change the level."
            )

    def _run_stages(self, shown: Any, journal: Journal, interrupts: Interrupts) -> Status:
        while True:
            stage = self.stages[self.stage]
            if self.entered < self.stage and not self._enter(stage):
                return Status.BUDGET
            for _ in self._calls(stage):
                if self.lost.all:
                    return Status.DIVERGED
                self._show(shown)
                if self.steps % self.record_every == 0:
                    self._record(shown)
                    status = self._stop_reason()
                    if status:
                        return status
                journal.save_if_due(self)
                if interrupts.asked:
                    return Status.INTERRUPTED
            if self.done < stage.steps:
                return Status.BUDGET
            if self.stage + 1 == len(self.stages):
                return Status.FINISHED
            self.stage, self.done = self.stage + 1, 0

    def _enter(self, stage: Stage) -> bool:
        """Begin the present stage, if the budget covers that."""
        estimator = self.solver.estimator
        if stage.restart is None:
            cost = estimator.stage_cost(self.composition)
        else:
            cost = estimator.init_cost(self.composition, stage.restart)
        if not self.limits.covers(self.counts + Counts(*cost)):
            return False
        number = np.asarray(self.stage, np.int32)
        self.carry = engine.begin_stage(
            self.parts, self.carry, self.keys, number, stage.restart, self.hand_over_random
        )
        self.counts += Counts(*cost)
        self.entered = self.stage
        return True

    def _calls(self, stage: Stage) -> Iterator[None]:
        """The rest of a stage, as far as the budget goes; yields after every call of the loop."""
        setting = engine.Setting.of(stage)
        ahead = engine.tickets_ahead(self.parts, stage.batch, self.seeds or 1, self.planned)
        tickets, offset = self._draw(ahead, stage), 0
        # No steps: this compiles, so that the clock never sees a compilation.
        jax.block_until_ready(self._advance(tickets, setting, 0, 0))
        while self.done < stage.steps:
            to_record = self.record_every - self.steps % self.record_every
            left = (ahead - offset) or ahead
            wanted = min(stage.steps - self.done, to_record, left, self.quantum)
            cost = lambda n: self._cost(stage, n)
            n = self.limits.affordable(self.counts, self.seconds, cost, wanted)
            if n == 0:
                return
            start = time.perf_counter()
            if offset == ahead:
                tickets, offset = self._draw(ahead, stage), 0
            carry, calls, finite = self._advance(tickets, setting, offset, n)
            finite = np.atleast_1d(np.asarray(finite))
            elapsed = time.perf_counter() - start
            if not finite[~self.lost.mask].all():
                replay = lambda k, t=tickets, o=offset: self._advance(t, setting, o, k)
                latest = self.lost.find(finite, n, replay, self.steps, self.composition)
                if self.lost.all:
                    n = latest
                    carry, calls, _ = replay(n)
            self.carry = carry
            self.calls += np.asarray(calls)
            self.counts += self._cost(stage, n, lmo=int(self.calls.max()) - self.counts.lmo)
            self.seconds += elapsed
            self.done, self.steps, offset = self.done + n, self.steps + n, offset + n
            self.quantum = _next_quantum(self.quantum, n, elapsed)
            yield

    def _draw(self, ahead: int, stage: Stage) -> engine.Tickets:
        return engine.draw(
            self.parts, self.keys, np.asarray(self.steps, np.int32), ahead, stage.batch
        )

    def _advance(self, tickets: engine.Tickets, setting: engine.Setting, offset: int, n: int):
        place = (np.asarray(number, np.int32) for number in (self.done, offset, n))
        return engine.advance(self.parts, self.carry, tickets, setting, *place)

    def _cost(self, stage: Stage, n: int, lmo: int | None = None) -> Counts:
        """What the next `n` steps cost; without the number of oracle calls, at most."""
        cost = self.solver.estimator.steps_cost(self.composition, stage.batch, self.done + 1, n)
        if lmo is None:
            lmo = n * self.solver.direction.most_calls(stage.inner)
        return Counts(*cost, lmo=lmo)

    # ---- records and stopping ------------------------------------------------------------

    def _show(self, shown: Any) -> None:
        shown.tick(
            step=self.steps, samples=self.counts.samples, lmo=self.counts.lmo, seconds=self.seconds
        )

    def _record(self, shown: Any) -> None:
        state = self.carry.state
        row = self.recorder.record(
            state, step=self.steps, stage=self.stage + 1, seconds=self.seconds, counts=self.counts
        )
        if self.output == "best":
            self._update_best(state.x)
        shown.record(
            step=self.steps,
            stage=self.stage + 1,
            criterion=float(self._alive(self.recorder.last).mean()),
            objective=float(self._alive(row["objective_estimate"]).mean()),
            samples=self.counts.samples,
            lmo=self.counts.lmo,
            seconds=self.seconds,
        )

    def _update_best(self, x: PyTree) -> None:
        value = np.asarray(self.recorder.last)
        if self.best is None:
            self.best = (value, x)
            return
        better = value < self.best[0]
        pick = lambda new, old: jnp.where(_spread(better, new), new, old)
        self.best = (
            np.where(better, value, self.best[0]),
            jax.tree.map(pick, x, self.best[1]),
        )

    def _stop_reason(self) -> Status | None:
        if self.callback is not None:
            record = {**self.recorder.rows[-1], "state": self.carry.state}
            if self.callback(record):
                return Status.STOPPED
        return Status.CONVERGED if self._converged() else None

    def _converged(self) -> bool:
        return self.tol is not None and bool(np.all(self._alive(self.recorder.last) <= self.tol))

    def _alive(self, values: Any) -> np.ndarray:
        """The entries of the seeds that are still finite (of all, where none is)."""
        values = np.atleast_1d(values)
        return values if self.lost.all else values[~self.lost.mask]

    # ---- the result ----------------------------------------------------------------------

    def solution(self, status: Status, reason: str) -> Solution:
        state = self.lost.restore(self.carry.state)
        statuses: Any = status
        if self.seeds is not None:
            statuses = tuple(Status.DIVERGED if lost else status for lost in self.lost.mask)
        return Solution(
            x=self._output(state.x),
            status=statuses,
            trace=self.recorder.trace(),
            counts=self.counts,
            state=state,
            solver=self.solver,
            reason=reason,
            message=self._message(status),
            steps=self.steps,
            seconds=self.seconds,
        )

    def _output(self, last: PyTree) -> PyTree:
        """The point that `output` asks for; where that was lost to NaN, the last finite one."""
        if self.output == "last":
            return last
        kept = self.carry.kept
        x = {"random": kept.random and kept.random.x, "average": kept.mean}.get(self.output)
        if self.output == "best":
            x = self.best[1]
        return jax.tree.map(lambda a, b: jnp.where(jnp.isfinite(a), a, b), x, last)

    def _message(self, status: Status) -> str:
        name, value = self.recorder.names[0], self._alive(self.recorder.last).max()
        text = f"{status}: {name} {value:.3e} after {self.steps} steps"
        return f"{text}; {self.lost.message}" if self.lost.mask.any() else text


def _next_quantum(quantum: int, n: int, elapsed: float) -> int:
    """Longer calls while they are quick, shorter ones when they are slow."""
    if elapsed > SECONDS_PER_CALL:
        return max(1, n // 2)
    return quantum * 2 if n == quantum and elapsed < SECONDS_PER_CALL / 4 else quantum


def _spread(flags: np.ndarray, like: Any) -> Any:
    return flags.reshape(flags.shape + (1,) * (like.ndim - flags.ndim))
