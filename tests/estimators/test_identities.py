"""Limits in which the rivals are known methods: written by hand, or another solver, same samples.

The hand-written sides know nothing of estimators: they differentiate batch means with `jax.grad`.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_equations import compiled

import wolfnest as wn

jax.config.update("jax_enable_x64", True)

D, ROWS, STEPS = 4, 12, 8


def loss(x, row):
    """A smooth convex loss of one row (a, b)."""
    return jnp.logaddexp(0.0, row[0] @ x) + 0.5 * jnp.sum((x - row[1]) ** 2)


def inner_map(x, row):
    return jnp.tanh(row[0] @ x) * row[1] + x


def make_data(seed=0):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(ROWS, D)), 0.5 * rng.normal(size=(ROWS, D)))


def one_level(domain=None):
    return wn.Problem([wn.Level(loss, data=make_data())], domain or wn.sets.Simplex(D))


def two_levels():
    levels = [wn.Level(inner_map, data=make_data(1)), wn.Level(loss, data=make_data(2))]
    return wn.Problem(levels, wn.sets.Simplex(D))


def mean_of(fn, x, samples):
    return jnp.mean(jax.vmap(lambda row: fn(x, row))(samples), axis=0)


def batches(problem, n, steps=STEPS):
    """The first batch and one for every step."""
    keys = jax.random.split(jax.random.key(7), steps + 1)
    drawn = [problem.composition.draw(key, n) for key in keys]
    return drawn[0], drawn[1:]


def states(problem, solver, first, rest):
    """The states of a run over the given batches, in one stage of the solver's schedule."""
    state = compiled(solver.init)(problem, problem.start(), first)
    (stage,), step = solver.schedule.stages(len(rest), ROWS), compiled(solver.step)
    result = [state]
    for i, batch in enumerate(rest):
        state, _ = step(problem, state, batch, stage.at(i))
        result.append(state)
    return result


def points(visited):
    return np.array([state.x for state in visited])


def same_runs(problem, one, other, rtol=1e-12, key=3):
    """Both solvers by `solve` with the same key: the same batches, the same points."""
    a, b = (
        wn.solve(problem, solver, steps=STEPS, key=key, record_every=STEPS)
        for solver in (one, other)
    )
    np.testing.assert_allclose(a.x, b.x, rtol=rtol, atol=rtol)
    return a, b


# Projected methods.


@pytest.mark.parametrize("tau", [0.3, 1.0])
def test_nlasg_with_one_level_is_projected_sgd_with_an_averaged_gradient(tau):
    problem, beta = one_level(), 2.5
    first, rest = batches(problem, 3)
    visited = states(problem, wn.method("NLASG", tau=tau, beta=beta, batch=3), first, rest)
    slope = lambda x, batch: jax.grad(lambda p: mean_of(loss, p, batch[0]))(x)
    x = problem.start()
    z, expected = slope(x, first), [x]
    for batch in rest:
        ahead = problem.domain.project(x - z / beta)
        z = (1 - tau) * z + tau * slope(x, batch)
        x = (1 - tau) * x + tau * ahead
        expected.append(x)
    np.testing.assert_allclose(points(visited), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("domain", [wn.sets.Simplex(D), wn.sets.L2Ball(D, 0.4)])
def test_linasa_with_many_inner_steps_is_nlasg(domain):
    """The inner iteration has no end: after N steps the two runs are about 1/N apart (6e-4 for
    4,000 steps on the simplex), and that falls as N grows."""
    problem, n = one_level(domain), 4_000
    first, rest = batches(problem, 3)
    options = {"tau": 0.5, "beta": 2.0, "batch": 3}
    wanted = points(states(problem, wn.method("NLASG", **options), first, rest))
    errors = []
    for inner in (40, n):
        solver = wn.method("LiNASA+ICG", **options, inner=inner, inner_growth=0.0)
        visited = states(problem, solver, first, rest)
        errors.append(np.linalg.norm(points(visited) - wanted, axis=1).max())
    assert np.linalg.norm(wanted[-1] - wanted[0]) > 0.1
    assert errors[1] < 2e-3
    assert errors[1] < 0.05 * errors[0]


@pytest.mark.parametrize("name", ["SCSC", "A-TSCGD"])
def test_without_memory_the_values_are_those_of_plain_compositional_sgd(name):
    """α = 1 (for A-TSCGD an α that keeps every β_j at 1): fresh, biased batch gradients."""
    problem, lr = two_levels(), 0.3
    first, rest = batches(problem, 3)
    alpha = {"SCSC": 1.0, "A-TSCGD": 100.0}[name]
    solver = wn.method(name, lr=lr, alpha=alpha, batch=3, pairing="all")
    visited = states(problem, solver, first, rest)

    def value(x, batch):
        return mean_of(loss, mean_of(inner_map, x, batch[0]), batch[1])

    x, expected = problem.start(), [problem.start()]
    for k, batch in enumerate([first, *rest[:-1]], start=1):
        rate = lr if name == "SCSC" else lr * k ** (-5 / 9)
        x = problem.domain.project(x - rate * jax.grad(value)(x, batch))
        expected.append(x)
    np.testing.assert_allclose(points(visited), expected, rtol=1e-12, atol=1e-14)
    for state, batch in zip(visited[1:], rest, strict=True):
        np.testing.assert_allclose(state.u[0], mean_of(inner_map, state.x, batch[0]), rtol=1e-12)
        np.testing.assert_allclose(state.u[1], value(state.x, batch), rtol=1e-12)


def test_smvr_with_one_level_is_projected_storm():
    lr, alpha = 0.3, 0.2
    storm = wn.Solver(
        wn.estimators.Storm(), wn.Projected(1 / lr), wn.schedules.Constant(1.0, alpha, 3)
    )
    same_runs(one_level(), wn.method("SMVR", lr=lr, alpha=alpha, batch=3), storm)


def test_scsc_and_smvr_agree_on_the_values_of_a_fixed_point():
    """With so small a learning rate that x stands still both track the same values."""
    solvers = [wn.method(name, lr=1e-300, alpha=0.3, batch=3) for name in ("SCSC", "SMVR")]
    problem = two_levels()
    runs = [states(problem, solver, *batches(problem, 3)) for solver in solvers]
    for one, other in zip(*runs, strict=True):
        for a, b in zip(one.u, other.u, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("epoch", [1, 3])
def test_nested_spider_with_a_large_eps_takes_half_a_projected_step(epoch):
    """By hand, with the gradient of SPIDER: exact every `epoch` iterations, differences between."""
    problem, lr = one_level(), 0.4
    _, rest = batches(problem, 2)
    solver = wn.method("Nested-SPIDER", lr=lr, eps=1e12, epoch=epoch, batch=2)
    visited = states(problem, solver, None, rest)
    data = problem.levels[0].data
    slope = lambda x, rows: jax.grad(lambda p: mean_of(loss, p, rows))(x)
    x = problem.start()
    v, expected = slope(x, data), [x]
    for t, batch in enumerate(rest, start=2):
        before, x = x, x + 0.5 * (problem.domain.project(x - lr * v) - x)
        exact = (t - 1) % epoch == 0
        v = slope(x, data) if exact else v + slope(x, batch[0]) - slope(before, batch[0])
        expected.append(x)
    np.testing.assert_allclose(points(visited), expected, rtol=1e-12, atol=1e-14)


# Frank-Wolfe methods.


def exact_frank_wolfe(problem, etas):
    data, x = problem.levels[0].data, problem.start()
    visited = [x]
    for eta in etas:
        s = problem.domain.lmo(jax.grad(lambda p: mean_of(loss, p, data))(x))
        x = x + eta * (s - x)
        visited.append(x)
    return np.array(visited)


@pytest.mark.parametrize(
    ("name", "settings"),
    [("SPIDER-FW", {"regime": "nonconvex"}), ("SVFW", {})],
)
def test_epochs_of_one_step_are_exact_frank_wolfe(name, settings):
    problem = one_level(wn.sets.L2Ball(D, 0.7))
    _, rest = batches(problem, 2)
    solver = wn.method(name, eta=0.3, epoch=1, batch=2, **settings)
    visited = points(states(problem, solver, None, rest))
    wanted = exact_frank_wolfe(problem, [0.3] * STEPS)
    np.testing.assert_allclose(visited, wanted, rtol=1e-12, atol=1e-14)


def test_spider_fw_and_svfw_agree_for_two_iterations_of_an_epoch():
    """v - before + now: the first difference of SPIDER is the one of SVRG."""
    problem = one_level(wn.sets.L2Ball(D, 0.7))
    _, rest = batches(problem, 2)
    options = {"eta": 0.3, "epoch": 2, "batch": 2}
    spider = states(problem, wn.method("SPIDER-FW", regime="nonconvex", **options), None, rest)
    svrg = states(problem, wn.method("SVFW", **options), None, rest)
    np.testing.assert_allclose(points(spider), points(svrg), rtol=1e-12, atol=1e-14)


def test_one_sfw_with_given_weights_is_pmvr_v1_on_one_level():
    ours = wn.method("PMVR-v1", eta=0.2, alpha=0.3, batch=3)
    theirs = wn.method("1-SFW", eta=0.2, rho=0.3, batch=3)
    same_runs(one_level(), ours, theirs)


def test_sgd_icg_solved_to_the_end_is_projected_sgd():
    """The inner gap bounds the squared distance to the prox point: ‖d - d*‖² ≤ 2 tol / β."""
    problem, smoothness, tol = one_level(wn.sets.L2Ball(D, 0.4)), 1.0, 1e-7
    first, rest = batches(problem, 3)
    solver = wn.method("SGD+ICG", smoothness=smoothness, tol=tol, inner=20_000, batch=3)
    visited = states(problem, solver, first, rest)
    for state, new in itertools.pairwise(visited):
        wanted = problem.domain.project(state.x - state.v / (2 * smoothness))
        assert np.linalg.norm(new.x - wanted) <= np.sqrt(2 * tol / (2 * smoothness))
    assert np.linalg.norm(visited[-1].x - visited[0].x) > 0.1
