"""A run that leaves the finite numbers says so, names the level, and keeps its last good point."""

import re

import jax.numpy as jnp
import numpy as np
import pytest

import by_hand
import wolfnest as wn
from problems import DIM, plain, returns, same
from wolfnest.running import divergence

STEPS = 40


def scaled(x, row):
    return row @ x, x


def root(y):
    return jnp.sqrt(0.3 - y[0])


def logarithm(y):
    return jnp.log(0.3 - y[0])


def quotient(y):
    return -1 / jnp.where(y[0] > 0.3, 0.0, 1.0) - y[0]


def root_of_the_distance(y):
    """Finite everywhere, but its derivative is infinite where the distance is 0."""
    return jnp.sqrt(jnp.maximum(0.3 - y[0], 0.0))


def poisoned(x, xi):
    row, bad = xi
    return jnp.where(bad > 0, jnp.nan, 1.0) * (row @ x) + 0.5 * jnp.sum(x**2)


def problem(second, middle=False):
    """The mean return grows along the run; the last level fails where it passes 0.3."""
    table = np.abs(returns()) * np.linspace(0.1, 1.0, DIM)
    levels = [wn.Level(scaled, data=table), wn.Level(second)]
    if middle:
        levels.insert(1, wn.Level(lambda y: (1.0 * y[0], y[1])))
    return wn.Problem(levels, wn.sets.Simplex(DIM))


def run(second, solver=None, throw=False, **options):
    options = {"steps": STEPS, "record_every": 7, "progress": False} | options
    return wn.solve(problem(second), solver or plain("PMM-v1"), throw=throw, **options)


@pytest.mark.parametrize("second", [root, logarithm, quotient])
def test_the_last_finite_point_is_kept_and_the_level_is_named(second):
    solution = run(second)
    assert solution.status == "diverged"
    assert re.search(r"the value of level 2 is not finite at step \d+", solution.message)
    assert divergence.is_finite((solution.x, solution.state.x, solution.state.u, solution.state.v))
    assert bool(problem(second).domain.contains(solution.x))
    assert np.isfinite(solution.trace.objective_estimate).all()
    assert solution.trace.step[-1] == solution.steps == solution.counts.lmo


@pytest.mark.parametrize("record_every", [1, 7, 100])
def test_the_step_reported_is_the_first_that_failed(record_every):
    solver = plain("PMM-v1")
    (states,) = by_hand.states(problem(root), solver, STEPS)
    failed = [not divergence.is_finite((s.x, s.u, s.v)) for s in states].index(True)
    assert 1 < failed < STEPS
    solution = run(root, record_every=record_every)
    assert f"at step {failed}" in solution.message
    assert solution.steps == failed - 1
    np.testing.assert_allclose(solution.x, states[failed - 1].x, rtol=1e-12)
    np.testing.assert_allclose(solution.state.u[-1], states[failed - 1].u[-1], rtol=1e-12)


def test_an_infinite_derivative_names_its_level():
    solution = run(root_of_the_distance)
    assert solution.status == "diverged"
    assert "the derivative of level 2 is not finite" in solution.message
    assert divergence.is_finite(solution.x)


def test_levels_are_counted_from_the_inside():
    deep = problem(root, middle=True)
    solution = wn.solve(deep, plain("PMM-v1"), steps=STEPS, throw=False)
    assert "the value of level 3 is not finite" in solution.message


def test_by_default_an_error_is_raised_that_holds_the_solution():
    with pytest.raises(wn.DivergedError, match="level 2") as caught:
        run(root, throw=True)
    quiet = run(root)
    assert same(caught.value.solution.x, quiet.x)
    assert str(caught.value) == caught.value.solution.message == quiet.message


@pytest.mark.parametrize("output", ["random", "average", "best"])
def test_every_output_of_a_diverged_run_is_finite_and_feasible(output):
    solution = run(root, output=output)
    assert solution.status == "diverged"
    assert divergence.is_finite(solution.x)
    assert bool(problem(root).domain.contains(solution.x))


def test_a_tolerance_does_not_turn_divergence_into_convergence():
    assert run(root, tol=1e-12).status == "diverged"


@pytest.mark.parametrize("tol", [None, 1e-12])
def test_a_diverged_run_that_is_resumed_is_still_the_same_diverged_run(tmp_path, tol):
    options = {"checkpoint": wn.Checkpoint(tmp_path, every=0), "tol": tol}
    first, again = run(root, **options), run(root, **options)
    assert (again.status, again.steps, again.message) == (
        first.status,
        first.steps,
        first.message,
    )
    assert same((first.x, first.state), (again.x, again.state))
    assert list(again.trace.step) == list(first.trace.step)


def test_a_start_that_is_not_finite_is_refused_before_the_run():
    x0 = np.eye(DIM)[-1]  # all in the asset with the largest mean: beyond 0.3
    for name in ("PMM-v1", "PMFS-v1"):
        with pytest.raises(ValueError, match=r"at x0 is not finite: the value of level 2"):
            run(root, plain(name, batch=30), x0=x0)


# One row of the data is poisoned: only the seeds that draw it diverge.


def poisoned_problem(amount):
    bad = np.zeros(200)
    bad[17] = amount
    rng = np.random.default_rng(0)
    level = wn.Level(poisoned, data=(rng.normal(size=(200, DIM)), bad))
    return wn.Problem([level], wn.sets.Simplex(DIM))


def last_weight(_, x):
    return x[-1]


def seeded(amount, **options):
    # The exact criteria of the poisoned problem are NaN everywhere: measure something else.
    options = {"criterion": last_weight, "record_every": 7, "progress": False} | options
    options = {"steps": 30, "seeds": 4} | options
    return wn.solve(poisoned_problem(amount), plain("PMVR-v1", batch=2), throw=False, **options)


@pytest.mark.parametrize("key", [0, 2, 3])
def test_seeds_that_diverge_leave_the_others_untouched(key):
    healthy, ill = seeded(0.0, key=key), seeded(1.0, key=key)
    assert healthy.status == ("finished",) * 4
    lost = np.array([status == "diverged" for status in ill.status])
    assert 0 < lost.sum() < 4
    assert all(status == "finished" for status in np.array(ill.status)[~lost])
    assert same(ill.x[~lost], healthy.x[~lost])
    assert divergence.is_finite((ill.x, ill.state.x, ill.state.u, ill.state.v))
    assert all(bool(poisoned_problem(0.0).domain.contains(x)) for x in ill.x)
    for seed in np.flatnonzero(lost):
        assert f"seed {seed}: the value of level 1 is not finite" in ill.message
        assert not np.array_equal(ill.x[seed], healthy.x[seed])


def test_a_lost_seed_keeps_the_point_it_had_at_its_last_finite_step():
    ill = seeded(1.0, key=0)
    for seed, step in re.findall(r"seed (\d): [^;]* at step (\d+)", ill.message):
        seed, last = int(seed), int(step) - 1
        assert last > 0
        until = seeded(0.0, key=0, steps=last)
        assert same(ill.x[seed], until.x[seed])
        assert same(ill.state.v[seed], until.state.v[seed])


def test_the_message_of_a_run_with_lost_seeds_reports_the_others():
    ill = seeded(1.0, key=0)
    lost = np.array([status == "diverged" for status in ill.status])
    assert 0 < lost.sum() < 4
    assert "nan" not in ill.message.split(";")[0]


def test_a_run_ends_when_its_last_seed_is_lost():
    ill = seeded(1.0, steps=3000, record_every=50)
    assert ill.status == ("diverged",) * 4
    assert ill.steps < 3000
    assert divergence.is_finite((ill.x, ill.state.v))
    assert "and 1 more seed" in ill.message


def test_a_rare_sample_with_a_bad_derivative_names_its_level():
    rows = np.ones(5000)
    rows[1234] = 0.0  # the root of 0 is 0, its derivative is not finite
    level = wn.Level(lambda x, a: jnp.sqrt(a * jnp.sum(x**2)), data=rows)
    problem = wn.Problem([level], wn.sets.L2Ball(2))
    solver = wn.method("PMM-v1", batch=64, eta=0.1)
    x0 = jnp.array([0.5, 0.5])
    solution = wn.solve(
        problem, solver, x0, steps=2000, criterion=last_weight, throw=False, progress=False
    )
    assert solution.status == "diverged"
    assert "the derivative of level 1 is not finite" in solution.message


def test_estimates_lost_when_a_stage_begins_leave_the_state_before_it():
    rows = np.where(np.arange(400) == 7, -1.0, 1.0)
    level = wn.Level(lambda x, a: jnp.sqrt(a) + jnp.sum(x**2), data=rows)
    problem = wn.Problem([level], wn.sets.L2Ball(2))
    schedule = wn.schedules.doubling(0.1, 0.2, 1, 8, restart=4000)
    solver = wn.Solver(wn.estimators.Storm(), wn.LMO(), schedule, initial_batch=1)
    solution = wn.solve(
        problem, solver, steps=40, criterion=last_weight, throw=False, progress=False
    )
    assert solution.status == "diverged"
    assert "the value of level 1 is not finite after step 8" in solution.message
    assert divergence.is_finite((solution.x, solution.state.u, solution.state.v))
    assert solution.steps == 8
