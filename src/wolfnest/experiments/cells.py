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
from wolfnest import choice
from wolfnest.experiments.criteria import measure
from wolfnest.experiments.environment import sources
from wolfnest.experiments.grids import Axis
from wolfnest.experiments.plan import Plan, plan
from wolfnest.experiments.posing import Posed, Poser
from wolfnest.experiments.store import Store
from wolfnest.experiments.tuning import Tuned, area, tune
from wolfnest.experiments.walk import Walk, Walked
from wolfnest.methods import method
from wolfnest.problem import Problem
from wolfnest.solver import Solver

AUTOMATIC = "automatic"
# Tuning sees other random numbers than the runs that are reported, whose keys are 0, 1, 2, …
TUNING_KEY = 1_000_000
# What a cell computes. A new number makes all cells new.
FORMAT = 1


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
    extensions: int
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
        solver, reason = choice.choose(posed.problem, None)
        settings: dict[str, Any] = {}
    else:
        tuned = tune(lambda s: _score(cell, posed, samples, s), cell.grid, cell.extensions)
        settings = {**cell.settings, **tuned.settings}
        solver = method(cell.name, **settings)
    made = plan(posed.problem, solver, samples)
    walk, stops = Walk(made, posed.x0), made.stops(cell.records)
    walk.run(0, (0, made.steps))  # compiles
    runs = [walk.run(seed, stops) for seed in range(cell.seeds)]
    times = walk.times(runs, key=0)
    criteria = measure(posed.problem, np.stack([walked.points for walked in runs]))
    columns = _columns(cell, made, runs, stops, times, criteria, posed.best)
    lost = len(set(columns["seed"][columns["status"] == "diverged"]))
    facts = {
        **_described(cell),
        "name": solver.name,
        "settings": settings,
        "tuning": _tuning(tuned),
        "reason": reason,
        "budget": samples,
        "steps": made.steps,
        **_per_iteration(made, runs, times),
        "status": "finished" if not lost else f"{lost} of {cell.seeds} runs diverged",
        "cost": time.perf_counter() - began,
        "sources": sources(),
    }
    return Outcome(columns, facts)


def _score(cell: Cell, posed: Posed, samples: int, settings: Mapping[str, float]) -> float:
    """The mean log10 of the Frank-Wolfe gap over the budget, on the tuning seeds."""
    assert cell.name is not None
    solver: Solver = method(cell.name, **cell.settings, **settings)
    made = plan(posed.problem, solver, samples)
    walk, stops = Walk(made, posed.x0), made.stops(cell.tuning_records)
    runs = [walk.run(TUNING_KEY + seed, stops) for seed in range(cell.tuning_seeds)]
    if not all(walked.finite for walked in runs):
        return math.inf
    points = np.stack([walked.points for walked in runs])
    gaps = measure(posed.problem, points, ("frank_wolfe_gap",))["frank_wolfe_gap"]
    return area(np.array([made.counts(step).samples for step in stops]), gaps, samples)


def _tuning(tuned: Tuned | None) -> dict[str, Any]:
    nothing = {"grid": {}, "runs": 0, "extended": [], "at_edge": [], "score": None, "scores": []}
    return nothing if tuned is None else tuned.record()


def _described(cell: Cell) -> dict[str, Any]:
    names = ("id", "work", "experiment", "data", "setting", "method", "horizon", "batch", "seeds")
    return {name: getattr(cell, name) for name in names}


def _per_iteration(made: Plan, runs: list[Walked], times: np.ndarray) -> dict[str, float]:
    samples = made.counts(made.steps).samples - made.counts(0).samples
    lmo = float(np.mean([walked.lmo[-1] for walked in runs]))
    return {
        "microseconds_per_iteration": float(times[-1] - times[0]) / made.steps * 1e6,
        "samples_per_iteration": samples / made.steps,
        "lmo_per_iteration": lmo / made.steps,
    }


def _columns(
    cell: Cell,
    made: Plan,
    runs: list[Walked],
    stops: tuple[int, ...],
    times: np.ndarray,
    criteria: dict[str, np.ndarray],
    best: float,
) -> dict[str, Any]:
    """One row per seed and record."""
    seeds, records = len(runs), len(stops)
    counts = [made.counts(step) for step in stops]
    per_record = lambda values: np.tile(np.asarray(values), seeds)
    values = {name: column.reshape(-1) for name, column in criteria.items()}
    finite = np.isfinite(criteria["objective"]) & np.isfinite(criteria["frank_wolfe_gap"])
    kept = np.asarray([walked.finite for walked in runs]) & finite.all(axis=1)
    status = np.where(kept, "finished", "diverged")
    return {
        "experiment": cell.experiment,
        "data": cell.data,
        "setting": cell.setting,
        "method": cell.method,
        "horizon": cell.horizon,
        "batch": cell.batch,
        "seed": np.repeat(np.arange(seeds), records),
        "step": per_record(stops),
        "time": per_record(times),
        "samples": per_record([count.samples for count in counts]),
        "evaluations": per_record([count.evaluations for count in counts]),
        "lmo": np.concatenate([walked.lmo for walked in runs]),
        "objective": values["objective"],
        "optimal_gap": values["objective"] - best,
        "frank_wolfe_gap": values["frank_wolfe_gap"],
        "gradient_mapping": values["gradient_mapping"],
        "status": np.repeat(status, records),
    }
