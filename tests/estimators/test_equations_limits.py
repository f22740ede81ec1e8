"""What the equations imply: unbiased batch gradients, and exact Frank-Wolfe as a limit."""

import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import reference as ref
import reference_problems as rp
import wolfnest as wn
from reference_problems import flat, rows

jax.config.update("jax_enable_x64", True)


def tiny_case():
    """K = 3 with 2, 3 and 2 samples: 12 sample tuples, 144 batches of two."""
    rng, d = np.random.default_rng(3), 3
    twins = (
        rp.tanh_layer(rng, 2, d, 2), rp.tanh_layer(rng, 3, 2, 2), rp.quadratic_loss(rng, 2, 2),
    )  # fmt: skip
    return rp.Case(twins, wn.sets.Simplex(d), ref.simplex(), np.full(d, 1 / d))


def all_batches(case, n):
    """Every batch of n sample tuples, stacked: a batch whose leaves have a leading axis."""
    lengths = [len(twin.data[0]) for twin in case.twins]
    per_level = [list(itertools.product(range(m), repeat=n)) for m in lengths]
    choices = list(itertools.product(*per_level))
    assert len(choices) == np.prod(lengths) ** n
    return tuple(
        rows(twin.data, np.array([choice[i] for choice in choices]))
        for i, twin in enumerate(case.twins)
    )


def constant_solver(estimator):
    return wn.Solver(estimator, wn.LMO(), wn.schedules.Constant(0.3, 0.4, 2), 2)


def expected_gradient(case, state):
    """∏ ∇f_i at the state's own inputs."""
    return ref.exact_gradient(case.levels, [flat(state.x), *(flat(u) for u in state.u[:-1])])


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("pairing", ["paired", "all"])
def test_the_batch_gradient_is_unbiased(pairing, n):
    case = tiny_case()
    solver = constant_solver(wn.estimators.Momentum(pairing=pairing, gradient_batch="separate"))
    for_values = case.draw(np.random.default_rng(4), n)

    def init(for_gradient):
        return solver.init(case.problem, case.x1, (for_values, for_gradient))

    states = jax.jit(jax.vmap(init))(all_batches(case, n))
    one = jax.tree.map(lambda a: a[0], states)
    assert np.std(flat(states.v)) > 0.01  # the batches do differ
    np.testing.assert_allclose(np.mean(states.v, axis=0), expected_gradient(case, one), rtol=1e-12)


@pytest.mark.parametrize("pairing", ["paired", "all"])
@pytest.mark.parametrize("estimator", ["momentum", "storm", "snapshot"])
def test_the_step_of_v_is_unbiased_given_the_inputs(estimator, pairing):
    case, rng, alpha = tiny_case(), np.random.default_rng(5), 0.4
    options = {"pairing": pairing, "gradient_batch": "separate"}
    solver = constant_solver(
        {
            "momentum": lambda: wn.estimators.Momentum(**options),
            "storm": lambda: wn.estimators.Storm(**options),
            "snapshot": lambda: wn.estimators.Snapshot(period=10, **options),
        }[estimator]()
    )
    first = None if estimator == "snapshot" else (case.draw(rng, 2), case.draw(rng, 2))
    old = eqx.filter_jit(solver.init)(case.problem, case.x1, first)
    stage, for_values = wn.Stage(9, 0.3, alpha, 2), case.draw(rng, 2)
    # two steps, so that now, before and the snapshot are three different points
    batch = case.draw(rng, 2), case.draw(rng, 2)
    old, _ = eqx.filter_jit(solver.step)(case.problem, old, batch, stage)

    def step(for_gradient):
        return solver.step(case.problem, old, (for_values, for_gradient), stage)[0]

    states = jax.jit(jax.vmap(step))(all_batches(case, 2))
    one = jax.tree.map(lambda a: a[0] if jnp.ndim(a) else a, states)
    now, before = expected_gradient(case, one), expected_gradient(case, old)
    wanted = (1 - alpha) * flat(old.v) + alpha * now
    if estimator != "momentum":
        wanted = wanted + (1 - alpha) * (now - before)
    np.testing.assert_allclose(np.mean(states.v, axis=0), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", ["K1", "K2-pair", "K3-dict-last-without-samples", "K4"])
def test_snapshot_every_step_and_alpha_one_is_frank_wolfe(name):
    case, rng = rp.make_cases()[name], np.random.default_rng(6)
    solver = wn.method("PMFS-v1", eta=0.2, alpha=1.0, batch=2, period=1)
    (stage,) = solver.schedule.stages(8)
    problem, step = case.problem, eqx.filter_jit(solver.step)
    value, slope = eqx.filter_jit(problem.value), eqx.filter_jit(problem.gradient)
    state = eqx.filter_jit(solver.init)(problem, case.x1, None)
    x = flat(case.x1)
    for _ in range(8):
        values = ref.exact_values(case.levels, x)
        gradient = ref.exact_gradient(case.levels, [x, *values[:-1]])
        np.testing.assert_allclose(flat(state.x), x, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(flat(state.u), np.concatenate(values), rtol=1e-10)
        np.testing.assert_allclose(flat(state.v), gradient, rtol=1e-10)
        np.testing.assert_allclose(flat(slope(state.x)), gradient, rtol=1e-10)
        np.testing.assert_allclose(value(state.x), values[-1][0], rtol=1e-10)
        x = x + 0.2 * (case.twin_domain.lmo(gradient) - x)
        state, _ = step(problem, state, case.draw(rng, 2), stage)


def test_one_level_is_plain_storm_frank_wolfe():
    case, rng, eta, alpha = rp.make_cases()["K1"], np.random.default_rng(7), 0.2, 0.3
    twin = case.twins[0]
    solver = wn.method("PMVR-v1", eta=eta, alpha=alpha, batch=3, initial_batch=5)
    (stage,) = solver.schedule.stages(6)

    def gradient(x, batch):
        return np.mean([twin.jacobian(x, rows(batch[0], j))[:, 0] for j in range(3)], axis=0)

    first = case.draw(rng, 3)
    state, x = solver.init(case.problem, case.x1, first), flat(case.x1)
    v = gradient(x, first)
    for _ in range(6):
        batch = case.draw(rng, 3)
        state, _ = solver.step(case.problem, state, batch, stage)
        old, x = x, x + eta * (case.twin_domain.lmo(v) - x)
        v = gradient(x, batch) + (1 - alpha) * (v - gradient(old, batch))
        np.testing.assert_allclose(flat(state.x), x, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(flat(state.v), v, rtol=1e-11)


@pytest.mark.parametrize("name", ["PMM", "PMVR", "PMFS"])
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_named_methods_are_these_estimators_and_directions(name, version):
    case, rng = rp.make_cases()["K2-pair"], np.random.default_rng(8)
    extra = {"inner": 4, "beta": 1.5} if version == "v2" else {}
    if name == "PMFS":
        extra["period"] = 3
    solver = wn.method(f"{name}-{version}", eta=0.2, alpha=0.3, batch=3, **extra)
    method = ref.Method(
        {"PMM": "momentum", "PMVR": "storm", "PMFS": "snapshot"}[name],
        direction="lmo" if version == "v1" else "line-search",
        period=extra.get("period"),
        beta=1.5,
    )
    (stage,) = solver.schedule.stages(7)
    problem, step = case.problem, eqx.filter_jit(solver.step)
    first = None if name == "PMFS" else case.draw(rng, 3)
    state = eqx.filter_jit(solver.init)(problem, case.x1, first)
    expected = ref.init(case.levels, method, flat(case.x1), first)
    for _ in range(7):
        batch = case.draw(rng, 3)
        state, info = step(problem, state, batch, stage)
        expected, calls = ref.step(
            case.levels, case.twin_domain, method, expected, batch, eta=0.2, alpha=0.3, inner=4
        )
        assert int(info.lmo) == calls == (1 if version == "v1" else 4)
        np.testing.assert_allclose(flat(state.x), expected.x, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(flat(state.v), expected.v, rtol=1e-10)
