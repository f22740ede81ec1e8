"""One step by hand: what it reports, what it carries on, and what it asks for."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import problems
import wolfnest as wn


def begun(solver, problem, n=4):
    state = solver.init(problem, problem.start(), solver.estimator.draw(
        problem.composition, jax.random.key(0), n
    ))  # fmt: skip
    batch = solver.estimator.draw(problem.composition, jax.random.key(1), n)
    return state, batch, solver.schedule.stages(1)[0]


def test_the_gap_of_a_step_is_that_of_the_estimated_gradient():
    problem, solver = problems.portfolio(), wn.method("PMVR-v1", batch=4)
    state, batch, stage = begun(solver, problem)
    _, info = solver.step(problem, state, batch, stage)
    z = problem.domain.lmo(state.v)
    assert float(info.gap) == pytest.approx(float(jnp.vdot(state.v, state.x - z)), rel=1e-12)
    assert int(info.lmo) == 1


def test_the_oracle_starts_where_it_ended_in_the_step_before():
    problem, solver = problems.matrix(), wn.method("PMVR-v1", batch=4)
    state, batch, stage = begun(solver, problem)
    state = solver.init(problem, 0.5 * problem.domain.lmo(-jnp.ones((4, 3))), batch)
    after, _ = solver.step(problem, state, batch, stage)
    _, expected = problem.domain.lmo_from(state.v, state.guess)
    assert np.array_equal(after.guess, expected)
    assert not np.array_equal(after.guess, state.guess)


@pytest.mark.parametrize("name", ["PMVR-v1", "PMM-v2", "PMFS-v1"])
def test_steps_can_be_compiled_scanned_and_mapped_over_parameters(name):
    problem, solver = problems.portfolio(), wn.method(name, batch=4)
    state, batch, stage = begun(solver, problem)
    once, _ = jax.jit(solver.step)(problem, state, batch, stage)

    def with_eta(eta):
        setting = wn.Stage(1, eta, stage.alpha, 4, stage.inner)
        return solver.step(problem, state, batch, setting)[0].x

    several = jax.vmap(with_eta)(jnp.array([0.5, float(stage.eta)]))
    np.testing.assert_allclose(several[1], once.x, rtol=1e-12)
    last, _ = jax.lax.scan(
        lambda s, _: (solver.step(problem, s, batch, stage)[0], None), state, length=5
    )
    assert int(last.t) == 6


def test_a_first_point_of_the_wrong_shape_is_refused():
    problem, solver = problems.portfolio(), wn.method("PMVR-v1", batch=4)
    with pytest.raises(ValueError, match=r"float64\[5\].*got float64\[3\]"):
        solver.init(problem, jnp.ones(3), problem.draw(0, 4))


@pytest.mark.parametrize("eta", [1e-5, 3e-7])
def test_small_moves_in_single_precision_neither_stall_nor_leave_the_set(eta):
    problem = problems.portfolio(np.float32)
    solver = wn.method("PMVR-v1", eta=eta, alpha=0.1, batch=4)
    run = wn.solve(problem, solver, steps=200_000, record_every=200_000, progress=False)
    assert float(run.x.sum()) == pytest.approx(1.0, abs=5e-7)
    assert float(run.x.min()) >= 0
    moved = float(jnp.abs(run.x - problem.start()).sum())
    assert moved > 0.5 * (1 - np.exp(-200_000 * eta))


def test_integers_too_long_for_32_bits_do_not_wrap_around():
    with jax.enable_x64(False):
        level = wn.Level(lambda x, a: a * x[0], data=np.array([3_000_000_000, 5]))
    assert float(level.data[0]) == 3e9


def test_a_list_of_rows_is_refused_with_the_way_out():
    with pytest.raises(ValueError, match=r"np\.asarray"):
        wn.Level(lambda x, a: x, data=[[1.0, 2.0], [3.0, 4.0]])
