"""One cell: a method on a problem, tuned and run with all seeds, to one budget of samples."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from wolfnest.methods import choice, method
from wolfnest.solution import Solution, Trace
from wolfnest_reproduction.define import digests
from wolfnest_reproduction.define.cells import Cell
from wolfnest_reproduction.define.posing import Posed, Poser
from wolfnest_reproduction.run import tuning
from wolfnest_reproduction.run.runs import Runs, lost

# Tuning sees other random numbers than the runs that are reported, whose keys are 0, 1, 2, …
TUNING_KEY = 1_000_000
WHERE = ("experiment", "data", "setting", "method", "horizon", "batch")


class Outcome(NamedTuple):
    """The trace of a cell as columns, and what there is to know about it as JSON values."""

    columns: dict[str, Any]
    facts: dict[str, Any]


def run(cell: Cell, poser: Poser) -> Outcome:
    """Tune, run all seeds, measure and time."""
    began = time.perf_counter()
    posed = poser(cell.problem, cell.data, cell.arguments)
    samples = budget(cell, posed)
    tuned, reason, settings = tuning.NOTHING, "", {}
    if cell.entrant.name is None:
        solver, reason = choice.choose(posed.problem, None, samples=samples)
    else:
        tuned = tuning.tune(lambda s: _score(cell, posed, s), cell.grid, cell.trials)
        settings = {**cell.settings, **tuned.settings}
        solver = method(cell.entrant.name, **settings)
    runs = Runs(posed, solver, samples)
    runs.run(0, records=1)  # compiles
    found = [runs.run(seed, cell.records) for seed in range(cell.seeds)]
    times, spread = runs.times(found, key=0)
    longest = max(found, key=lambda run: run.steps)
    steps, failed = max(1, longest.steps), sum(map(lost, found))
    facts = {
        **{name: getattr(cell, name) for name in ("id", "work", *WHERE, "seeds")},
        "gradient_batch": cell.entrant.gradient_batch,
        "chosen_by": cell.entrant.chosen_by,
        "name": solver.name,
        "settings": settings,
        "tuning": tuned.record(),
        "reason": reason,
        "budget": samples,
        "steps": runs.steps,
        "microseconds_per_iteration": float(times[-1] - times[0]) / steps * 1e6,
        "samples_per_iteration": (longest.counts.samples - int(longest.trace.samples[0])) / steps,
        "lmo_per_iteration": longest.counts.lmo / steps,
        "time_spread": spread,
        "certificate": posed.certificate,
        "status": f"{failed} of {cell.seeds} runs diverged" if failed else "finished",
        "cost": time.perf_counter() - began,
        "sources": digests.of_code(),
    }
    return Outcome(_columns(cell, found, times, posed.best), facts)


def budget(cell: Cell, posed: Posed) -> int:
    """Samples that a run may use."""
    return (cell.horizon + 1) * cell.batch * max(1, posed.problem.composition.sampled_levels)


def _score(cell: Cell, posed: Posed, settings: Mapping[str, float]) -> float:
    """The mean log10 of the Frank-Wolfe gap over the budget, on the tuning seeds."""
    solver = method(str(cell.entrant.name), **cell.settings, **settings)
    runs = Runs(posed, solver, budget(cell, posed))
    keys = range(TUNING_KEY, TUNING_KEY + cell.tuning_seeds)
    found = [runs.run(key, cell.tuning_records, ("frank_wolfe_gap",)) for key in keys]
    if any(map(lost, found)):
        return math.inf
    gaps = np.stack([run.trace.frank_wolfe_gap for run in found])
    return tuning.area(found[0].trace.samples, gaps, runs.samples)


def _columns(cell: Cell, found: list[Solution], times: np.ndarray, best: float) -> dict[str, Any]:
    """One row per seed and record; what a run that broke off did not reach is NaN."""
    longest = max((run.trace for run in found), key=lambda trace: len(trace.step))
    seeds, records = len(found), len(longest.step)
    own = lambda name: np.concatenate([_filled(run.trace, name, longest.step) for run in found])
    objective = own("objective")
    return {
        **{name: getattr(cell, name) for name in WHERE},
        **{name: np.tile(longest[name], seeds) for name in ("step", "samples", "evaluations")},
        **{name: own(name) for name in ("frank_wolfe_gap", "gradient_mapping")},
        "objective": objective,
        "optimal_gap": objective - best,
        "seed": np.repeat(np.arange(seeds), records),
        "time": np.tile(times, seeds),
        "lmo": np.concatenate([_counted(run.trace, records) for run in found]),
        "status": np.repeat(["diverged" if lost(run) else "finished" for run in found], records),
    }


def _filled(trace: Trace, name: str, steps: np.ndarray) -> np.ndarray:
    """The values at `steps`, NaN where the run was not."""
    known = dict(zip(trace.step.tolist(), trace[name], strict=True))
    return np.array([known.get(step, math.nan) for step in steps.tolist()])


def _counted(trace: Trace, records: int) -> np.ndarray:
    """Oracle calls at every record; a run that broke off makes no more."""
    return np.pad(trace.lmo[:records], (0, max(0, records - len(trace.lmo))), mode="edge")
