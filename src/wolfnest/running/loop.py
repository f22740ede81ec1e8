"""The only loop: stages, calls of compiled steps, records, budgets, stopping."""

from __future__ import annotations

import dataclasses
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray, PyTree

from wolfnest.estimators.base import pass_cost
from wolfnest.objective.composition import Composition
from wolfnest.objective.problem import Problem
from wolfnest.running import divergence, engine
from wolfnest.running.budget import Budget
from wolfnest.running.interrupts import Interrupts
from wolfnest.running.journal import Journal
from wolfnest.running.recording import Recorder
from wolfnest.schedules.stage import Stage
from wolfnest.solution import Counts, Status
from wolfnest.solver import Solver

Output = Literal["last", "random", "average", "best"]

# A call of the compiled loop should not take longer than this: between calls the run looks at
# the clock, at Ctrl-C and at its checkpoint.
SECONDS_PER_CALL = 0.2
# Arrays that are about to be full are doubled before calls get shorter than this.
LEAST_ROOM = 32


@dataclasses.dataclass(frozen=True, kw_only=True)
class Request:
    """What `solve` was asked for, checked and complete."""

    problem: Problem
    solver: Solver
    x0: PyTree
    stages: list[Stage]
    key: PRNGKeyArray
    seeds: int | None
    recorder: Recorder
    record_every: int
    sparse: bool
    patience: int | None
    tol: float | None
    limits: Budget
    output: Output
    callback: Callable[[dict[str, Any]], Any] | None


class Loop:
    """One call of `solve`. Position, costs and records live here; arithmetic lives in `engine`."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.recorder, self.limits = request.recorder, request.limits
        self.stages, self.solver, self.seeds = request.stages, request.solver, request.seeds
        self.keys = engine.seed_keys(request.key, request.seeds)
        self.hand_over_random = self.solver.schedule.handover == "random"
        self.whole = engine.Run(
            self.solver.estimator,
            self.solver.direction,
            request.problem,
            seeded=self.seeds is not None,
            keep_random=self.hand_over_random or request.output == "random",
            keep_mean=request.output == "average",
            step_size=self.solver.step_size,
        )
        self.seen: tuple[int | None, engine.Run] = (None, self.whole)
        self.planned = sum(stage.steps for stage in self.stages)
        # Where the run stands: steps made in all, and within the present stage.
        self.stage, self.done, self.steps = 0, 0, 0
        self.entered = 0  # the newest stage whose start is behind
        self.counts, self.seconds = Counts(), 0.0
        self.opened = time.perf_counter()  # shifted back by the time before a resume
        # Oracle calls, and exact passes of the step-size rule, of every seed.
        self.calls = np.zeros(self.seeds or 1, dtype=np.int64)
        self.passes = np.zeros(self.seeds or 1, dtype=np.int64)
        self.reached = np.zeros(self.seeds or 1, dtype=bool)  # seeds that met the tolerance
        self.carry: Any = None
        self.best: Any = None
        self.lost = divergence.Lost(self.seeds)
        self.quantum = 1
        self.warned = False

    def identity(self) -> tuple:
        """What a checkpoint must agree on to be continued; limits and tolerances may differ."""
        return (
            self.solver,
            self.request.problem,
            self.request.x0,
            self.stages,
            jax.random.key_data(self.keys),
            self.recorder.names,
            self.request.record_every,
            self.request.output,
        )

    @property
    def parts(self) -> engine.Run:
        """What the compiled functions need in the present stage, which may see a sample only."""
        size = self.stages[self.stage].sample
        if size is None:
            return self.whole
        if self.seen[0] != self.stage:
            key, number = self.request.key, np.asarray(self.stage, np.int32)
            problem = self._timed(lambda: engine.sampled(self.whole.problem, key, number, size))
            self.seen = self.stage, dataclasses.replace(self.whole, problem=problem)
        return self.seen[1]

    @property
    def composition(self) -> Composition:
        """The levels as the present stage sees them."""
        return self.parts.problem.composition

    @property
    def wall(self) -> float:
        """Seconds since the run began, everything included."""
        return time.perf_counter() - self.opened

    @property
    def expected_steps(self) -> int:
        """The steps that the schedule plans and, at the cost of the first stage, the budget
        covers: what a display can count towards."""
        cost = lambda n: self._cost(self.stages[0], n)
        return max(1, self.limits.affordable(Counts(), 0.0, cost, self.planned))

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
            # Stored before the closing record, which a run that goes on would not have.
            journal.save(self)
            if not self.recorder.rows or self.recorder.rows[-1]["step"] != self.steps:
                self._record(shown)
                if status is not Status.DIVERGED:
                    status = self._stop_reason() or status
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
        start = lambda: engine.begin(self.parts, self.request.x0, self.keys, first)
        self.carry, finite = self._timed(start)
        self.counts += cost
        for seed in np.flatnonzero(~np.atleast_1d(np.asarray(finite)))[:1]:
            batch = self.composition.draw(jax.random.key(0), 64)
            state = self.lost.take(self.carry.state, seed)
            where, self.carry = divergence.culprit(self.composition, state, batch), None
            raise ValueError(
                f"the first estimate at x0 is not finite: {where}. Start where all levels are "
                "defined, or change the level."
            )

    def _run_stages(self, shown: Any, journal: Journal, interrupts: Interrupts) -> Status:
        while True:
            stage = self.stages[self.stage]
            if self.entered < self.stage:
                if not self._enter(stage):
                    return Status.BUDGET
                if self.lost.all:
                    return Status.DIVERGED
            for _ in self._calls(stage):
                if self.lost.all:
                    return Status.DIVERGED
                self._show(shown)
                if self._record_is_due(stage):
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

    def _record_is_due(self, stage: Stage) -> bool:
        """On schedule. A stage that sees a sample is recorded at its end, unless told otherwise: a
        record is a pass over all data, and may cost more than the whole stage."""
        if stage.sample is None or not self.request.sparse:
            return self.steps % self.request.record_every == 0
        return self.done == stage.steps

    def _enter(self, stage: Stage) -> bool:
        """Begin the present stage, if the budget covers that."""
        cost = self.solver.stage_cost(self.composition, stage)
        if not self.limits.covers(self.counts + Counts(*cost)):
            return False
        number = np.asarray(self.stage, np.int32)
        carry, finite = self._timed(
            lambda: engine.begin_stage(
                self.parts, self.carry, self.keys, number, stage.restart, self.hand_over_random
            )
        )
        self.lost.at_stage_start(self.carry, carry, finite, self.steps, self.composition)
        if not self.lost.all:
            self.carry = carry
        self.counts += Counts(*cost)
        self.entered = self.stage
        return True

    def _calls(self, stage: Stage) -> Iterator[None]:
        """The rest of a stage, as far as the budget goes; yields after every call of the loop."""
        if self.done == stage.steps:
            return
        steps = engine.Steps(self.parts, engine.Setting.of(stage))
        advance = lambda n: steps(self.carry, self.keys, self.steps, self.done, n)
        # No steps: this compiles, so that the clock never sees a compilation.
        jax.block_until_ready(advance(0))
        while self.done < stage.steps:
            to_record = self.request.record_every - self.steps % self.request.record_every
            wanted = min(stage.steps - self.done, to_record, self.quantum)
            cost = lambda n: self._cost(stage, n)
            n = self.limits.affordable(self.counts, self.wall, cost, wanted)
            if n == 0:
                return
            n = self._with_room(n, advance)
            start = time.perf_counter()
            carry, spent, finite = advance(n)
            finite = np.atleast_1d(np.asarray(finite))
            elapsed = time.perf_counter() - start
            if not finite[~self.lost.mask].all():
                batch = lambda k, seed: engine.gradient_batch_at(
                    self.parts, self.keys, self.steps + k, seed, stage.batch
                )
                latest = self.lost.find(
                    finite, n, advance, batch, step=self.steps, composition=self.composition
                )
                if self.lost.all:
                    n = latest
                    carry, spent, _ = advance(n)
            self.carry = carry
            self.counts += self._spend(stage, n, spent)
            self.seconds += elapsed
            self.done, self.steps = self.done + n, self.steps + n
            self.quantum = _next_quantum(self.quantum, n, elapsed)
            yield

    def _timed(self, call: Callable[[], Any]) -> Any:
        """The result of a call, its time added to the run's. Calls are pure: one that compiled
        is made once more, since compilation does not count."""
        traced, start = engine.traces(), time.perf_counter()
        result = jax.block_until_ready(call())
        if engine.traces() != traced:
            start = time.perf_counter()
            result = jax.block_until_ready(call())
        self.seconds += time.perf_counter() - start
        return result

    def _with_room(self, n: int, advance: Callable[[int], Any]) -> int:
        """As many of `n` steps as the arrays of the state are enough for. They are doubled when
        there are few; what is compiled for that does not count."""
        direction, grown = self.solver.direction, False
        room = direction.room(self.carry.state)
        while room is not None and room < min(n, LEAST_ROOM):
            self.carry, grown = engine.grow(self.parts, self.carry), True
            self.lost.states = {s: direction.grow(last) for s, last in self.lost.states.items()}
            room = direction.room(self.carry.state)
        if grown:
            jax.block_until_ready(advance(0))
        return n if room is None else min(n, room)

    def _cost(self, stage: Stage, n: int) -> Counts:
        """What the next `n` steps cost at most."""
        lmo = self.solver.direction.most_calls(stage, self.steps + 1, n)
        return self._steps_cost(stage, n, lmo, n * self.solver.step_size.most_passes)

    def _spend(self, stage: Stage, n: int, spent: engine.Spent) -> Counts:
        """What `n` steps have cost, by the seed that used most."""
        passes = int(self.passes.max())
        self.calls += np.asarray(spent.lmo)
        self.passes += np.asarray(spent.passes)
        lmo, passes = int(self.calls.max()) - self.counts.lmo, int(self.passes.max()) - passes
        return self._steps_cost(stage, n, lmo, passes)

    def _steps_cost(self, stage: Stage, n: int, lmo: int, passes: int) -> Counts:
        cost = self.solver.estimator.steps_cost(self.composition, stage.batch, self.done + 1, n)
        return Counts(*cost.plus(pass_cost(self.composition, passes)), lmo=lmo)

    # ---- records and stopping ------------------------------------------------------------

    def _show(self, shown: Any) -> None:
        shown.tick(
            step=self.steps, samples=self.counts.samples, lmo=self.counts.lmo, seconds=self.wall
        )

    def _record(self, shown: Any) -> None:
        state = self.carry.state
        row = self.recorder.record(
            state, step=self.steps, stage=self.stage + 1, seconds=self.seconds, counts=self.counts
        )
        if self.request.output == "best":
            self._update_best(state.x)
        shown.record(
            step=self.steps,
            stage=self.stage + 1,
            criterion=float(self.alive(self.recorder.last).mean()),
            objective=float(self.alive(row["objective_estimate"]).mean()),
            samples=self.counts.samples,
            lmo=self.counts.lmo,
            seconds=self.wall,
        )

    def _update_best(self, x: PyTree) -> None:
        value = np.asarray(self.recorder.last)
        if self.best is None:
            self.best = (value, x)
            return
        better = (value < self.best[0]) | np.isnan(self.best[0])
        pick = lambda new, old: jnp.where(_spread(better, new), new, old)
        self.best = (
            np.where(better, value, self.best[0]),
            jax.tree.map(pick, x, self.best[1]),
        )

    def _stop_reason(self) -> Status | None:
        if self.request.callback is not None:
            record = {**self.recorder.rows[-1], "state": self.carry.state}
            if self.request.callback(record):
                return Status.STOPPED
        if self._converged():
            return Status.CONVERGED
        return Status.STALLED if self._stalled() else None

    def _stalled(self) -> bool:
        """Whether the objective has not fallen within as many records as the request grants."""
        patience, stage = self.request.patience, self.stages[self.stage]
        rows = [row for row in self.recorder.rows if row["stage"] == self.stage + 1]
        if patience is None or stage.sample is not None or len(rows) <= patience:
            return False
        return bool(np.all(self.alive(rows[-1]["objective"] >= rows[-1 - patience]["objective"])))

    def _converged(self) -> bool:
        """Whether every seed that is still finite has met the tolerance at some record."""
        if self.request.tol is None:
            return False
        self._warn_of_noise(self.request.tol)
        self.reached |= np.atleast_1d(self.recorder.last) <= self.request.tol
        return bool(np.all(self.alive(self.reached)))

    def _warn_of_noise(self, tol: float) -> None:
        error = self.recorder.rows[-1].get(f"{self.recorder.names[0]}_se")
        if error is not None and not self.warned and np.min(error) > tol:
            self.warned = True
            warnings.warn(
                f"{self.recorder.names[0]} is measured on a fixed sample with a standard error of "
                f"{np.min(error):.1e}, above tol={tol:g}: the run may go on for ever. Set a larger "
                "tol, steps or a budget.",
                UserWarning,
                stacklevel=2,
            )

    def alive(self, values: Any) -> np.ndarray:
        """The entries of the seeds that are still finite (of all, where none is)."""
        values = np.atleast_1d(values)
        return values if self.lost.all else values[~self.lost.mask]


def _next_quantum(quantum: int, n: int, elapsed: float) -> int:
    """Longer calls while they are quick, shorter ones when they are slow."""
    if elapsed > SECONDS_PER_CALL:
        return max(1, n // 2)
    if n < quantum:
        return quantum
    return next((quantum * f for f in (16, 2) if f * elapsed < SECONDS_PER_CALL / 2), quantum)


def _spread(flags: np.ndarray, like: Any) -> Any:
    return flags.reshape(flags.shape + (1,) * (like.ndim - flags.ndim))
