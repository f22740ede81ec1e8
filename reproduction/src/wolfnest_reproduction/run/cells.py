"""One cell: a method on a problem, tuned and run with all seeds, to one budget of samples."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import time
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

import wolfnest
from wolfnest.common.environment import sources
from wolfnest.methods import choice, method
from wolfnest.objective.problem import Problem
from wolfnest.solution import Solution, Trace
from wolfnest_reproduction.define.grids import Axis
from wolfnest_reproduction.define.posing import Posed, Poser
from wolfnest_reproduction.run.runs import Runs, lost
from wolfnest_reproduction.run.store import Store
from wolfnest_reproduction.run.tuning import Tuned, area, tune

AUTOMATIC = "automatic"
# Tuning sees other random numbers than the runs that are reported, whose keys are 0, 1, 2, …
TUNING_KEY = 1_000_000
# What a cell computes. A new number makes all cells new.
FORMAT = 3


@dataclasses.dataclass(frozen=True)
class Cell:
    """Everything that determines the result, as plain values.

    `method` is the name shown, `name` that of the registry (None for the automatic choice),
    `settings` what is not tuned, `grid` what is. `horizon` counts the steps of methods that take
    one batch per step, and sets the budget of all: `(horizon + 1) · batch` samples per level, the
    start included. `digest` is that of the data.
    """

    experiment: str
    problem: str
    arguments: Mapping[str, Any]
    data: str
    digest: str
    setting: str
    method: str
    name: str | None
    settings: Mapping[str, Any]
    grid: Mapping[str, Axis]
    horizon: int
    batch: int
    seeds: int
    tuning_seeds: int
    tuning_records: int
    trials: int
    records: int

    @property
    def work(self) -> str:
        """The same for cells that compute the same: all but the experiment's name."""
        definition = dataclasses.asdict(self) | {"experiment": ""}
        return digest_of(definition)

    @property
    def id(self) -> str:
        return digest_of([self.experiment, self.work])

    @property
    def label(self) -> str:
        parts = (self.experiment, self.data, self.setting, self.method, f"{self.horizon:,}")
        return " · ".join(part for part in parts if part)

    @property
    def program(self) -> tuple[str, ...]:
        """The same for cells that share compiled code: problem and data, then the method."""
        return self.problem, self.data, self.method, str(self.batch)

    def perform(self, store: Store, poser: Poser) -> None:
        """Run, and store the result."""
        outcome = run(self, poser)
        store.save(self.id, outcome.columns, outcome.facts)

    def budget(self, problem: Problem) -> int:
        """Samples that a run may use."""
        return (self.horizon + 1) * self.batch * max(1, problem.composition.sampled_levels)


def digest_of(definition: Any) -> str:
    """A name for what plain values define, in these versions."""
    versions = {"wolfnest": wolfnest.__version__, "jax": jax.__version__, "format": FORMAT}
    text = json.dumps([definition, versions], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The trace of a cell as columns, and what there is to know about it as JSON values."""

    columns: dict[str, Any]
    facts: dict[str, Any]


def run(cell: Cell, poser: Poser) -> Outcome:
    """Tune, run all seeds, measure and time."""
    began = time.perf_counter()
    posed = poser(cell.problem, cell.data, cell.arguments)
    samples = cell.budget(posed.problem)
    tuned, reason = None, ""
    if cell.name is None:
        solver, reason = choice.choose(posed.problem, None, samples=samples)
        settings: dict[str, Any] = {}
    else:
        tuned = tune(lambda s: _score(cell, posed, samples, s), cell.grid, cell.trials)
        settings = {**cell.settings, **tuned.settings}
        solver = method(cell.name, **settings)
    runs = Runs(posed, solver, samples)
    runs.run(0, records=1)  # compiles
    found = [runs.run(seed, cell.records) for seed in range(cell.seeds)]
    times, spread = runs.times(found, key=0)
    columns = _columns(cell, found, times, posed.best)
    failed = sum(map(lost, found))
    facts = {
        **_described(cell),
        "name": solver.name,
        "settings": settings,
        "tuning": _tuning(tuned),
        "reason": reason,
        "budget": samples,
        "steps": runs.steps,
        **_per_iteration(found, times),
        "time_spread": spread,
        "certificate": posed.certificate,
        "status": f"{failed} of {cell.seeds} runs diverged" if failed else "finished",
        "cost": time.perf_counter() - began,
        "sources": sources(),
    }
    return Outcome(columns, facts)


def _score(cell: Cell, posed: Posed, samples: int, settings: Mapping[str, float]) -> float:
    """The mean log10 of the Frank-Wolfe gap over the budget, on the tuning seeds."""
    assert cell.name is not None
    runs = Runs(posed, method(cell.name, **cell.settings, **settings), samples)
    keys = range(TUNING_KEY, TUNING_KEY + cell.tuning_seeds)
    found = [runs.run(key, cell.tuning_records, ("frank_wolfe_gap",)) for key in keys]
    if any(map(lost, found)):
        return math.inf
    gaps = np.stack([run.trace.frank_wolfe_gap for run in found])
    return area(found[0].trace.samples, gaps, samples)


def _tuning(tuned: Tuned | None) -> dict[str, Any]:
    nothing = {"grid": {}, "runs": 0, "extended": [], "at_edge": [], "score": None, "scores": []}
    return nothing if tuned is None else tuned.record()


def _described(cell: Cell) -> dict[str, Any]:
    names = ("id", "work", "experiment", "data", "setting", "method", "horizon", "batch", "seeds")
    return {name: getattr(cell, name) for name in names}


def _per_iteration(found: list[Solution], times: np.ndarray) -> dict[str, float]:
    run = max(found, key=lambda run: run.steps)
    steps = max(1, run.steps)
    return {
        "microseconds_per_iteration": float(times[-1] - times[0]) / steps * 1e6,
        "samples_per_iteration": (run.counts.samples - int(run.trace.samples[0])) / steps,
        "lmo_per_iteration": run.counts.lmo / steps,
    }


def _columns(cell: Cell, found: list[Solution], times: np.ndarray, best: float) -> dict[str, Any]:
    """One row per seed and record; what a run that broke off did not reach is NaN."""
    longest = max((run.trace for run in found), key=lambda trace: len(trace.step))
    seeds, records = len(found), len(longest.step)
    shared = lambda name: np.tile(longest[name], seeds)
    own = lambda name: np.concatenate([_filled(run.trace, name, longest.step) for run in found])
    objective = own("objective")
    return {
        "experiment": cell.experiment,
        "data": cell.data,
        "setting": cell.setting,
        "method": cell.method,
        "horizon": cell.horizon,
        "batch": cell.batch,
        "seed": np.repeat(np.arange(seeds), records),
        "step": shared("step"),
        "time": np.tile(times, seeds),
        "samples": shared("samples"),
        "evaluations": shared("evaluations"),
        "lmo": np.concatenate([_counted(run.trace, records) for run in found]),
        "objective": objective,
        "optimal_gap": objective - best,
        "frank_wolfe_gap": own("frank_wolfe_gap"),
        "gradient_mapping": own("gradient_mapping"),
        "status": np.repeat(["diverged" if lost(run) else "finished" for run in found], records),
    }


def _filled(trace: Trace, name: str, steps: np.ndarray) -> np.ndarray:
    """The values at `steps`, NaN where the run was not."""
    known = dict(zip(trace.step.tolist(), trace[name], strict=True))
    return np.array([known.get(step, math.nan) for step in steps.tolist()])


def _counted(trace: Trace, records: int) -> np.ndarray:
    """Oracle calls at every record; a run that broke off makes no more."""
    return np.pad(trace.lmo[:records], (0, max(0, records - len(trace.lmo))), mode="edge")
