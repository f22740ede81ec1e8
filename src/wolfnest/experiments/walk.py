"""Runs cut at their records: the points there, and the time that a run takes to get there.

Every call of the compiled loop draws random numbers for many steps ahead and takes a moment to
start, so a run that is cut into short pieces takes longer than one that is not. Points and times
are therefore taken apart. The points come from a run that is cut at every record, and are, bit for
bit, those of `wn.solve` with the same key. The time comes from runs in which every stage is one
call; how it is spread over the records comes from the cut runs.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jaxtyping import PRNGKeyArray, PyTree

from wolfnest import engine
from wolfnest.experiments.plan import Plan, pieces

REPEATS = 3
# A single run that takes longer than this is timed once: noise is small against it.
LONG_SECONDS = 2.0


@dataclasses.dataclass(frozen=True)
class Walked:
    """One run: the points at the stops, oracle calls up to them, and seconds between them (the
    first entry is the start); `calls` counts the calls of the compiled loop. `finite` is False once
    anything was not, be it only in passing."""

    points: np.ndarray
    lmo: np.ndarray
    seconds: np.ndarray
    calls: np.ndarray
    finite: bool


class Walk:
    """The runs of one plan from one point; only the key differs between them."""

    def __init__(self, plan: Plan, x0: PyTree) -> None:
        solver = plan.solver
        if solver.schedule.handover != "last":
            raise ValueError(
                f"stages must hand over their last point, got {solver.schedule.handover!r}."
            )
        self.plan, self.x0 = plan, x0
        self.parts = engine.Run(
            solver.estimator, solver.direction, plan.problem, False, False, False
        )
        self.settings = [engine.Setting.of(stage) for stage in plan.stages]

    def run(self, key: int, stops: tuple[int, ...]) -> Walked:
        """One run, cut at `stops`, of which the first is 0 and the last the end."""
        stream = jax.random.key(key)
        carry, fine, seconds = self._begin(stream)
        points, lmo, spent, calls = [np.asarray(carry.state.x)], [0], [seconds], [1]
        made = oracle = called = 0
        passed, wanted = 0.0, set(stops)
        for stage, behind, steps in pieces(self.plan.stages, stops):
            if stage and not behind:
                carry, begun, seconds = self._begin_stage(carry, stream, stage)
                passed, called, fine = passed + seconds, called + 1, fine and begun
            carry, more, kept, seconds = self._advance(carry, stream, stage, made, behind, steps)
            made, oracle, fine = made + steps, oracle + more, fine and kept
            passed, called = passed + seconds, called + 1
            if made in wanted:
                points.append(np.asarray(carry.state.x))
                lmo.append(oracle)
                spent.append(passed)
                calls.append(called)
                passed, called = 0.0, 0
        return Walked(np.stack(points), np.array(lmo), np.array(spent), np.array(calls), fine)

    def times(self, cut: list[Walked], key: int) -> np.ndarray:
        """Seconds at every stop of the cut runs, for a run that is not cut."""
        whole = [self.run(key, (0, self.plan.steps)).seconds]
        if whole[0].sum() < LONG_SECONDS:
            whole += [self.run(key, (0, self.plan.steps)).seconds for _ in range(REPEATS - 1)]
        start, rest = np.median(whole, axis=0)
        seconds = np.median([run.seconds[1:] for run in cut], axis=0)
        shares = np.maximum(seconds - self._idle(key) * cut[0].calls[1:], 0) + 1e-9
        return start + rest * np.concatenate([[0.0], np.cumsum(shares) / shares.sum()])

    def _idle(self, key: int) -> float:
        """Seconds that a call of no steps takes."""
        stream = jax.random.key(key)
        carry, *_ = self._begin(stream)
        tries = (self._advance(carry, stream, 0, 0, 0, 0) for _ in range(2 * REPEATS + 1))
        return float(np.median([seconds for *_, seconds in tries]))

    # ---- calls of the compiled parts: their result, whether it is finite, their seconds --------

    def _begin(self, key: PRNGKeyArray) -> tuple[Any, bool, float]:
        call = lambda: engine.begin(self.parts, self.x0, key, self.plan.first)
        (carry, finite), seconds = _timed(call)
        return carry, bool(finite), seconds

    def _begin_stage(self, carry: Any, key: PRNGKeyArray, stage: int) -> tuple[Any, bool, float]:
        number, restart = np.int32(stage), self.plan.stages[stage].restart
        call = lambda: engine.begin_stage(self.parts, carry, key, number, restart, False)
        (carry, finite), seconds = _timed(call)
        return carry, bool(finite), seconds

    def _advance(
        self, carry: Any, key: PRNGKeyArray, stage: int, made: int, behind: int, steps: int
    ) -> tuple[Any, int, bool, float]:
        setting, place = self.settings[stage], [np.int32(n) for n in (made, behind, steps)]
        call = lambda: engine.advance(self.parts, carry, key, setting, *place)
        (carry, lmo, finite), seconds = _timed(call)
        return carry, int(lmo), bool(finite), seconds


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a call and its seconds. Calls are pure: one that compiled is made once more."""
    traced, start = engine.traces(), time.perf_counter()
    result = jax.block_until_ready(call())
    if engine.traces() != traced:
        start = time.perf_counter()
        result = jax.block_until_ready(call())
    return result, time.perf_counter() - start
