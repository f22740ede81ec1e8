"""Where a run stops: steps, tolerance, budgets, callback."""

import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import problems
import wolfnest as wn
from problems import plain, portfolio, same, staged

STORM = plain("PMVR-v1")


def run(problem=None, solver=STORM, **options):
    options = {"steps": 60, "record_every": 7, "progress": False} | options
    return wn.solve(problem or portfolio(), solver, **options)


def test_a_run_without_limits_makes_a_thousand_steps_and_about_fifty_records():
    solution = wn.solve(portfolio(), STORM)
    assert (solution.steps, solution.status) == (1000, wn.Status.FINISHED)
    assert list(solution.trace.step) == list(range(0, 1001, 20))
    assert solution.reason == "given"


@pytest.mark.parametrize("steps", [None, 10_000])
def test_a_tolerance_ends_the_run_at_the_first_record_that_reaches_it(steps):
    solution = run(tol=0.15, steps=steps)
    assert solution.status == "converged"
    assert solution.trace.frank_wolfe_gap[-1] <= 0.15
    assert (solution.trace.frank_wolfe_gap[:-1] > 0.15).all()
    assert solution.steps == solution.trace.step[-1] < 10_000


def test_a_start_that_is_good_enough_makes_no_step():
    solution = run(tol=10.0)
    assert (solution.status, solution.steps, solution.counts.lmo) == ("converged", 0, 0)


def test_a_tolerance_reached_by_the_last_record_counts_as_converged():
    free = run(record_every=50)
    assert list(free.trace.step) == [0, 50, 60]
    tol = float(free.trace.frank_wolfe_gap[-1])
    assert tol < free.trace.frank_wolfe_gap[:-1].min()
    assert run(record_every=50, tol=tol).status == "converged"


def test_steps_end_the_run_before_a_tolerance_that_is_out_of_reach():
    assert run(tol=0.0).status == "finished"


@pytest.mark.parametrize("name", ["PMVR-v1", "PMFS-v1", "SwPMVR-v1", "SwPMFS-v1"])
def test_the_sample_budget_is_used_but_never_exceeded(name):
    solver = (staged if name.startswith("Sw") else plain)(name)
    problem, most = portfolio(), 4 * 2 + 2 * 90  # a step with a snapshot and a stage's own pass
    for limit in (300, 500, 701, 1000):
        solution = run(problem, solver, budget={"samples": limit}, steps=None)
        assert solution.status == "budget"
        assert limit - most <= solution.counts.samples <= limit


@pytest.mark.parametrize("name", ["PMVR-v1", "PMFS-v1"])
def test_a_sample_budget_below_the_cost_of_the_start_is_not_exceeded_silently(name):
    with pytest.raises(ValueError, match="budget of 20 samples does not cover the start"):
        run(solver=plain(name, initial_batch=100), budget={"samples": 20})


@pytest.mark.parametrize("limit", [0, 4, 23, 100])
@pytest.mark.parametrize("tol", [None, 0.05])
def test_the_oracle_budget_is_used_but_never_exceeded(limit, tol):
    solver = plain("PMVR-v2", inner=5, tol=tol)
    solution = run(solver=solver, budget={"lmo": limit}, steps=None)
    assert solution.status == "budget"
    assert limit - 5 < solution.counts.lmo <= limit
    assert solution.steps == limit // 5 if tol is None else solution.steps >= limit // 5


def test_the_seconds_budget_ends_the_run():
    run(steps=300)  # compiles: a budget of seconds goes by the clock
    start = time.perf_counter()
    solution = run(budget={"seconds": 0.2}, steps=None)
    assert solution.status == "budget"
    assert solution.steps > 0
    assert time.perf_counter() - start >= 0.2
    assert run(budget={"seconds": 0}).steps == 0


def slow_to_compile(depth=300):
    def fn(x):
        for i in range(depth):
            x = jnp.sin(x + i) * jnp.cos(x)
        return jnp.sum(x**2)

    return wn.Problem([wn.Level(fn)], wn.sets.Simplex(problems.DIM))


def test_compilation_does_not_use_up_the_seconds():
    problem = slow_to_compile()
    start = time.perf_counter()
    limit = {"seconds": 0.3}
    solution = wn.solve(problem, STORM, budget=limit, record_every=100, progress=False)
    assert solution.status == "budget"
    assert time.perf_counter() - start > 0.6, "too quick to show anything"
    assert solution.steps > 100


def test_at_least_one_step_is_made_within_any_seconds():
    assert run(budget={"seconds": 1e-9}, steps=None).steps == 1


@pytest.mark.parametrize("record_every", [7, 50])
def test_the_callback_sees_every_record_once(record_every):
    rows = []
    solution = run(callback=lambda row: rows.append(dict(row)), record_every=record_every)
    assert [row["step"] for row in rows] == list(solution.trace.step)
    for name in solution.trace:
        assert same([row[name] for row in rows], list(solution.trace[name])), name


def test_a_true_answer_of_the_callback_stops_the_run():
    solution = run(callback=lambda row: row["step"] >= 14)
    assert (solution.status, solution.steps) == ("stopped", 14)


def test_seeds_have_each_met_the_tolerance_when_the_run_says_converged():
    solution = run(seeds=4, steps=2000, tol=0.05, record_every=5)
    assert solution.status == ("converged",) * 4
    assert (solution.trace.frank_wolfe_gap.min(axis=0) <= 0.05).all()
    assert solution.steps < 2000


def test_a_seed_that_met_the_tolerance_is_converged_although_the_others_did_not():
    gaps = run(seeds=4, steps=60).trace.frank_wolfe_gap.min(axis=0)
    middle = float(np.sort(gaps)[1:3].mean())
    solution = run(seeds=4, steps=60, tol=middle)
    assert [s == "converged" for s in solution.status] == list(gaps <= middle)


def test_an_objective_may_have_a_negative_tolerance():
    solution = run(criterion="objective", tol=-0.2, steps=500)
    assert solution.status == "converged"


def test_a_missed_tolerance_is_named_and_so_is_one_that_the_start_meets():
    assert "tol=1e-12 was not reached" in run(tol=1e-12, steps=20).message
    assert "start meets tol=100 already" in run(tol=100.0).message


def test_a_tolerance_below_the_error_of_measuring_gives_a_warning():
    with pytest.warns(UserWarning, match="standard error .* above tol"):
        wn.solve(problems.endless(), steps=5, tol=1e-12, progress=False)


def test_solve_cannot_be_traced_and_says_so():
    with pytest.raises(ValueError, match="cannot be traced"):
        jax.jit(lambda x: wn.solve(problems.portfolio(), x0=x).x)(jnp.ones(problems.DIM) / 5)


@pytest.mark.parametrize(("samples", "name"), [(40, "SwPMVR-v1"), (10_000, "GrowSPG")])
def test_the_automatic_choice_fits_a_budget_of_samples(samples, name):
    level = wn.Level(lambda x, a: jnp.sum((x - a) ** 2), data=jnp.eye(20))
    problem = wn.Problem([level], wn.sets.Simplex(20), convex=True)
    solution = wn.solve(problem, budget={"samples": samples}, progress=False)
    assert solution.solver.name == name
    assert solution.steps >= 10
    assert ("fewer than 5 passes" in solution.reason) == (name == "SwPMVR-v1")


@pytest.mark.filterwarnings("ignore:.*standard error")
@pytest.mark.parametrize("seeds", [None, 2])
def test_noise_that_hides_a_tolerance_ends_the_run_undecided(seeds):
    level = wn.Level(lambda x, a: jnp.sum((x - 0.2 - a) ** 2), sample=problems.draw_normal_rows)
    problem = wn.Problem([level], wn.sets.L2Ball(problems.DIM, 2.0), convex=True)
    solver = wn.method("1-SFW", batch=64)
    solution = wn.solve(
        problem, solver, tol=1e-9, record_every=500, steps=20_000, seeds=seeds, progress=False
    )
    assert set(np.atleast_1d(solution.status)) == {"undecided"}
    assert "even on 65,536 samples" in solution.message
    assert solution.steps < 20_000


def test_a_tolerance_above_the_noise_is_decided():
    solution = wn.solve(problems.endless(), plain("PMM-v1"), tol=0.2, steps=2000, progress=False)
    assert solution.status == "converged"
