"""Sets of vectors: parameters that are refused, ties, exact projections, and the sets that they
turn into at special parameters."""

from __future__ import annotations

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import isotonic_regression

import wolfnest.sets as sets
from wolfnest.sets import (
    CappedSimplex,
    ConvexHull,
    Cube,
    Ellipsoid,
    GroupL1Ball,
    Hypersimplex,
    KNormBall,
    KSparse,
    LpBall,
    OWLBall,
    Permutahedron,
    TotalVariationBall,
    UnitHypersimplex,
    UnitSimplex,
)
from wolfnest.sets.tools import fits

jax.config.update("jax_enable_x64", True)

N = 20

lmo = jax.jit(lambda c, d: c.lmo(d))
many = jax.jit(jax.vmap(lambda c, d: c.lmo(d), in_axes=(None, 0)))
project = jax.jit(lambda c, x: c.project(x))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Cube(0), "dim must be a whole number of at least 1, got 0"),
        (lambda: UnitSimplex(3, -1.0), "radius must be a positive, finite number, got -1.0"),
        (lambda: CappedSimplex(4, 0.2), r"caps that add up to 0.8 for a radius of 1.0"),
        (lambda: CappedSimplex(2, [1.0, -0.5]), r"cap must be at least 0, got -0.5 at index \(1,"),
        (lambda: CappedSimplex(2, [1.0, np.nan]), r"cap must be a number, got nan at index \(1,"),
        (
            lambda: CappedSimplex(2, np.ones(3)),
            r"cap must be a number or have shape \(2,\), got \(3,\)",
        ),
        (lambda: CappedSimplex(2, "much"), "cap must be an array of numbers, got 'much'"),
        (lambda: Hypersimplex(4, 5), "k must be at most 4, got 5"),
        (lambda: UnitHypersimplex(4, 0), "k must be a whole number of at least 1, got 0"),
        (lambda: KSparse(4, 2.5), "k must be a whole number"),
        (lambda: KNormBall(4, 5), "k must be at most 4"),
        (lambda: OWLBall([1.0, 2.0]), r"weights must be non-increasing, got 2.0 at index \(1,\)"),
        (lambda: OWLBall([1.0, -2.0]), "weights must be at least 0, got -2.0"),
        (lambda: OWLBall([0.0, 0.0]), "weights must have a positive first entry, got 0.0"),
        (lambda: OWLBall([]), r"weights must be a vector with at least one entry, got shape \(0,"),
        (lambda: Permutahedron([[1.0]]), r"values must be a vector .* got shape \(1, 1\)"),
        (lambda: Permutahedron([1.0, np.inf]), r"values must be finite, got inf at index \(1,\)"),
        (lambda: GroupL1Ball([0.5, 1.0]), "groups must be a vector of whole numbers"),
        (lambda: GroupL1Ball(3), "groups must be a vector of whole numbers, got 3"),
        (lambda: ConvexHull(1.0), r"points must be an array \(n, \*shape\)"),
        (lambda: ConvexHull(np.zeros((0, 2))), r"at least one entry, got shape \(0, 2\)"),
        (lambda: ConvexHull([[1.0, np.nan]]), "points must be finite, got nan"),
        (lambda: TotalVariationBall(1), "dim must be a whole number of at least 2, got 1"),
        (lambda: LpBall(3, 0.5), "p must be a number of at least 1, or infinite, got 0.5"),
        (lambda: LpBall(3, np.nan), "p must be a number of at least 1"),
        (lambda: LpBall(3, "two"), "p must be a number of at least 1, or infinite, got 'two'"),
        (lambda: Ellipsoid([0.0]), "one of semi_axes and shape, got none"),
        (lambda: Ellipsoid([0.0], semi_axes=[1.0], shape=[[1.0]]), "shape, got both"),
        (lambda: Ellipsoid([0.0], semi_axes=[0.0]), "semi_axes must be positive, got 0.0"),
        (lambda: Ellipsoid([0.0], semi_axes=[1.0, 2.0]), "each of the 2 axes, got shape"),
        (lambda: Ellipsoid([0.0], shape=[1.0]), "shape must be a square matrix, got one of shape"),
        (lambda: Ellipsoid([0.0, 0.0], shape=[[1.0, 2.0], [0.0, 1.0]]), "must be symmetric"),
        (
            lambda: Ellipsoid([0.0, 0.0], shape=[[1.0, 2.0], [2.0, 1.0]]),
            "positive definite, got an eigenvalue of -1.0",
        ),
    ],
)
def test_bad_parameters_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_first_entries_win_on_ties():
    """Also where zeros have different signs."""
    for zero in (0.0, -0.0):
        d = np.array([1.0, zero, -zero, zero, -zero])
        np.testing.assert_array_equal(lmo(Hypersimplex(5, 2), d), [0, 1, 1, 0, 0])
        np.testing.assert_array_equal(lmo(KSparse(5, 2), d), [-1, 1, 0, 0, 0])
        np.testing.assert_array_equal(lmo(UnitHypersimplex(5, 2), d - 1), [0, 1, 1, 0, 0])
        np.testing.assert_array_equal(lmo(CappedSimplex(5, 0.5), d), [0, 0.5, 0.5, 0, 0])
        np.testing.assert_array_equal(lmo(Permutahedron(np.arange(5.0)), d), [0, 4, 3, 2, 1])
    tied = np.array([1.0, -2.0, 2.0])
    np.testing.assert_array_equal(lmo(OWLBall(np.ones(3)), tied), [0, 1, 0])
    np.testing.assert_array_equal(lmo(KNormBall(3, 2), [1.0, -3.0, 2.0]), [0, 1, 0])
    np.testing.assert_array_equal(lmo(GroupL1Ball([1, 0, 0]), [5.0, 5.0, 0.0]), [0, -1, 0])
    np.testing.assert_array_equal(lmo(ConvexHull([3.0, 1.0, 1.0]), 1.0), 1)


def test_zero_direction():
    zero = np.zeros(4)
    np.testing.assert_array_equal(lmo(UnitSimplex(4), zero), zero)
    np.testing.assert_array_equal(lmo(KNormBall(4, 2), zero), [1, 0, 0, 0])
    np.testing.assert_array_equal(lmo(KNormBall(4, 1), zero), np.ones(4))
    np.testing.assert_array_equal(lmo(OWLBall([1.0, 0, 0, 0]), zero), np.ones(4))
    np.testing.assert_array_equal(lmo(TotalVariationBall(4), zero), [-0.75, 0.25, 0.25, 0.25])
    for c in (LpBall(4, 3.0), GroupL1Ball([0, 0, 1, 1]), Ellipsoid(zero, semi_axes=np.ones(4))):
        np.testing.assert_array_equal(lmo(c, zero), zero)


def test_vertices_of_the_capped_simplex_have_the_same_bits_from_everywhere():
    """Ten caps of 0.1 make a budget of 1, whatever their rounding says; so do three."""
    rng = np.random.default_rng(0)
    for n, cap, radius in ((50, 0.1, 1.0), (8, 0.1, 0.3)):
        for _ in range(5):
            s = np.asarray(lmo(CappedSimplex(n, cap, radius), rng.standard_normal(n)))
            assert set(s) == {0.0, cap}
    caps = rng.uniform(0, 0.3, 12)
    known = {}
    for _ in range(200):
        d = np.repeat([0.0, 5.0, 9.0], (4, 1, 7)) + rng.uniform(size=12)
        s = np.asarray(lmo(CappedSimplex(12, caps, 0.9 * caps[:4].sum() + caps[4]), d))
        known.setdefault(tuple(s > 0), set()).add(s.tobytes())
    assert all(len(bits) == 1 for bits in known.values())


def exact_threshold(x, cap, total):
    """The projection in fractions, by a scan over all breakpoints."""
    x, cap, total = [Fraction(v) for v in x], [Fraction(v) for v in cap], Fraction(total)
    at = lambda t: [min(max(a - t, Fraction(0)), c) for a, c in zip(x, cap, strict=True)]
    stops = sorted({*x, *(a - c for a, c in zip(x, cap, strict=True))}, reverse=True)
    high = stops[0]
    for low in stops[1:]:
        if sum(at(low)) >= total:
            rise = sum(at(low)) - sum(at(high))
            share = (total - sum(at(high))) / rise if rise else Fraction(0)
            return np.array([float(v) for v in at(high - share * (high - low))])
        high = low
    return np.array([float(v) for v in at(high)])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6, 1e17])
def test_threshold_of_the_capped_simplex_is_exact(scale):
    rng = np.random.default_rng(0)
    for caps in (
        rng.uniform(0, 0.1, 8),
        np.full(8, 0.25),
        np.array([0, 1, 0, 0.5, 2, 0.01, 0, 0.25]),
    ):
        for share in (0.1, 0.6, 1.0):
            radius = float(share * caps.sum())
            for x in (scale * rng.standard_normal(8), scale + np.round(3 * rng.standard_normal(8))):
                found = project(CappedSimplex(8, caps, radius), x)
                expected = exact_threshold(x, np.minimum(caps, radius), radius)
                np.testing.assert_allclose(found, expected, atol=1e-14 * radius)


def test_diameter_bound_of_the_capped_simplex():
    """Between the largest distance of two vertices and a third more."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        caps = rng.uniform(0, 1, 6)
        c = CappedSimplex(6, caps, float(caps.sum() * rng.uniform(0.2, 0.8)))
        ends = np.asarray(many(c, rng.standard_normal((400, 6))))
        widest = max(np.linalg.norm(ends - s, axis=1).max() for s in ends)
        assert widest <= float(c.diameter) <= 4 / 3 * widest


def test_monotone_fit_against_scipy():
    rng = np.random.default_rng(0)
    steep = np.append(np.linspace(1, 0, N - 1), 3.0 * N)
    for values in (rng.standard_normal(N), np.round(rng.standard_normal(N)), steep, -steep):
        fit = fits.block_means(fits.pools(values), jnp.asarray(values))
        expected = isotonic_regression(values, increasing=False).x
        np.testing.assert_allclose(fit, expected, atol=1e-14 * N)


def test_permutahedron_projection_keeps_its_digits():
    """Groups of entries far apart are projected as if they were alone."""
    c, low, high = np.array([0.0, 1.0, 4.0]), np.array([0.3, 0.1, 0.2]), np.array([0.9, 0.4])
    both = project(Permutahedron([10.0, 12.0, *c]), np.concatenate([1e6 + high, low]))
    upper = project(Permutahedron([10.0, 12.0]), high)
    lower = project(Permutahedron(c), low)
    np.testing.assert_allclose(both, np.concatenate([upper, lower]), atol=1e-9)


def same(one, other):
    """Two sets that are one."""
    rng = np.random.default_rng(0)
    for x in np.append(rng.standard_normal((3, N)), np.full((1, N), 1e-3), axis=0):
        np.testing.assert_allclose(lmo(one, x), lmo(other, x), atol=1e-12)
        np.testing.assert_allclose(project(one, x), project(other, x), atol=1e-12)
    assert float(one.diameter) == pytest.approx(float(other.diameter))


def test_special_parameters_give_known_sets():
    same(CappedSimplex(N, np.inf, 2.0), sets.Simplex(N, 2.0))
    same(CappedSimplex(N, 2.0, 6.0), Hypersimplex(N, 3, 2.0))
    same(UnitHypersimplex(N, N), Cube(N))
    same(Permutahedron(np.eye(N)[3]), sets.Simplex(N, 1.0))
    same(KSparse(N, 1, 2.0), sets.L1Ball(N, 2.0))
    same(OWLBall(np.ones(N), 2.0), sets.L1Ball(N, 2.0))
    same(GroupL1Ball(np.arange(N), 2.0), sets.L1Ball(N, 2.0))
    same(KNormBall(N, 1, 2.0), sets.LInfBall(N, 2.0))
    same(OWLBall((np.arange(N) < 3) * 1.0, 2.0), KNormBall(N, 3, 2.0))
    same(Ellipsoid(np.zeros(N), semi_axes=np.full(N, 2.0)), sets.L2Ball(N, 2.0))
    for p, ball in ((1, sets.L1Ball), (2, sets.L2Ball), (np.inf, sets.LInfBall)):
        same(LpBall(N, p, 2.0), ball(N, 2.0))
    centre, lengths = np.ones(N), np.linspace(1, 3, N)
    turned = Ellipsoid(centre, shape=np.diag(lengths**2))
    same(turned, Ellipsoid(centre, semi_axes=lengths))


def test_extreme_exponents():
    """The ball of a huge p is a cube, that of a p close to 1 a cross-polytope."""
    rng = np.random.default_rng(0)
    d = rng.standard_normal(4)
    np.testing.assert_allclose(LpBall(4, 1e9).lmo(d), -np.sign(d), rtol=1e-7)
    np.testing.assert_allclose(LpBall(4, 1 + 1e-9).lmo(d), sets.L1Ball(4).lmo(d), atol=1e-7)
    np.testing.assert_allclose(LpBall(4, 1e9).project(9 * d), np.clip(9 * d, -1, 1), rtol=1e-7)
    for p in (1.0001, 1e9):
        for scale in (1e-300, 1e300):
            assert LpBall(4, p).contains(LpBall(4, p).lmo(scale * d), 1e-12)


def test_thin_ellipsoids():
    lengths = np.array([1.0, 1e-4, 1e-8])
    c = Ellipsoid(np.zeros(3), semi_axes=lengths)
    for x in (np.ones(3), np.array([0.1, 2.0, 1e-8]), 1e9 * np.ones(3)):
        p = np.asarray(project(c, x))
        assert np.linalg.norm(p / lengths) == pytest.approx(1, abs=1e-12)
        away = (x - p) / np.linalg.norm(x - p)
        assert away @ p == pytest.approx(np.linalg.norm(lengths * away), rel=1e-9)


def test_hull_knows_its_points():
    corners = ConvexHull(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.2, 0.2]]))
    inside = np.array([[0.5, 0.5], [0.0, 0.0], [0.3, 0.0], [0.1, 0.8], [0.2, 0.2]])
    outside = np.array([[0.5, 0.5001], [-1e-4, 0.0], [3.0, 3.0], [np.nan, 0.0], [np.inf, 0.0]])
    ask = jax.jit(jax.vmap(corners.contains))
    assert ask(inside).all()
    assert not ask(outside).any()
    assert ask(inside.astype(np.float32)).all()
    assert corners.contains(np.array([0.5, 0.5 + 1e-9]), 1e-8)
    assert not corners.contains(np.array([0.5, 0.5 + 1e-7]), 1e-8)
    one = ConvexHull([[5.0, 7.0]])
    assert one.contains(np.array([5.0, 7.0]))
    assert not one.contains(np.array([5.0, 7.1]))
    assert float(one.diameter) == 0


def test_sets_can_be_made_inside_a_transformation():
    d = jnp.array([1.0, -2.0, 3.0])

    def points(size):
        parts = (
            CappedSimplex(3, size * jnp.array([0.5, 1, 1]), size),
            OWLBall(jnp.array([1.0, 0.5, 0.2]), size),
            Permutahedron(size * jnp.arange(3.0)),
            ConvexHull(size * jnp.eye(3)),
            Ellipsoid(jnp.zeros(3), shape=size**2 * jnp.eye(3)),
            GroupL1Ball([0, 0, 1], size),
        )
        return jnp.stack([c.lmo(d) for c in parts])

    one, three = jax.jit(jax.vmap(points))(jnp.array([1.0, 3.0]))
    np.testing.assert_allclose(three, 3 * one, rtol=1e-12)
