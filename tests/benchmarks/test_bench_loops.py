"""The loops by hand visit the points that the library visits, given the same rows."""

import importlib.util

import jax
import numpy as np
import pytest

import wolfnest as wn
from wolfnest.running import streams
from wolfnest_benchmarks.loops import METHODS, PROBLEMS, Settings
from wolfnest_benchmarks.rows import against_loops

STEPS = 45
AT = Settings(eta=0.05, alpha=0.3, batch=16, inner=4, risk=0.7, beta=0.8)
TABLE = wn.datasets.factor_model(300, 7, seed=0).values


def rows_of(solver, problem, key):
    """The rows that the library draws in a step, as a loop asks for them."""

    def draw(step):
        place = jax.random.fold_in(key, streams.INIT) if step < 0 else streams.step_key(key, step)
        tickets = solver.estimator.tickets(problem.composition, place, AT.batch)
        return np.stack([np.asarray(ticket) for ticket in tickets[:2]])

    return draw


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
def test_the_same_rows_give_the_same_points(problem, method):
    posed, solver = against_loops.posed(problem, TABLE, AT), against_loops.solver(method, AT)
    key = jax.random.key(3)
    ours = np.asarray(wn.solve(posed, solver, steps=STEPS, key=key, progress=False).x)
    assert AT.period(len(TABLE)) < STEPS  # PMFS takes snapshots on the way
    for name, loop in against_loops.LOOPS.items():
        if importlib.util.find_spec(loop.package) is not None:
            found = loop.run(problem, method, TABLE, STEPS, AT, rows_of(solver, posed, key))
            np.testing.assert_allclose(found, ours, rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("name", against_loops.LOOPS)
def test_a_loop_that_draws_for_itself_goes_down_and_depends_on_its_seed(name):
    loop, package, _ = against_loops.LOOPS[name]
    pytest.importorskip(package)
    problem = against_loops.posed("mean-variance", TABLE, AT)
    first, again, other = (
        loop("mean-variance", "PMVR-v1", TABLE, 200, AT, seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0
    assert problem.domain.contains(first)
    assert problem.value(first) < problem.value(problem.start())
