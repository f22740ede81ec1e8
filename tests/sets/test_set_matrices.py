"""Sets of matrices against full decompositions, and what they refuse."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import polar
from scipy.optimize import brentq

from wolfnest.sets import Fantope, SpectralBall, UnitSpectrahedron

jax.config.update("jax_enable_x64", True)

lmo = jax.jit(lambda domain, d: domain.lmo(d))
contains = jax.jit(lambda domain, x: domain.contains(x))
project = jax.jit(lambda domain, x: domain.project(x))


def symmetric(rng, n):
    x = rng.standard_normal((n, n))
    return (x + x.T) / 2


def test_the_oracle_of_the_spectral_ball_is_the_polar_factor():
    d = np.random.default_rng(0).standard_normal((20, 12))
    np.testing.assert_allclose(lmo(SpectralBall((20, 12), 3.0), d), -3 * polar(d)[0], atol=1e-12)


@pytest.mark.parametrize("d", [np.zeros((3, 4)), np.ones((3, 4)), np.diag([1.0, 0, 0])])
def test_a_direction_without_full_rank_still_gives_an_extreme_point(d):
    s = lmo(SpectralBall(d.shape, 2.0), d)
    np.testing.assert_allclose(np.linalg.svd(s, compute_uv=False), 2.0)


def test_the_spectral_projection_clips_singular_values():
    x = np.random.default_rng(1).standard_normal((4, 6))
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    expected = (u * np.minimum(s, 1.5)) @ vt
    ball = SpectralBall((4, 6), 1.5)
    np.testing.assert_allclose(project(ball, x), expected, atol=1e-12)
    np.testing.assert_array_equal(project(ball, x / 10), x / 10)


def test_unit_spectrahedron_against_all_eigenvalues():
    rng = np.random.default_rng(2)
    small = UnitSpectrahedron(30, 2.0)
    d = symmetric(rng, 30)
    s = lmo(small, d)
    assert np.sum(s * d) == pytest.approx(2 * np.linalg.eigvalsh(d)[0], rel=1e-9)
    assert np.linalg.matrix_rank(s) == 1
    # Nothing is gained where no eigenvalue is negative.
    np.testing.assert_array_equal(lmo(small, d @ d + 0.1 * np.eye(30)), np.zeros((30, 30)))


def test_fantope_against_all_eigenvalues():
    d = symmetric(np.random.default_rng(3), 30)
    values, vectors = np.linalg.eigh(d)
    s = lmo(Fantope(30, 7), d)
    assert np.sum(s * d) == pytest.approx(np.sum(values[:7]), rel=1e-12)
    np.testing.assert_allclose(s, vectors[:, :7] @ vectors[:, :7].T, atol=1e-10)


def test_fantope_projection_against_a_root():
    x = 2 * symmetric(np.random.default_rng(4), 12)
    values, vectors = np.linalg.eigh(x)
    tau = brentq(lambda t: np.sum(np.clip(values - t, 0, 1.5)) - 6.0, -20, 20, xtol=1e-14)
    expected = (vectors * np.clip(values - tau, 0, 1.5)) @ vectors.T
    np.testing.assert_allclose(project(Fantope(12, 4, 1.5), x), expected, atol=1e-10)


def test_a_fantope_of_full_rank_is_one_point():
    all_of_it = Fantope(3, 3, 2.0)
    assert float(all_of_it.diameter) == 0
    np.testing.assert_allclose(lmo(all_of_it, jnp.ones((3, 3))), 2 * np.eye(3), atol=1e-14)
    np.testing.assert_allclose(project(all_of_it, -jnp.ones((3, 3))), 2 * np.eye(3), atol=1e-14)


def test_only_the_symmetric_part_counts():
    d = np.random.default_rng(5).standard_normal((4, 4))
    for domain in (UnitSpectrahedron(4), Fantope(4, 2)):
        np.testing.assert_allclose(lmo(domain, d), lmo(domain, (d + d.T) / 2), atol=1e-8)
        assert not contains(domain, domain.start() + 0.1 * (d - d.T))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SpectralBall(3), r"shape must be a pair \(rows, columns\), got 3"),
        (lambda: SpectralBall((3, 0)), r"shape\[1\] must be a whole number"),
        (lambda: SpectralBall((3, 2), -1.0), "radius must be a positive"),
        (lambda: UnitSpectrahedron(0), "dim must be a whole number"),
        (lambda: UnitSpectrahedron(2, np.inf), "radius must be a positive"),
        (lambda: UnitSpectrahedron(2, tol=0.0), "tol must be a positive"),
        (lambda: Fantope(3, 4), "k must be at most 3, got 4"),
        (lambda: Fantope(3, 0), "k must be a whole number of at least 1, got 0"),
        (lambda: Fantope(3, 1, 0.0), "radius must be a positive"),
    ],
)
def test_bad_parameters_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
