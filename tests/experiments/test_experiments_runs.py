"""Runs: those of `solve`, bit for bit, on equal budgets of samples."""

import numpy as np
import pytest
import small

import wolfnest as wn
from wolfnest import choice
from wolfnest.experiments import catalog, product
from wolfnest.experiments.plan import plan
from wolfnest.experiments.walk import Walk

DATA = {"Industry-10": small.table()}
# One of each kind: estimators, directions, stages, exact passes, batches of their own.
KINDS = {
    "E3": {"PMVR-v1 (separate)", "automatic", "A-TSCGD", "LiNASA+ICG", "Nested-SPIDER", "SMVR"},
    "E4": {"PMVR-v1", "SwPMVR-v1", "PMFS-v1", "SwPMFS-v2"},
}
CELLS = {
    (cell.experiment, cell.method): cell
    for cell in product.cells(["E3", "E4"], catalog.FULL, DATA)
    if cell.horizon == 4_000 and cell.method in KINDS[cell.experiment]
}
HORIZON, BATCH = 60, 16


def solver_of(cell, problem):
    if cell.name is None:
        return choice.choose(problem, None)[0]
    smaller = {"batch": cell.settings["batch"] * BATCH // 128} if "batch" in cell.settings else {}
    extra = {"length": 5} if "length" in cell.settings else {}
    extra |= {"inner": 3} if "inner" in cell.settings else {}
    tuned = {name: axis.values[-1] for name, axis in cell.grid.items()}
    return wn.method(cell.name, **{**cell.settings, **smaller, **extra, **tuned})


def problem_of(cell):
    return small.poser()(cell.problem, cell.data, cell.arguments).problem


@pytest.mark.parametrize("cell", CELLS.values(), ids=lambda cell: cell.label)
def test_a_run_is_that_of_solve_with_the_same_key_and_budget(cell):
    problem = problem_of(cell)
    solver = solver_of(cell, problem)
    budget = (HORIZON + 1) * BATCH * problem.composition.sampled_levels
    made = plan(problem, solver, budget)
    stops = made.stops(7)
    walked = Walk(made, problem.start()).run(3, stops)
    seen = {}
    solution = wn.solve(
        problem,
        solver,
        key=3,
        budget={"samples": budget},
        record_every=1,
        criterion="objective",
        callback=lambda row: seen.__setitem__(row["step"], np.asarray(row["state"].x)),
        progress=False,
    )
    assert solution.steps == made.steps
    trace = {step: i for i, step in enumerate(solution.trace.step.tolist())}
    for number, step in enumerate(stops):
        assert np.array_equal(walked.points[number], seen[step])
        counts, row = made.counts(step), trace[step]
        assert counts.samples == solution.trace.samples[row]
        assert counts.evaluations == solution.trace.evaluations[row]
        assert walked.lmo[number] == solution.trace.lmo[row]


@pytest.mark.parametrize("cell", CELLS.values(), ids=lambda cell: cell.label)
def test_no_method_gets_more_samples_and_none_wastes_a_step(cell):
    problem = problem_of(cell)
    solver = solver_of(cell, problem)
    budget = (HORIZON + 1) * BATCH * problem.composition.sampled_levels
    made = plan(problem, solver, budget)
    used = made.counts(made.steps).samples
    assert used <= budget
    another = plan(problem, solver, 10 * budget)
    assert another.counts(made.steps + 1).samples > budget


def test_methods_of_one_batch_per_step_make_as_many_steps_as_the_horizon():
    for cell in CELLS.values():
        passes = cell.method in ("automatic", "Nested-SPIDER") or "PMFS" in cell.method
        if not passes:
            problem = problem_of(cell)
            budget = (HORIZON + 1) * BATCH * problem.composition.sampled_levels
            assert plan(problem, solver_of(cell, problem), budget).steps == HORIZON, cell.method


def test_separate_batches_use_as_many_samples_per_step():
    alone, shared = CELLS["E3", "PMVR-v1 (separate)"], CELLS["E4", "PMVR-v1"]
    problem = problem_of(alone)
    both = [plan(problem, solver_of(cell, problem), 10_000) for cell in (alone, shared)]
    assert both[0].counts(50).samples == both[1].counts(50).samples
    assert alone.settings["gradient_batch"] == "separate"


@pytest.mark.parametrize("samples", [10, 450])
def test_a_budget_that_is_too_small_is_refused(samples):
    problem = problem_of(CELLS["E4", "PMFS-v1"])
    with pytest.raises(ValueError, match="start of PMFS-v1"):
        plan(problem, wn.method("PMFS-v1", batch=50), samples)


def test_records_are_even_and_include_both_ends():
    problem = problem_of(CELLS["E4", "PMVR-v1"])
    made = plan(problem, wn.method("PMVR-v1", batch=1), 2 * 401)
    assert made.stops(40) == tuple(range(0, 401, 10))
    assert plan(problem, wn.method("PMVR-v1", batch=1), 2 * 4).stops(40) == (0, 1, 2, 3)


def test_times_increase_and_end_with_the_time_of_a_whole_run():
    problem = problem_of(CELLS["E4", "SwPMVR-v1"])
    made = plan(problem, solver_of(CELLS["E4", "SwPMVR-v1"], problem), 10_000)
    walk, stops = Walk(made, problem.start()), made.stops(10)
    runs = [walk.run(seed, stops) for seed in range(3)]
    times = walk.times(runs, key=0)
    assert times.shape == (len(stops),)
    assert (np.diff(times) > 0).all()
    assert times[0] > 0
    # Stages are calls of their own, each of which is counted.
    assert sum(runs[0].calls[1:]) > len(stops) - 1
