"""A certificate bounds how far a point is from the minimum: really, tightly, and often enough."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import optimize, stats

import wolfnest as wn
from wolfnest.certificate import Certificate, certify
from wolfnest.common import confidence
from wolfnest.sets.approximate import Approximate

DIM = 5
rng = np.random.default_rng(0)
MATRIX = rng.normal(size=(40, DIM))
TARGETS = MATRIX @ np.array([0.6, 0.3, 0.1, 0.0, 0.0]) + 0.3 * rng.normal(size=40)
MEAN = np.array([0.5, 0.4, 0.3, -0.2, 0.0])
SPREAD = 0.2


def least_squares(dtype=np.float64, **options):
    level = wn.Level(
        lambda x, row: (row[0] @ x - row[1]) ** 2,
        data=(MATRIX.astype(dtype), TARGETS.astype(dtype)),
    )
    return wn.Problem([level], wn.sets.Simplex(DIM), **({"convex": True} | options))


def value(x):
    return np.mean((MATRIX @ x - TARGETS) ** 2)


@pytest.fixture(scope="module")
def minimum():
    """By SciPy: the minimiser on the simplex and the least value."""
    found = optimize.minimize(
        value,
        np.full(DIM, 1 / DIM),
        bounds=[(0, None)] * DIM,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return found.x, found.fun


def endless(scale=SPREAD):
    draw = lambda key, n: MEAN + scale * jax.random.normal(key, (n, DIM))
    level = wn.Level(lambda x, xi: jnp.sum((x - xi) ** 2), sample=draw)
    return wn.Problem([level], wn.sets.Simplex(DIM), convex=True)


# ---- exact data ------------------------------------------------------------------------------


def test_the_bound_bounds_at_many_points(minimum):
    points = rng.dirichlet(np.full(DIM, 0.5), size=50)
    found = certify(least_squares(), points)
    excess = np.array([value(x) for x in points]) - minimum[1]
    assert found.kind == "duality gap"
    assert found.level is None
    assert (found.bound >= excess).all()
    assert (found.lower <= minimum[1]).all()
    assert (found.relative >= excess / minimum[1]).all()
    np.testing.assert_allclose(found.value, [value(x) for x in points])
    # The gap itself, from its definition: the oracle is the smallest entry of the gradient.
    gradients = 2 * (points @ MATRIX.T - TARGETS) @ MATRIX / 40
    gaps = (gradients * points).sum(axis=1) - gradients.min(axis=1)
    np.testing.assert_allclose(found.bound, gaps, rtol=1e-9)


def test_the_bound_is_tight_at_the_minimum(minimum):
    found = certify(least_squares(), minimum[0])
    assert 0 <= found.bound < 1e-5
    vertex = wn.Problem(
        [wn.Level(lambda x: jnp.arange(1.0, 6.0) @ x)], wn.sets.Simplex(DIM), convex=True
    )
    assert certify(vertex, np.eye(DIM)[0]).bound < 1e-13


def test_rounding_is_part_of_the_bound():
    costs = np.arange(1.0, 6.0, dtype=np.float32)[None]
    linear = wn.Level(lambda x, row: row @ x, data=costs)
    problem = wn.Problem([linear], wn.sets.Simplex(DIM), convex=True)
    found = certify(problem, np.eye(DIM, dtype=np.float32)[0])
    assert problem.dtype == jnp.float32
    assert np.finfo(np.float32).eps <= found.bound < 1e-5


def test_strong_convexity_bounds_the_distance(minimum):
    modulus = 2 * np.linalg.eigvalsh(MATRIX.T @ MATRIX / 40)[0]
    problem = least_squares(strong_convexity=modulus)
    points = rng.dirichlet(np.ones(DIM), size=20)
    found = certify(problem, points)
    assert (found.distance >= np.linalg.norm(points - minimum[0], axis=1)).all()
    assert certify(least_squares(), points).distance is None


def test_a_relative_bound_needs_a_minimum_away_from_zero():
    known = lambda v, b: Certificate("duality gap", value=v, bound=b, lower=v - b)
    assert known(2.0, 0.5).relative == pytest.approx(0.5 / 1.5)
    assert known(-2.0, 0.5).relative == pytest.approx(0.5 / 2.0)
    assert known(0.25, 0.5).relative == np.inf


def test_the_tolerance_of_an_oracle_is_part_of_the_bound():
    target = rng.normal(size=(6, 4))
    level = wn.Level(lambda x: jnp.sum((x - target) ** 2))
    point = np.zeros((6, 4))
    # From the full decomposition: the gap at zero is radius times the largest singular value.
    exact = 2 * np.linalg.norm(target, 2)
    ball = wn.sets.NuclearBall((6, 4))
    for domain, tol in [(ball, (2.0**-52) ** (2 / 3)), (Approximate(ball, 0.02), 0.02)]:
        problem = wn.Problem([level], domain, convex=True)
        found, measured = certify(problem, point).bound, wn.metrics.frank_wolfe_gap(problem, point)
        assert measured <= exact <= found
        # The tolerance times the diameter and the norm of the gradient.
        slack = tol * 2 * 2 * np.linalg.norm(target)
        assert measured + slack <= found <= measured + 1.01 * slack + 1e-13
    assert measured < exact - 0.01
    pair = wn.sets.Product((ball, wn.sets.Simplex(2)))
    both = wn.Level(lambda x: jnp.sum((x[0] - target) ** 2) + jnp.sum(x[1] ** 2))
    problem = wn.Problem([both], pair, convex=True)
    assert exact < certify(problem, (point, np.full(2, 0.5))).bound < exact + 1e-7
    assert wn.solve(problem, steps=2, progress=False).recorded is None


# ---- what a solution carries -----------------------------------------------------------------


def run(problem, **options):
    options = {"steps": 40, "progress": False, "record_every": 20} | options
    return wn.solve(problem, wn.method("PMM-v1", eta=0.1, batch=4), **options)


@pytest.mark.parametrize("seeds", [None, 3])
@pytest.mark.parametrize("output", ["last", "random", "average", "best"])
def test_a_solution_certifies_the_point_that_it_returns(minimum, output, seeds):
    solution = run(least_squares(), output=output, seeds=seeds)
    found = solution.certificate
    points = np.atleast_2d(solution.x)
    assert np.shape(found.bound) == (() if seeds is None else (seeds,))
    np.testing.assert_allclose(
        np.atleast_1d(found.bound),
        [wn.metrics.frank_wolfe_gap(least_squares(), x) for x in points],
        rtol=1e-9,
    )
    assert (np.atleast_1d(found.lower) <= minimum[1]).all()
    assert str(found) in repr(solution)


def test_the_certificate_of_the_last_record_is_told_without_asking():
    solution = run(least_squares())
    assert str(solution.recorded) in solution.message
    assert str(solution.recorded) in repr(solution)
    assert solution.certificate is solution.recorded
    other = run(least_squares(), criterion="objective")
    assert other.recorded is None
    assert "within" not in repr(other) + other.message
    assert other.certificate.bound == pytest.approx(solution.certificate.bound)
    assert "of the minimum" in repr(other)


def test_problems_that_are_not_convex_have_none():
    solution = run(least_squares(convex=False))
    assert solution.certificate is None
    assert "within" not in repr(solution) + solution.message


def test_printed_bounds_are_never_smaller_than_the_bound():
    for bound in (0.0, 1.0, 0.0641, 3.21e-5, 9.99, 123456.0):
        words = str(Certificate("duality gap", 1.0, bound, 1.0 - bound)).split()
        assert bound <= float(words[1]) <= 1.1 * bound
    assert "no bound" in str(Certificate("duality gap", 1.0, np.nan, np.nan))


# ---- confidence ------------------------------------------------------------------------------


def test_quantiles_of_students_distribution():
    for level in (0.05, 0.8, 0.95, 0.99):
        expected = stats.t.ppf(level, 15)
        assert confidence.student(level, 15) == pytest.approx(expected, abs=2e-3)


def coverage(problem, x, truth, least, repetitions=400, **options):
    """How often the bound is at least the truth, and the lower bound at most the least value."""
    found = [certify(problem, x, key=k, **options) for k in range(repetitions)]
    bounds = np.array([one.bound for one in found])
    below = np.array([one.lower for one in found]) <= least
    return (bounds >= truth).mean(), below.mean(), bounds


def true_gap(x, gradient):
    return gradient @ x - gradient.min()


def test_the_confidence_bound_covers_the_gap():
    x = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    gap = true_gap(x, 2 * (x - MEAN))
    # The tangent bound: what the lower bound estimates.
    lower = np.sum((x - MEAN) ** 2) + DIM * SPREAD**2 - gap
    problem = endless()
    above, below, bounds = coverage(problem, x, gap, lower, samples=256)
    assert 0.92 <= above <= 0.985
    assert 0.92 <= below <= 0.985
    assert np.median(bounds) < 1.25 * gap
    for seldom in coverage(problem, x, gap, lower, samples=256, level=0.2)[:2]:
        assert 0.15 <= seldom <= 0.3
    one = certify(problem, x, samples=256)
    assert (one.kind, one.level, one.samples) == ("confidence", 0.95, 256)
    assert "with 95 % confidence" in str(one)


def test_the_confidence_bound_covers_at_a_nested_objective():
    # F(x) = (E ξ·x)² - 2 c·x: on a sample of n, E F_n exceeds F by Var(ξ·x) / n.
    pull = np.array([0.3, 0.2, 0.1, 0.0, 0.0])
    draw = lambda key, n: MEAN + SPREAD * jax.random.normal(key, (n, DIM))
    inner = wn.Level(lambda x, xi: (xi @ x, pull @ x), sample=draw)
    problem = wn.Problem(
        [inner, wn.Level(lambda y: y[0] ** 2 - 2 * y[1])], wn.sets.Simplex(DIM), convex=True
    )
    x = np.array([0.1, 0.1, 0.1, 0.6, 0.1])
    gradient = 2 * (MEAN @ x) * MEAN - 2 * pull
    gap = true_gap(x, gradient)
    lower = (MEAN @ x) ** 2 - 2 * pull @ x - gap
    above, below, bounds = coverage(problem, x, gap, lower, samples=64)
    assert above >= 0.9
    assert below >= 0.9
    assert np.median(bounds) < 2 * gap


@pytest.mark.parametrize("excess", [0.2, 1.0])
def test_the_confidence_bound_covers_a_gap_that_noise_hides(excess):
    """A certain entry and a better one in noise: half of all samples name the certain one."""
    samples = 256
    gap = excess / samples**0.5
    draw = lambda key, n: -gap + jax.random.normal(key, (n,))
    level = wn.Level(lambda x, xi: x[1] * xi, sample=draw)
    problem = wn.Problem([level], wn.sets.Simplex(2), convex=True)
    above, below, _ = coverage(problem, np.eye(2)[0], gap, -gap, 200, samples=samples)
    assert 0.91 <= above <= 0.99
    assert 0.91 <= below <= 0.99


def test_a_sampled_solution_carries_a_confidence_bound():
    solution = run(endless(), seeds=2)
    found = solution.certificate
    assert solution.recorded is None
    # The minimum is the projection of the mean.
    best = np.asarray(wn.sets.Simplex(DIM).project(MEAN))
    excess = np.sum((solution.x - MEAN) ** 2, axis=1) - np.sum((best - MEAN) ** 2)
    assert found.bound.shape == (2,)
    assert (found.bound >= excess).all()
    assert found.samples == 4096


@pytest.mark.parametrize(("name", "bad"), [("level", 1.0), ("level", -0.1), ("samples", 3)])
def test_bad_arguments_are_named(name, bad):
    with pytest.raises(ValueError, match=name):
        certify(endless(), np.eye(DIM)[0], **{name: bad})
