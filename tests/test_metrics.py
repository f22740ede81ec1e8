"""The three criteria against formulas written out in NumPy, and their standard errors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn
from wolfnest.metrics import (
    Measured,
    frank_wolfe_gap,
    gradient_mapping,
    objective,
    optimal_gap,
)

DIM = 4
RNG = np.random.default_rng(0)
RETURNS = RNG.normal(size=(30, DIM)) + 0.3
POINTS = [np.full(DIM, 0.25), np.array([0.1, 0.2, 0.3, 0.4]), np.eye(DIM)[2]]


def mean_variance(domain):
    first = wn.Level(lambda x, r: (r @ x, x), data=RETURNS)
    second = wn.Level(lambda y, r: -y[0] + (r @ y[1] - y[0]) ** 2, data=RETURNS)
    return wn.Problem([first, second], domain)


def value_and_gradient(x):
    mean, cov = RETURNS.mean(0), np.cov(RETURNS.T, bias=True)
    return -mean @ x + x @ cov @ x, -mean + 2 * cov @ x


def project_simplex(y):
    """By bisection on the threshold."""
    low, high = y.min() - 1, y.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(y - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(y - low, 0)


LOWER, UPPER = np.array([-1.0, 0.0, -0.5, 0.2]), np.array([1.0, 0.5, 0.6, 1.5])
# name: the set, the smallest <s, g> over it, the projection onto it
SETS = {
    "simplex": (wn.sets.Simplex(DIM), np.min, project_simplex),
    "l2-ball": (
        wn.sets.L2Ball(DIM, 2.0),
        lambda g: -2 * np.linalg.norm(g),
        lambda y: y * min(1, 2 / np.linalg.norm(y)),
    ),
    "box": (
        wn.sets.Box(LOWER, UPPER),
        lambda g: np.minimum(LOWER * g, UPPER * g).sum(),
        lambda y: np.clip(y, LOWER, UPPER),
    ),
}


# ---- exact -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("x", POINTS)
def test_criteria_are_their_formulas(name, x):
    domain, smallest, project = SETS[name]
    problem = mean_variance(domain)
    value, gradient = value_and_gradient(x)
    gap = gradient @ x - smallest(gradient)
    np.testing.assert_allclose(frank_wolfe_gap(problem, x), gap, rtol=1e-9)
    for beta in (1.0, 0.3, 25.0):
        mapping = np.sum((beta * (x - project(x - gradient / beta))) ** 2)
        np.testing.assert_allclose(gradient_mapping(problem, x, beta), mapping, rtol=1e-8)
    np.testing.assert_allclose(objective(problem, x), value, rtol=1e-12)
    np.testing.assert_allclose(optimal_gap(problem, x, -3.0), value + 3, rtol=1e-12)


def test_gradient_mapping_takes_beta_one_unless_told():
    problem, x = mean_variance(wn.sets.Simplex(DIM)), POINTS[1]
    assert float(gradient_mapping(problem, x)) == float(gradient_mapping(problem, x, 1.0))


def test_exact_criteria_have_no_standard_error():
    problem = mean_variance(wn.sets.Simplex(DIM))
    for criterion in (frank_wolfe_gap, gradient_mapping, objective):
        measured = criterion(problem, POINTS[1])
        assert isinstance(measured, float)
        assert measured.standard_error == 0
    assert optimal_gap(problem, POINTS[1], 0.0).standard_error == 0


def distance_problem(target, domain):
    return wn.Problem([wn.Level(lambda x: jnp.sum((x - target) ** 2))], domain)


@pytest.mark.parametrize(
    ("target", "best"),
    [(np.array([0.1, 0.2, 0.3, 0.4]), None), (np.array([2.0, 0, 0, 0]), np.eye(DIM)[0])],
    ids=["inside", "at-a-vertex"],
)
def test_all_criteria_vanish_at_the_optimum_and_nowhere_else(target, best):
    best = target if best is None else best
    problem = distance_problem(target, wn.sets.Simplex(DIM))
    smallest = np.sum((best - target) ** 2)
    criteria = (
        lambda x: frank_wolfe_gap(problem, x),
        lambda x: gradient_mapping(problem, x, 0.7),
        lambda x: optimal_gap(problem, x, smallest),
    )
    for criterion in criteria:
        assert float(criterion(best)) == pytest.approx(0, abs=1e-12)
        assert float(criterion(np.eye(DIM)[1])) > 0.1


def test_the_gap_bounds_the_optimal_gap_of_a_convex_objective():
    target = np.array([0.4, 0.3, 0.2, 0.1])
    problem = distance_problem(target, wn.sets.Simplex(DIM))
    for x in POINTS:
        assert 0 < float(optimal_gap(problem, x, 0.0)) <= float(frank_wolfe_gap(problem, x))


def test_gradient_mapping_inside_the_set_is_the_squared_gradient():
    problem = distance_problem(np.full(DIM, 0.1), wn.sets.L2Ball(DIM, 5.0))
    x = np.array([0.3, 0.1, -0.2, 0.5])
    expected = np.sum((2 * (x - 0.1)) ** 2)
    for beta in (1.0, 4.0):
        np.testing.assert_allclose(gradient_mapping(problem, x, beta), expected, rtol=1e-12)


@pytest.mark.parametrize("beta", [0.0, -1.0, np.nan, "one"])
def test_gradient_mapping_refuses_a_beta_that_is_not_positive(beta):
    with pytest.raises(ValueError, match=r"beta must be a positive.*got"):
        gradient_mapping(mean_variance(wn.sets.Simplex(DIM)), POINTS[0], beta)


def test_points_may_be_pytrees():
    level = wn.Level(lambda x: jnp.sum((x["a"] - 1) ** 2) + 3 * jnp.sum(x["b"]))
    domain = wn.sets.Product({"a": wn.sets.L2Ball(2), "b": wn.sets.Box(np.zeros(2), np.ones(2))})
    x = {"a": np.array([0.3, -0.4]), "b": np.array([0.5, 1.0])}
    slope = 2 * (x["a"] - 1)
    gap = slope @ x["a"] + np.linalg.norm(slope) + 3 * 1.5
    np.testing.assert_allclose(frank_wolfe_gap(wn.Problem([level], domain), x), gap, rtol=1e-12)


def test_a_run_records_the_same_numbers():
    problem = mean_variance(wn.sets.Simplex(DIM))
    criterion = ("gradient_mapping", "frank_wolfe_gap", "objective")
    solver = wn.method("PMVR-v2", batch=4, beta=0.6)
    run = wn.solve(problem, solver, steps=3, criterion=criterion, progress=False)
    np.testing.assert_allclose(run.trace.frank_wolfe_gap[-1], frank_wolfe_gap(problem, run.x))
    np.testing.assert_allclose(run.trace.objective[-1], objective(problem, run.x))
    # β is that of the method.
    mapping = gradient_mapping(problem, run.x, 0.6)
    np.testing.assert_allclose(run.trace.gradient_mapping[-1], mapping)


# ---- on samples ------------------------------------------------------------------------------


def sampled(noise=1.0):
    """Mean-variance with endless samples of known mean and covariance."""
    mean, root = RETURNS.mean(0), noise * np.linalg.cholesky(np.cov(RETURNS.T, bias=True))

    def draw(key, n):
        return mean + jax.random.normal(key, (n, DIM)) @ root.T

    first = wn.Level(lambda x, r: (r @ x, x), sample=draw)
    second = wn.Level(lambda y, r: -y[0] + (r @ y[1] - y[0]) ** 2, sample=draw)
    return wn.Problem([first, second], wn.sets.Simplex(DIM))


CRITERIA = {
    "gap": frank_wolfe_gap,
    "mapping": gradient_mapping,
    "objective": objective,
    "optimal-gap": lambda problem, x, **how: optimal_gap(problem, x, -1.0, **how),
}


@pytest.mark.parametrize("name", CRITERIA)
def test_the_standard_error_is_the_spread_over_samples(name):
    problem, x = sampled(), POINTS[1]
    runs = [CRITERIA[name](problem, x, key=key) for key in range(60)]
    spread = np.std(runs, ddof=1)
    claimed = np.sqrt(np.mean([run.standard_error**2 for run in runs]))
    assert spread / 1.6 < claimed < 1.6 * spread
    # And the truth lies within it; a sample biases what is not linear in the averages.
    exact = float(CRITERIA[name](mean_variance(wn.sets.Simplex(DIM)), x))
    assert abs(np.mean(runs) - exact) < (4 / np.sqrt(len(runs)) + 0.2) * claimed


def test_four_times_the_samples_halve_the_standard_error():
    problem = sampled()

    def error(samples):
        runs = [objective(problem, POINTS[1], samples=samples, key=key) for key in range(12)]
        return np.mean([run.standard_error for run in runs])

    few, many = error(400), error(1600)
    assert 1.5 < few / many < 2.7


def test_the_evaluation_sample_is_fixed_by_its_key():
    problem, x = sampled(), POINTS[1]
    first, again, other = (objective(problem, x, samples=64, key=key) for key in (0, 0, 1))
    assert (float(first), first.standard_error) == (float(again), again.standard_error)
    assert float(first) != float(other)
    frozen = problem.freeze(64, key=0)
    np.testing.assert_allclose(float(first), frozen.value(x), rtol=1e-12)
    gap = frank_wolfe_gap(problem, x, samples=64)
    np.testing.assert_allclose(gap, frank_wolfe_gap(frozen, x), rtol=1e-12)


@pytest.mark.parametrize("samples", [0, -5, 2.5])
def test_a_sample_size_that_makes_no_sense_is_refused(samples):
    with pytest.raises(ValueError, match="samples must be a whole number"):
        objective(sampled(), POINTS[0], samples=samples)


def test_samplers_without_noise_have_no_standard_error():
    measured = frank_wolfe_gap(sampled(noise=0.0), POINTS[1], samples=64)
    assert measured.standard_error == pytest.approx(0, abs=1e-12)


def test_only_endless_levels_are_sampled():
    """A finite sum beside an endless level is still used whole."""
    shift = wn.Level(lambda x, e: x + 0 * e, sample=lambda k, n: jax.random.normal(k, (n, 1)))
    second = wn.Level(lambda y, r: (r @ y) ** 2, data=RETURNS)
    measured = objective(wn.Problem([shift, second], wn.sets.Simplex(DIM)), POINTS[1], samples=32)
    np.testing.assert_allclose(measured, np.mean((RETURNS @ POINTS[1]) ** 2), rtol=1e-12)
    assert measured.standard_error == pytest.approx(0, abs=1e-12)


def test_a_measured_number_shows_its_error():
    assert repr(Measured(0.25, 0.01)) == "0.25 ± 0.01"
    assert repr(Measured(0.25)) == "0.25"
    assert Measured(1.0, 0.1) + 1 == 2.0
