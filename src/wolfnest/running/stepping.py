"""The steps of a stage, made by calls of compiled code between which the run can look up."""

from __future__ import annotations

import time
from collections.abc import Iterator

import jax
import numpy as np

from wolfnest.running import engine
from wolfnest.running.carry import Carry
from wolfnest.running.costs import Costs
from wolfnest.running.position import Position
from wolfnest.running.request import Request

# A call of the compiled loop should not take longer than this: between calls the run looks at
# the clock, at Ctrl-C and at its checkpoint.
SECONDS_PER_CALL = 0.2
# Arrays that are about to be full are doubled before calls get shorter than this.
LEAST_ROOM = 32


class Pace:
    """How many steps a call makes: more while calls are quick, fewer when they are slow."""

    def __init__(self) -> None:
        self.steps = 1

    def after(self, n: int, seconds: float) -> None:
        """A call of `n` steps took so many seconds."""
        if seconds > SECONDS_PER_CALL:
            self.steps = max(1, n // 2)
        elif n >= self.steps:
            quick = (f for f in (16, 2) if f * seconds < SECONDS_PER_CALL / 2)
            self.steps *= next(quick, 1)


class StageSteps:
    """The steps of the stage that a position is in; `run` is the problem as that stage sees it."""

    def __init__(self, request: Request, position: Position, run: engine.Run, pace: Pace) -> None:
        self.request, self.position, self.run, self.pace = request, position, run, pace
        self.stage = request.stages[position.stage]
        self.costs = Costs(request.solver, run.problem.composition)
        self.first = self._look(position.done)

    def calls(self) -> Iterator[None]:
        """The rest of the stage, as far as the budget goes; yields after every call."""
        position = self.position
        # No steps: this compiles, so that the clock never sees a compilation.
        position.clock.aside(lambda: self._advanced(0))
        while position.done < self.stage.steps:
            n = self._affordable()
            if n == 0:
                return
            n = self._with_room(n)
            start = time.perf_counter()
            carry, spent, finite = self._advanced(n)
            finite = np.atleast_1d(np.asarray(finite))
            seconds = time.perf_counter() - start
            if not finite[~position.lost.mask].all():
                latest = self._lose(finite, n)
                if position.lost.all:
                    n = latest
                    carry, spent, _ = self._advanced(n)
            lmo, passes = position.spend(spent)
            cost = self.costs.steps(self.stage, position.done, n, lmo=lmo, passes=passes)
            position.move(carry, n, cost, seconds)
            self.pace.after(n, seconds)
            yield

    def _advanced(self, n: int) -> tuple[Carry, engine.Spent, jax.Array]:
        """What the next `n` steps come to: the position itself stays."""
        at = self.position
        if not self.first <= at.done < self.first + engine.WINDOW:
            self.first = self._look(at.done)
        return self.compiled(at.carry, self.request.keys, at.steps, at.done - self.first, n)

    def _look(self, done: int) -> int:
        """Have the values of the steps around step `done` at hand; the first of those."""
        first = done - done % engine.WINDOW
        self.compiled = engine.Steps(self.run, engine.Setting.of(self.stage, first))
        return first

    def _affordable(self) -> int:
        """As many steps as there are to the next record, at this pace and within the budget."""
        at, every = self.position, self.position.record_every
        inside = engine.WINDOW - at.done % engine.WINDOW
        wanted = min(self.stage.steps - at.done, every - at.steps % every, self.pace.steps, inside)
        cost = lambda n: self.costs.most(self.stage, at.done, at.steps, n)
        # However long the start took: a run that returns its start would be of no use.
        seconds = at.clock.wall if at.steps else 0.0
        return self.request.limits.affordable(at.counts, seconds, cost, wanted)

    def _with_room(self, n: int) -> int:
        """As many of `n` steps as the arrays of the state are enough for. They are doubled when
        there are few; what is compiled for that does not count."""
        at, direction, grown = self.position, self.request.solver.direction, False
        room = direction.room(at.carry.state)
        while room is not None and room < min(n, LEAST_ROOM):
            at.carry, grown = engine.grow(self.run, at.carry), True
            at.lost.states = {s: direction.grow(last) for s, last in at.lost.states.items()}
            room = direction.room(at.carry.state)
        if grown:
            at.clock.aside(lambda: self._advanced(0))
        return n if room is None else min(n, room)

    def _lose(self, finite: np.ndarray, n: int) -> int:
        """Note the seeds that the next `n` steps lose; the last finite step of the last of them."""
        at, run = self.position, self.run
        batch = lambda k, seed: engine.gradient_batch_at(
            run, self.request.keys, at.steps + k, seed, self.stage.batch
        )
        composition = run.problem.composition
        return at.lost.find(
            finite, n, self._advanced, batch, step=at.steps, composition=composition
        )
