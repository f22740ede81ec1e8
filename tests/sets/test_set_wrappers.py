"""Wrappers: what they promise beyond the common tests, and what they refuse."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from wolfnest.sets import (
    Approximate,
    Box,
    Cached,
    FromOracle,
    L1Ball,
    L2Ball,
    LinearImage,
    LInfBall,
    MinkowskiSum,
    NuclearBall,
    Product,
    Reshaped,
    Scaled,
    Shifted,
    Simplex,
    Stacked,
)

jax.config.update("jax_enable_x64", True)

rng = np.random.default_rng(3)

lmo = jax.jit(lambda c, d: c.lmo(d))

# ---- oracles that may answer with less than the best -----------------------------------------


def turning(steps):
    """Directions that turn slowly, once around, of very different lengths."""
    angles = np.linspace(0, 2 * np.pi, steps)[:, None] + np.array([0.0, 1.0, 2.0, 4.0])
    return np.cos(angles) * 10.0 ** rng.integers(-3, 4, steps)[:, None]


def answers(c, directions):
    """The points along a scan, with the memory passed on."""

    @jax.jit
    def run(c, directions):
        def step(guess, d):
            s, guess = c.lmo_from(d, guess)
            return guess, s

        return jax.lax.scan(step, c.first_guess(), directions)[1]

    return np.asarray(run(c, directions))


@pytest.mark.parametrize(("accuracy", "most"), [(0.3, 40), (0.05, 200)])
def test_a_cached_oracle_is_as_good_as_it_says_and_runs_less_often(accuracy, most):
    calls = []

    def corner(d):
        jax.debug.callback(lambda: calls.append(1))
        return jnp.where(d > 0, -1.0, 1.0)

    cube = FromOracle(corner, np.zeros(4), diameter=4.0)
    directions = turning(400)
    found = answers(Cached(cube, capacity=4, accuracy=accuracy), directions)
    jax.effects_barrier()
    loss = np.sum(found * directions, axis=1) + np.abs(directions).sum(axis=1)
    norms = np.linalg.norm(directions, axis=1)
    assert (loss >= -1e-9 * norms).all()
    assert (loss <= accuracy * 4.0 * norms * (1 + 1e-12)).all()
    assert 8 <= len(calls) <= most
    assert np.unique(found, axis=0).shape[0] >= 6


def test_a_cache_forgets_the_oldest_and_never_keeps_nan():
    c = Cached(Simplex(3), capacity=2, accuracy=0.01)
    memory = c.first_guess()
    for i in (0, 1, 2):
        s, memory = c.lmo_from(-jnp.eye(3)[i], memory)
        np.testing.assert_array_equal(s, np.eye(3)[i])
    np.testing.assert_array_equal(memory.vertices, np.eye(3)[[2, 1]])
    s, after = c.lmo_from(jnp.array([jnp.nan, 0.0, 0.0]), memory)
    assert np.isnan(s).all()
    np.testing.assert_array_equal(after.vertices, memory.vertices)
    np.testing.assert_array_equal(c.lmo(-jnp.eye(3)[0]), np.eye(3)[0])


def test_a_zero_direction_is_answered_from_an_empty_cache():
    c = Cached(NuclearBall((3, 4)))
    s, memory = c.lmo_from(jnp.zeros((3, 4)), c.first_guess())
    assert c.contains(s)
    assert np.isfinite(memory.vertices).all()


@pytest.mark.parametrize("accuracy", [0.0, 0.01, 0.2])
def test_an_approximate_oracle_misses_by_its_accuracy(accuracy):
    inner = Product({"a": L1Ball(3, 2.0), "b": NuclearBall((2, 2))})
    rough, size = Approximate(inner, accuracy), float(inner.diameter)
    for _ in range(5):
        d = {"a": rng.standard_normal(3), "b": 10 * rng.standard_normal((2, 2))}
        s, best = lmo(rough, d), lmo(inner, d)
        assert rough.contains(s)
        loss = sum(np.sum((s[k] - best[k]) * d[k]) for k in d)
        norm = np.sqrt(sum(np.sum(d[k] ** 2) for k in d))
        # The centre loses less than 0.2 of the diameter here, but more than 0.01.
        most = -sum(float(np.sum(best[k] * d[k])) for k in d)
        expected = min(accuracy * size * float(norm), most)
        assert loss == pytest.approx(expected, rel=1e-9, abs=1e-12 * norm)


# ---- sets made of other sets -----------------------------------------------------------------


def test_images_read_pytrees_leaf_by_leaf():
    inner = Product((Box(-1.0, 1.0), NuclearBall((2, 3), 2.0)))
    matrix = rng.standard_normal((4, 7))
    image = LinearImage(matrix, inner)
    for d in rng.standard_normal((3, 4)):
        s, guess = image.lmo_from(d, image.first_guess())
        back = d @ matrix
        best = -abs(back[0]) - 2 * np.linalg.norm(back[1:].reshape(2, 3), 2)
        assert s @ d == pytest.approx(best, rel=1e-8)
        assert len(jax.tree.leaves(guess)) == 1
    assert image.contains(image.start())


def test_an_image_may_be_made_inside_a_transformation():
    d = jnp.array([1.0, -2.0])
    best = lambda scale: LinearImage(scale * jnp.eye(2), L1Ball(2)).lmo(d)
    np.testing.assert_allclose(jax.jit(jax.vmap(best))(jnp.array([1.0, 3.0])), [[0, 1], [0, 3]])


def test_membership_by_the_oracle_alone_is_right_close_to_the_boundary():
    """A square with round corners: the distance is that to the square, less the radius."""
    rounded = MinkowskiSum((LInfBall(2), L2Ball(2, 0.5)))
    inside = jax.jit(jax.vmap(lambda x: rounded.contains(x, 1e-6)))
    angles = np.linspace(0, 2 * np.pi, 40)
    heading = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    lengths = np.linspace(0.5, 2.5, 41)
    points = np.concatenate([r * heading for r in lengths])
    distance = np.linalg.norm(np.maximum(np.abs(points) - 1, 0), axis=1) - 0.5
    clear = np.abs(distance) > 1e-5
    np.testing.assert_array_equal(inside(points)[clear], distance[clear] < 0)
    assert 300 < np.sum(distance[clear] < 0) < np.sum(clear) - 300


def test_far_away_sets_in_single_precision():
    ball = Shifted(L2Ball(3, 0.5), by=[1e4, -1e4, 0.0])
    d = jnp.asarray(rng.standard_normal(3), jnp.float32)
    assert ball.contains(ball.lmo(d))
    assert ball.contains(ball.start(jnp.float32))
    assert not ball.contains(ball.start(jnp.float32) + jnp.array([0.0, 0.0, 0.6], jnp.float32))


def test_reflections_undo_each_other_and_factors_may_be_traced():
    simplex, d = Simplex(4), rng.standard_normal(4)
    twice = Scaled(Scaled(simplex, -2.0), -0.5)
    np.testing.assert_array_equal(twice.lmo(d), simplex.lmo(d))
    np.testing.assert_allclose(twice.project(d), simplex.project(d), atol=1e-15)
    points = jax.jit(jax.vmap(lambda f: Scaled(simplex, f).lmo(d)))(jnp.array([2.0, -2.0]))
    np.testing.assert_array_equal(points[0], 2 * np.eye(4)[np.argmin(d)])
    np.testing.assert_array_equal(points[1], -2 * np.eye(4)[np.argmax(d)])


def test_stacked_and_reshaped_sets_against_their_parts():
    d = rng.normal(size=(3, 4))
    columns, flat = Stacked(L1Ball(3, 2.0), 4, axis=1), Reshaped(L2Ball(12), (3, 4))
    for part, column in zip(np.asarray(columns.lmo(d)).T, d.T, strict=True):
        best = np.argmax(abs(column))
        np.testing.assert_array_equal(part, -2 * np.sign(column[best]) * np.eye(3)[best])
    np.testing.assert_allclose(flat.lmo(d), -d / np.linalg.norm(d), rtol=1e-12)
    np.testing.assert_allclose(flat.project(9 * d), d / np.linalg.norm(d), rtol=1e-12)
    assert columns.contains(columns.project(9 * d))
    assert not columns.contains(np.where(np.arange(4) == 2, 1.0, 0.1) * np.ones((3, 4)))
    assert float(columns.diameter) == pytest.approx(2 * 4)
    pairs = Stacked(NuclearBall((2, 3)), 5)
    d = rng.normal(size=(5, 2, 3))
    point, guess = pairs.lmo_from(d, pairs.first_guess())
    norms = np.linalg.svd(d, compute_uv=False)[:, 0]
    np.testing.assert_allclose((point * d).sum(axis=(1, 2)), -norms, rtol=1e-8)
    assert guess.shape == (5, 3)


def test_a_sum_of_products_against_all_vertices():
    parts = [Product((Simplex(2), LInfBall(1))), Product((L1Ball(2), Box(0.0, np.ones(1))))]
    total = MinkowskiSum(parts)
    first = [(*e, b) for e in np.eye(2) for b in (-1, 1)]
    second = [(*e, b) for e in (*np.eye(2), *-np.eye(2)) for b in (0, 1)]
    vertices = np.array([np.add(p, q) for p, q in itertools.product(first, second)])
    for d in rng.standard_normal((5, 3)):
        s = total.lmo((d[:2], d[2:]))
        assert np.concatenate(s) @ d == pytest.approx(np.min(vertices @ d))
    assert total.contains(total.start())
    assert not total.contains((np.array([2.1, 0.0]), np.zeros(1)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Scaled(3, 1.0), "set must be a set, got 3"),
        (lambda: Scaled(Simplex(2), 0.0), "factor must be a finite number other than 0, got 0.0"),
        (lambda: Scaled(Simplex(2), np.inf), "factor must be a finite number, got inf"),
        (lambda: Shifted(None, 1.0), "set must be a set, got None"),
        (lambda: Shifted(Simplex(2), [1.0]), r"by must have the shape of a point, \(2,\), got \(1"),
        (lambda: Shifted(Simplex(2), [1.0, np.nan]), r"by must be finite, got nan at index \(1,\)"),
        (lambda: Shifted(Simplex(2), "far"), "by must be an array of numbers, got 'far'"),
        (lambda: Shifted(Product((Simplex(2),)), [1.0, 1.0]), "by must have the structure"),
        (lambda: LinearImage(np.eye(2), 3), "set must be a set, got 3"),
        (lambda: LinearImage(np.eye(3), Simplex(2)), r"shape \(rows, 2\), one column .* \(3, 3\)"),
        (lambda: LinearImage(np.ones(2), Simplex(2)), r"matrix must have shape .* got \(2,\)"),
        (lambda: LinearImage([[1.0, np.inf]], Simplex(2)), r"matrix must be finite, got inf at"),
        (lambda: MinkowskiSum(Simplex(2)), "sets must be several sets"),
        (lambda: MinkowskiSum(()), "sets must hold at least one set, got none"),
        (lambda: MinkowskiSum((Simplex(2), 3)), r"sets\[1\] must be a set, got 3"),
        (lambda: MinkowskiSum((Simplex(2), Simplex(3))), r"points that are built alike.*sets\[1\]"),
        (lambda: Reshaped(Simplex(2), (3, 1)), "shape must have as many entries"),
        (lambda: Reshaped(Simplex(2), (2, 0)), "shape must be a whole number of at least 1, got 0"),
        (lambda: Stacked(3, 2), "set must be a set, got 3"),
        (lambda: Stacked(Simplex(2), 0), "count must be a whole number of at least 1, got 0"),
        (lambda: Stacked(Simplex(2), 2, axis=2), "axis must be at most 1, got 2"),
        (lambda: Stacked(Product((Simplex(2),)), 2), "set must be one of arrays, got Product"),
        (lambda: Cached(3), "set must be a set, got 3"),
        (lambda: Cached(Simplex(2), capacity=0), "capacity must be a whole number of at least 1"),
        (lambda: Cached(Simplex(2), accuracy=0.0), "accuracy must be a positive"),
        (lambda: Approximate(Simplex(2), -0.1), "accuracy must be a finite number of at least 0"),
        (lambda: Approximate(None, 0.1), "set must be a set, got None"),
    ],
)
def test_bad_parameters_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_points_that_do_not_fit_are_refused_by_name():
    total = MinkowskiSum((Simplex(2), Simplex(2)))
    with pytest.raises(ValueError, match="guess must be a tuple of 2, one per set, got None"):
        total.lmo_from(jnp.ones(2), None)
    pair = Shifted(Product((Simplex(2), Simplex(2))), (np.ones(2), np.ones(2)))
    with pytest.raises(ValueError, match="direction must have the structure"):
        pair.lmo(jnp.ones(2))
