"""The minimum: against exact solutions and another solver, on several sets, and its refusals."""

from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import brentq, minimize

import wolfnest as wn
from wolfnest import datasets, problems


def exact_mean_variance(r, risk):
    """The weights of least `-μ·x + λ xᵀΣx`: the KKT system of every support is solved."""
    mean, cov = r.mean(0), np.cov(r.T, bias=True)
    best, weights = np.inf, None
    for size in range(1, len(mean) + 1):
        for support in map(list, combinations(range(len(mean)), size)):
            system = np.block([[2 * risk * cov[np.ix_(support, support)], np.ones((size, 1))],
                               [np.ones((1, size)), np.zeros((1, 1))]])  # fmt: skip
            x = np.zeros(len(mean))
            x[support] = np.linalg.solve(system, np.append(mean[support], 1.0))[:-1]
            value = -mean @ x + risk * x @ cov @ x
            if x.min() >= 0 and value < best:
                best, weights = value, x
    return weights, best


def exact_mean_deviation(r, risk, delta):
    """Mean-deviation has the weights of mean-variance at `λ' = λ / (2 √(Var + δ))`, its own Var."""
    deviation = lambda x: np.sqrt(np.var(r @ x) + delta)
    off = lambda other: other - risk / (2 * deviation(exact_mean_variance(r, other)[0]))
    x, _ = exact_mean_variance(r, brentq(off, 1e-3, 1e3, xtol=1e-14, rtol=1e-14))
    return x, -np.mean(r @ x) + risk * deviation(x)


def by_slsqp(problem):
    """The minimum over the simplex by SciPy."""
    start = np.asarray(problem.start())
    done = minimize(
        lambda x: float(problem.value(x)),
        start,
        jac=lambda x: np.asarray(problem.gradient(x)),
        bounds=[(0, 1)] * start.size,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return done.x, done.fun


# ---- portfolios --------------------------------------------------------------------------------


@pytest.mark.parametrize("risk", [0.05, 0.2, 1.0, 10.0])
def test_mean_variance_against_the_kkt_systems(table, risk):
    problem = problems.mean_variance(table, risk)
    found = problems.minimum(problem)
    x, value = exact_mean_variance(table, risk)
    np.testing.assert_allclose(found.x, x, atol=1e-7)
    np.testing.assert_allclose(found.value, value, rtol=1e-12)
    assert found.reached
    assert 0 < found.gap <= 1e-9 * max(1, abs(value), wn.metrics.frank_wolfe_gap(problem, x))
    assert found.value - found.gap <= value <= found.value + 1e-14


@pytest.mark.parametrize(("risk", "delta"), [(0.5, 1e-6), (1.0, 1e-6), (5.0, 1e-2)])
def test_mean_deviation_against_the_kkt_systems(table, risk, delta):
    found = problems.minimum(problems.mean_deviation(table, risk, delta))
    x, value = exact_mean_deviation(table, risk, delta)
    np.testing.assert_allclose(found.x, x, atol=1e-6)
    np.testing.assert_allclose(found.value, value, rtol=1e-11)
    assert found.reached
    assert found.value - found.gap <= value + 1e-14


@pytest.mark.parametrize("make", [problems.mean_variance, problems.mean_deviation])
@pytest.mark.parametrize("risk", [0.2, 1.0])
def test_more_assets_against_scipy(make, risk):
    problem = make(datasets.factor_model(500, 20, seed=3), risk)
    found, (x, value) = problems.minimum(problem), by_slsqp(problem)
    np.testing.assert_allclose(found.value, value, rtol=1e-9)
    assert found.value <= value + 1e-12
    np.testing.assert_allclose(found.x, x, atol=1e-4)
    assert found.reached


@pytest.mark.parametrize("unit", [1e-8, 1e-2, 1e4])
def test_units_do_not_matter(table, unit):
    one = problems.minimum(problems.mean_variance(table, 1.0))
    other = problems.minimum(problems.mean_variance(unit * table, 1.0 / unit))
    np.testing.assert_allclose(other.x, one.x, atol=1e-7)
    np.testing.assert_allclose(
        [other.value, other.gap], [unit * one.value, unit * one.gap], rtol=0.1
    )
    assert other.reached


@pytest.mark.parametrize(
    ("columns", "risk"),
    [("riskless", 1.0), ("riskless", 0.05), ("hedge", 1.0), ("copy", 0.3), ("one", 1.0)],
)
def test_odd_tables(table, columns, risk):
    zero = np.zeros((len(table), 1))
    odd = {
        "riskless": np.hstack([table, zero]),
        "hedge": np.hstack([table[:, :2], 0.01 - table[:, :1]]),
        "copy": np.hstack([table, table]),
        "one": table[:, :1],
    }[columns]
    for make in (problems.mean_variance, problems.mean_deviation):
        problem = make(odd, risk)
        found = problems.minimum(problem)
        assert found.reached
        assert found.value <= by_slsqp(problem)[1] + 1e-9
        assert bool(problem.domain.contains(found.x, 1e-12))


def test_without_risk_all_goes_to_the_highest_mean(table):
    found = problems.minimum(problems.mean_variance(table, 0.0))
    np.testing.assert_allclose(found.x, np.eye(5)[np.argmax(table.mean(0))], atol=1e-9)


# ---- other problems and sets -------------------------------------------------------------------


def test_an_ill_conditioned_quadratic():
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(10, 10)))[0]
    rows = np.sqrt(10) * np.logspace(0, -3, 10)[:, None] * turn
    inside = np.linspace(0.05, 0.15, 10)
    level = wn.Level(lambda x, r: (r @ (x - inside)) ** 2, data=rows)
    problem = wn.Problem([level], wn.sets.Simplex(10), convex=True)
    found = problems.minimum(problem, tol=1e-12)
    assert found.reached
    assert found.value < 1e-12


def least_squares(domain, shape, size=2.0, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(60, *shape))
    b = np.tensordot(a, size * rng.normal(size=shape), len(shape))
    return wn.Problem(
        [wn.Level(lambda x, s: (jnp.vdot(s[0], x) - s[1]) ** 2, data=(a, b))], domain, convex=True
    )


@pytest.mark.parametrize(
    ("domain", "shape"),
    [
        (wn.sets.L1Ball(6, 2.0), (6,)),
        (wn.sets.L2Ball(6, 0.5), (6,)),
        (wn.sets.Box(-np.ones(6), np.linspace(0, 1, 6)), (6,)),
        (wn.sets.NuclearBall((4, 3), 1.5), (4, 3)),
        (wn.sets.L2Ball(6, 1e3), (6,)),
    ],
)
def test_every_set_with_a_projection(domain, shape):
    problem = least_squares(domain, shape)
    found = problems.minimum(problem)
    assert found.reached
    steps = 1e-3 * np.random.default_rng(1).normal(size=(200, *shape))
    near = jax.vmap(lambda step: problem.value(problem.domain.project(found.x + step)))(steps)
    assert np.all(near >= found.value - found.gap)


def test_points_may_be_pytrees():
    sets = {"w": wn.sets.Simplex(3), "b": wn.sets.Box(-np.ones(2), np.ones(2))}
    loss = wn.Level(
        lambda x: jnp.sum((x["w"] - jnp.arange(3) / 2) ** 2) + jnp.sum((x["b"] - 2) ** 2)
    )
    found = problems.minimum(wn.Problem([loss], wn.sets.Product(sets), convex=True))
    np.testing.assert_allclose(found.x["w"], [0, 0.25, 0.75], atol=1e-6)
    np.testing.assert_allclose(found.x["b"], [1, 1], atol=1e-6)


def test_a_level_of_another_precision_does_not_matter(table):
    level = wn.Level(
        lambda x, r: jnp.asarray((r @ x) ** 2, "float64"), data=table.astype("float32")
    )
    found = problems.minimum(wn.Problem([level], wn.sets.Simplex(5), convex=True), tol=1e-4)
    assert found.x.dtype == np.float32
    assert found.reached


def test_a_start_that_is_the_minimum_takes_no_steps():
    problem = wn.Problem([wn.Level(lambda x: jnp.sum(x**2))], wn.sets.Simplex(4), convex=True)
    found = problems.minimum(problem)
    assert (found.steps, found.reached) == (0, True)
    assert found.value == 0.25


# ---- honesty -----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [problems.mean_variance, problems.mean_deviation])
def test_single_precision_says_what_it_reached(table, make):
    exact = problems.minimum(make(table.astype(np.float32).astype(np.float64)))
    found = problems.minimum(make(table.astype(np.float32)))
    assert found.x.dtype == np.float32
    assert not found.reached
    assert abs(found.value - exact.value) < found.gap < 1e-5
    assert found.steps < 2000
    assert problems.minimum(make(table.astype(np.float32)), tol=1e-4).reached


def test_too_few_steps_are_told_with_the_gap_that_was_reached(table):
    problem = problems.mean_variance(table)
    found = problems.minimum(problem, most=3)
    assert (found.steps, found.reached) == (3, False)
    value = exact_mean_variance(table, 1.0)[1]
    assert found.value - found.gap <= value < found.value
    gap = wn.metrics.frank_wolfe_gap(problem, found.x)
    np.testing.assert_allclose(found.gap, gap, rtol=1e-9)
    assert problem.value(found.x) == pytest.approx(found.value, rel=1e-14)


def test_a_problem_that_turns_out_not_to_be_finite_keeps_the_last_good_point():
    level = wn.Level(lambda x: jnp.where(x[0] > 0.6, jnp.nan, -x[0]))
    found = problems.minimum(wn.Problem([level], wn.sets.Simplex(2), convex=True))
    assert not found.reached
    assert np.all(np.isfinite(found.x))
    assert np.isfinite(found.gap)


# ---- refusals ----------------------------------------------------------------------------------


def test_endless_levels_are_refused_and_their_frozen_form_is_not():
    level = wn.Level(lambda x, r: (r @ x) ** 2, sample=lambda k, n: jax.random.normal(k, (n, 3)))
    problem = wn.Problem([level], wn.sets.Simplex(3), convex=True)
    with pytest.raises(ValueError, match=r"level 1 .* only through its sampler.*freeze\(n\)"):
        problems.minimum(problem)
    assert problems.minimum(problem.freeze(100)).reached


def test_problems_that_are_not_declared_convex_are_refused():
    with pytest.raises(ValueError, match=r"not declared convex.*convex=True"):
        problems.minimum(problems.matrix_population(3))


def test_a_set_without_projection_is_refused(table):
    simplex = wn.sets.FromOracle(wn.sets.Simplex(5).lmo, start=np.full(5, 0.2))
    levels = problems.mean_variance(table).levels
    with pytest.raises(ValueError, match="give its projection"):
        problems.minimum(wn.Problem(levels, simplex, convex=True))


def test_an_objective_without_a_value_at_the_start_is_refused():
    problem = wn.Problem([wn.Level(lambda x: jnp.log(-x[0]))], wn.sets.Simplex(2), convex=True)
    with pytest.raises(ValueError, match="not finite at the starting point"):
        problems.minimum(problem)


@pytest.mark.parametrize(("name", "bad"), [("tol", 0), ("tol", np.nan), ("most", 0), ("most", 1.5)])
def test_settings_that_make_no_sense_are_refused(table, name, bad):
    with pytest.raises(ValueError, match=f"{name} must be"):
        problems.minimum(problems.mean_variance(table), **{name: bad})
