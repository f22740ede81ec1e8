"""Runs: equal budgets of samples, even records, honest times."""

import dataclasses

import numpy as np
import pytest
import small

import wolfnest as wn
from wolfnest.methods import choice
from wolfnest_reproduction.define import experiments
from wolfnest_reproduction.define.cells import cells_of
from wolfnest_reproduction.define.posing import Posed
from wolfnest_reproduction.run.runs import Runs

pytestmark = pytest.mark.usefixtures("home")

DATA = {"Industry-10": small.table()}
# One of each kind: estimators, directions, stages, exact passes, batches of their own.
KINDS = {
    "E3": {"PMVR-v1 (separate)", "automatic", "A-TSCGD", "LiNASA+ICG", "Nested-SPIDER", "SMVR"},
    "E4": {"PMVR-v1", "SwPMVR-v1", "PMFS-v1", "SwPMFS-v2"},
}
CELLS = {
    (cell.experiment, cell.method): cell
    for cell in cells_of(["E3", "E4"], experiments.FULL, DATA)
    if cell.horizon == 4_000 and cell.method in KINDS[cell.experiment]
}
HORIZON, BATCH = 60, 16


def solver_of(cell, problem, budget):
    if cell.entrant.name is None:
        return choice.choose(problem, None, samples=budget)[0]
    smaller = {"batch": cell.settings["batch"] * BATCH // 128} if "batch" in cell.settings else {}
    extra = {"length": 5} if "length" in cell.settings else {}
    tuned = {name: axis.values[-1] for name, axis in cell.grid.items()}
    tuned |= {"inner": 3} if "inner" in tuned else {}
    return wn.method(cell.entrant.name, **{**cell.settings, **smaller, **extra, **tuned})


def problem_of(cell):
    return small.poser()(cell.problem, cell.data, cell.arguments).problem


def runs_of(cell, problem, budget):
    return Runs(Posed(problem, problem.start(), 0.0), solver_of(cell, problem, budget), budget)


def budget_of(problem):
    return (HORIZON + 1) * BATCH * problem.composition.sampled_levels


@pytest.mark.parametrize("cell", CELLS.values(), ids=lambda cell: cell.label)
def test_no_method_gets_more_samples_and_none_wastes_a_step(cell):
    problem = problem_of(cell)
    budget = budget_of(problem)
    runs = runs_of(cell, problem, budget)
    found = runs.run(key=3, records=7)
    assert found.steps == runs.steps == found.trace.step[-1]
    assert found.counts.samples <= budget
    another = wn.solve(
        problem, runs.solver, steps=runs.steps + 1, record_every=10**6, progress=False
    )
    assert another.counts.samples > budget


def test_methods_of_one_batch_per_step_make_as_many_steps_as_the_horizon():
    for cell in CELLS.values():
        passes = cell.method in ("automatic", "Nested-SPIDER") or "PMFS" in cell.method
        if not passes:
            problem = problem_of(cell)
            assert runs_of(cell, problem, budget_of(problem)).steps == HORIZON, cell.method


def test_separate_batches_use_as_many_samples_per_step():
    alone, shared = CELLS["E3", "PMVR-v1 (separate)"], CELLS["E4", "PMVR-v1"]
    problem = problem_of(alone)
    both = [runs_of(cell, problem, 10_000).run(0, 5).counts.samples for cell in (alone, shared)]
    assert both[0] == both[1]
    assert alone.settings["gradient_batch"] == "separate"


@pytest.mark.parametrize("samples", [10, 450])
def test_a_budget_that_is_too_small_is_refused(samples):
    problem = problem_of(CELLS["E4", "PMFS-v1"])
    posed = Posed(problem, problem.start(), 0.0)
    with pytest.raises(ValueError, match="no step of PMFS-v1"):
        Runs(posed, wn.method("PMFS-v1", batch=50), samples).run(0, 5)


def test_records_are_even_and_include_both_ends():
    problem = problem_of(CELLS["E4", "PMVR-v1"])
    posed, solver = Posed(problem, problem.start(), 0.0), wn.method("PMVR-v1", batch=1)
    assert Runs(posed, solver, 2 * 401).run(0, 40).trace.step.tolist() == list(range(0, 401, 10))
    assert Runs(posed, solver, 2 * 4).run(0, 40).trace.step.tolist() == [0, 1, 2, 3]


def test_times_end_with_the_time_of_the_quickest_run_without_records(monkeypatch):
    problem = problem_of(CELLS["E4", "SwPMVR-v1"])
    runs = runs_of(CELLS["E4", "SwPMVR-v1"], problem, 10_000)
    cut, seconds = [runs.run(seed, 10) for seed in range(3)], iter([5.0, 3.0, 4.0, 9.0, 6.0] * 9)
    run = Runs.run

    def slow(self, key, records):
        found = run(self, key, records)
        return dataclasses.replace(found, seconds=next(seconds) / 10)

    monkeypatch.setattr(Runs, "run", slow)
    monkeypatch.setattr("wolfnest_reproduction.run.runs.SECONDS", 0.6)
    times, spread = runs.times(cut, key=0)
    assert times.shape == cut[0].trace.step.shape
    assert (np.diff(times) > 0).all()
    assert times[-1] == pytest.approx(0.3)
    assert spread == pytest.approx((6 - 4) / 5)


def test_a_run_that_takes_long_is_timed_once(monkeypatch):
    problem = problem_of(CELLS["E4", "PMVR-v1"])
    runs, made = runs_of(CELLS["E4", "PMVR-v1"], problem, 10_000), []
    cut, run = [runs.run(0, 10)], Runs.run

    def slow(self, key, records):
        made.append(dataclasses.replace(run(self, key, records), seconds=100.0))
        return made[-1]

    monkeypatch.setattr(Runs, "run", slow)
    assert runs.times(cut, key=0)[0][-1] == pytest.approx(100.0)
    assert len(made) == 1
