"""The matrix single-index model: samples, the closed form, the start."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn
from wolfnest import problems
from wolfnest.problems import single_index as module

SHAPES = [(4, None), (4, 3), (3, 5), (1, None)]


def moments(truth, b, spread, noise):
    """`E(y - p²)²` from the fourth moments of two normal variables, the textbook way."""
    eye = np.eye(*b.shape)
    p, q = np.sum(eye * b), np.sum(eye * truth)
    pp, qq = (spread**2 * np.sum(a * a) for a in (b, truth))
    pq = spread**2 * np.sum(b * truth)
    fourth = lambda mean, var: mean**4 + 6 * mean**2 * var + 3 * var**2
    mixed = p**2 * q**2 + p**2 * qq + q**2 * pp + 4 * p * q * pq + pp * qq + 2 * pq**2
    return fourth(q, qq) - 2 * mixed + fourth(p, pp) + noise**2


def point_of(shape, seed=3, size=0.7):
    b = np.random.default_rng(seed).normal(size=shape)
    return size * b / np.linalg.norm(b, "nuc")


# ---- the truth and the samples -----------------------------------------------------------------


@pytest.mark.parametrize(("n", "m"), SHAPES)
def test_the_truth_has_rank_and_nuclear_norm_one(n, m):
    truth = np.asarray(problems.matrix_truth(n, m, seed=5))
    singular = np.linalg.svd(truth, compute_uv=False)
    np.testing.assert_allclose(singular, np.eye(len(singular))[0], atol=1e-12)
    assert truth.shape == (n, m or n)


def test_a_square_truth_is_that_of_the_paper():
    v = np.random.default_rng(5).normal(size=6)
    expected = np.outer(v, v) / np.linalg.norm(np.outer(v, v), "nuc")
    np.testing.assert_allclose(problems.matrix_truth(6, seed=5), expected, atol=1e-15)
    np.testing.assert_array_equal(*(problems.matrix_truth(6, m, seed=5) for m in (None, 6)))


@pytest.mark.parametrize("rows", [None, 40_000])
def test_samples_follow_the_model(rows):
    problem = problems.matrix_single_index(3, 4, rows, noise=0.5, spread=0.2, seed=2)
    level = problem.levels[0]
    a, y = level.data if rows else level.sample(jax.random.key(0), 40_000)
    assert level.kind == ("finite-sum" if rows else "endless")
    error = np.asarray(a) - np.eye(3, 4)
    few = 5 / np.sqrt(error.size)
    np.testing.assert_allclose(error.mean(0), 0, atol=0.2 * few * np.sqrt(12))
    np.testing.assert_allclose(np.cov(error.reshape(-1, 12).T), 0.04 * np.eye(12), atol=0.002)
    noise = np.asarray(y) - np.tensordot(a, problems.matrix_truth(3, 4, seed=2), 2) ** 2
    np.testing.assert_allclose([noise.mean(), noise.std()], [0, 0.5], atol=0.5 * 5 / 200)
    assert abs(np.corrcoef(noise, error[:, 0, 0])[0, 1]) < 5 / 200


def test_the_loss_of_one_sample_and_its_gradient():
    problem = problems.matrix_single_index(4, 3, rows=50)
    b, (a, y) = point_of((4, 3)), (np.asarray(part) for part in problem.levels[0].data)
    inner = np.tensordot(a, b, 2)
    np.testing.assert_allclose(problem.value(b), np.mean((y - inner**2) ** 2))
    expected = np.mean((-4 * (y - inner**2) * inner)[:, None, None] * a, axis=0)
    np.testing.assert_allclose(problem.gradient(b), expected, rtol=1e-10)
    assert not problem.convex


def test_a_longer_fixed_sample_starts_with_the_shorter_one(monkeypatch):
    long = problems.matrix_single_index(3, rows=23, seed=4).levels[0].data
    monkeypatch.setattr(module, "BLOCK", 5 * 9)
    short = problems.matrix_single_index(3, rows=11, seed=4).levels[0].data
    for one, two in zip(long, short, strict=True):
        np.testing.assert_allclose(one[:11], two, rtol=1e-14)
    assert len(np.unique(np.asarray(long[0]))) == long[0].size


def test_seeds_change_the_truth_and_the_fixed_sample_but_endless_draws_follow_the_key():
    assert not np.allclose(problems.matrix_truth(4, seed=0), problems.matrix_truth(4, seed=1))
    fixed = [problems.matrix_single_index(4, rows=5, seed=s).levels[0].data[0] for s in (0, 1)]
    assert not np.allclose(*fixed)
    draws = [problems.matrix_single_index(4, seed=s).draw(7, 5)[0][0] for s in (0, 1)]
    np.testing.assert_array_equal(*draws)


# ---- the closed form ---------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "m"), SHAPES)
@pytest.mark.parametrize("size", [0.0, 0.7, 1.0])
def test_the_population_objective_is_that_of_normal_moments(n, m, size):
    problem = problems.matrix_population(n, m, noise=0.2, spread=0.4, seed=1)
    b = point_of((n, m or n), size=size)
    truth = np.asarray(problems.matrix_truth(n, m, seed=1))
    np.testing.assert_allclose(problem.value(b), moments(truth, b, 0.4, 0.2), rtol=1e-10)


def test_the_population_objective_is_the_mean_over_many_samples():
    settings = {"n": 4, "m": 3, "noise": 0.2, "spread": 0.3, "seed": 1}
    exact, b = problems.matrix_population(**settings), point_of((4, 3))
    a, y = problems.matrix_single_index(rows=400_000, **settings).levels[0].data
    losses = (np.asarray(y) - np.tensordot(a, b, 2) ** 2) ** 2
    error = losses.std() / np.sqrt(losses.size)
    assert abs(exact.value(b) - losses.mean()) < 4 * error
    inner = np.tensordot(a, b, 2)
    slopes = (-4 * (np.asarray(y) - inner**2) * inner)[:, None, None] * np.asarray(a)
    error = slopes.std(0) / np.sqrt(len(slopes))
    assert np.all(np.abs(exact.gradient(b) - slopes.mean(0)) < 5 * error)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_minimum_is_the_variance_of_the_noise(sign):
    problem = problems.matrix_population(6, noise=0.3)
    best = sign * problems.matrix_truth(6)
    np.testing.assert_allclose(problem.value(best), 0.09, rtol=1e-14)
    np.testing.assert_allclose(problem.gradient(best), 0, atol=1e-14)
    assert wn.metrics.frank_wolfe_gap(problem, best) < 1e-12


def test_in_single_precision_nothing_is_lost_near_the_minimum():
    far, near = (1e-3 * point_of((6, 6)) * scale for scale in (1, 1e-2))
    with jax.enable_x64(False):
        problem, truth = problems.matrix_population(6, noise=0.0), problems.matrix_truth(6)
        values = [
            float(problem.value(truth + jnp.asarray(step, "float32"))) for step in (far, near)
        ]
    np.testing.assert_allclose(values[0] / values[1], 1e4, rtol=0.05)


# ---- the start ---------------------------------------------------------------------------------


def test_zero_is_stationary_and_the_start_is_not():
    problem = problems.matrix_population(5)
    assert wn.metrics.frank_wolfe_gap(problem, problem.start()) == 0
    assert wn.metrics.frank_wolfe_gap(problem, problems.matrix_start(problem)) > 0.01


@pytest.mark.parametrize("seed", range(5))
def test_the_start_is_feasible_of_rank_one_and_far_from_the_truth(seed):
    problem = problems.matrix_single_index(20, radius=3.0, seed=seed)
    start = np.asarray(problems.matrix_start(problem, seed))
    assert bool(problem.domain.contains(start))
    singular = np.linalg.svd(start, compute_uv=False)
    np.testing.assert_allclose(singular, 1.5 * np.eye(20)[0], atol=1e-12)
    cosine = np.sum(start * np.asarray(problems.matrix_truth(20, seed=seed))) / 1.5
    assert abs(cosine) < 0.5
    other = problems.matrix_start(problem, seed + 1)
    assert not np.allclose(start, other)


@pytest.mark.parametrize("rows", [None, 2000])
def test_a_short_run_from_the_start_comes_near_the_truth(rows):
    problem, exact = problems.matrix_single_index(6, rows=rows), problems.matrix_population(6)
    solver = wn.method("PMVR-v1", eta=0.02, alpha=0.1, batch=64)
    run = wn.solve(problem, solver, problems.matrix_start(problem), steps=300, progress=False)
    assert exact.value(run.x) - 0.01 < 0.05 * (exact.value(problems.matrix_start(problem)) - 0.01)


def test_the_start_is_for_nuclear_balls():
    problem = problems.mean_variance(np.eye(3))
    with pytest.raises(
        ValueError, match=r"matrix_start needs a problem over a NuclearBall.*start\(\)"
    ):
        problems.matrix_start(problem)


# ---- pytrees, precision, refusals --------------------------------------------------------------


@pytest.mark.parametrize("rows", [None, 30])
def test_other_settings_of_the_same_shape_look_alike(rows):
    make = lambda **settings: problems.matrix_single_index(4, 3, rows, **settings)
    others = [{}, {"noise": 0.5, "spread": 1, "radius": 2, "seed": 3}]
    if rows is None:
        others.append({"noise": jnp.asarray(0.1), "spread": np.float32(0.2)})
    kinds = [
        (jax.tree.structure(p), [(a.shape, a.dtype) for a in jax.tree.leaves(p)])
        for p in (make(**settings) for settings in others)
    ]
    assert all(kind == kinds[0] for kind in kinds)


def test_another_seed_or_noise_compiles_nothing_anew(traced):
    def use(**settings):
        traced.clear()
        problem = problems.matrix_single_index(3, 4, **settings)
        solver = wn.method("PMM-v1", eta=0.05, alpha=0.3, batch=4)
        start = problems.matrix_start(problem)
        wn.solve(problem, solver, start, steps=8, progress=False)
        problems.matrix_population(3, 4, **settings).value(start)
        return {"begin", "advance", "_measured", "_exact_value"} & set(traced)

    assert use()
    assert use(seed=1, noise=0.3, spread=0.1) == set()


@pytest.mark.parametrize("rows", [None, 10])
def test_the_precision_is_that_of_jax(rows):
    assert problems.matrix_single_index(3, rows=rows).dtype == np.float64
    with jax.enable_x64(False):
        problem = problems.matrix_single_index(3, rows=rows)
        assert problem.dtype == np.float32
        assert problems.matrix_start(problem).dtype == np.float32
        single = None if rows is None else np.asarray(problem.levels[0].data[1])
    if rows is not None:
        double = problems.matrix_single_index(3, rows=rows).levels[0].data[1]
        np.testing.assert_allclose(single, double, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n": 0}, "n must be a whole number"),
        ({"m": 2.5}, "m must be a whole number"),
        ({"rows": 0}, "rows must be a whole number"),
        ({"noise": -1}, "noise must be a finite number of at least 0"),
        ({"spread": np.nan}, "spread must be a finite number"),
        ({"radius": 0}, "radius must be a positive"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        problems.matrix_single_index(**settings)
