"""The Krylov oracles against full decompositions, with kind and unkind guesses."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.linalg import eigvalsh, norm, qr, svd

import wolfnest.sets as sets
from wolfnest.sets.tools import krylov, singular_pair

jax.config.update("jax_enable_x64", True)

N = 60


def spectrum(values, m=N, n=N, seed=0):
    """A matrix with the given singular values, and its factors."""
    rng = np.random.default_rng(seed)
    u, v = qr(rng.standard_normal((m, m)))[0], qr(rng.standard_normal((n, n)))[0]
    k = min(m, n)
    s = np.zeros(k)
    s[: len(values)] = values
    return (u[:, :k] * s) @ v[:, :k].T, u, v


def symmetric(values, seed=0):
    q = qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))[0]
    return (q * np.asarray(values)) @ q.T, q


def value_error(d, guess=None, **options):
    """How far `<s, d>` is from `-σ₁`, relatively."""
    ball = sets.NuclearBall(d.shape, **options)
    d = jnp.asarray(d)
    guess = ball.first_guess() if guess is None else jnp.asarray(guess)
    s = np.asarray(ball.lmo_from(d, guess)[0], np.float64)
    assert svd(s, compute_uv=False).sum() <= 1 + 1e-5
    top = svd(np.asarray(d, np.float64), compute_uv=False)[0]
    return abs(1 + np.sum(s * np.asarray(d, np.float64)) / top)


HARD = {
    "gaussian": np.random.default_rng(0).standard_normal((N, N)),
    "gap": spectrum([2.0, *np.linspace(1, 0, N - 1)])[0],
    "tiny gap": spectrum([1.0, 0.9999, *np.linspace(0.99, 0, N - 2)])[0],
    "double": spectrum([1.0, 1.0, *np.linspace(0.9, 0, N - 2)])[0],
    "fivefold": spectrum([1.0] * 5 + [0.5] * (N - 5))[0],
    "orthogonal": spectrum([1.0] * N)[0],
    "rank one": spectrum([3.0])[0],
    "geometric": spectrum(0.5 ** np.arange(N))[0],
    "one entry": np.eye(N)[:, [7]] @ np.eye(N)[[11]],
    "ones": np.ones((N, N)),
}


@pytest.mark.parametrize("matrix", HARD.values(), ids=HARD.keys())
def test_cold(matrix):
    assert value_error(matrix) <= 1e-8
    assert value_error(matrix.astype(np.float32)) <= 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_accuracy_at_200(seed):
    d = np.random.default_rng(seed).standard_normal((200, 200))
    assert value_error(d) <= 1e-8
    assert value_error(d.astype(np.float32)) <= 1e-4


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (300, 20)])
def test_shapes(shape):
    assert value_error(np.random.default_rng(1).standard_normal(shape)) <= 1e-8


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_scales_float64(scale):
    assert value_error(HARD["gaussian"] * scale) <= 1e-8


@pytest.mark.parametrize("scale", [1e-30, 1e-15, 1e15, 1e30])
def test_scales_float32(scale):
    assert value_error((HARD["gap"] * scale).astype(np.float32)) <= 1e-4


@pytest.mark.parametrize("values", [np.linspace(1, 0, N), 0.999 ** np.arange(N)])
@pytest.mark.parametrize(("m", "n"), [(N, N), (30, N)])
def test_misleading_guesses(values, m, n):
    d, _, v = spectrum(values[: min(m, n)], m, n)
    orthogonal = v[:, 1:] @ np.random.default_rng(4).standard_normal(n - 1)
    guesses = [v[:, 1], v[:, 2], v[:, n - 1], orthogonal, np.zeros(n), np.full(n, np.nan)]
    guesses += [v[:, 0], 1e200 * v[:, 1], np.eye(n)[3].astype(np.float32)]
    for guess in guesses:
        assert value_error(d, guess) <= 1e-8


def test_guess_in_an_invariant_subspace():
    """The guess is an exact singular vector, in coordinates: no rounding helps to leave it."""
    d = np.diag([1.0, 3.0, 2.0] + [0.1] * (N - 3))
    for i in (0, 2, 5):
        assert value_error(d, np.eye(N)[i]) <= 1e-12


def test_zero_matrix():
    for c in (sets.NuclearBall((N, N)), sets.Spectrahedron(N)):
        for guess in (c.first_guess(), jnp.zeros(N)):
            s, new = c.lmo_from(jnp.zeros((N, N)), guess)
            assert c.contains(s, 1e-12)
            assert np.isfinite(new).all()


def test_guess_survives_nan():
    for c in (sets.NuclearBall((N, N)), sets.Spectrahedron(N)):
        for entry in (np.nan, np.inf):
            s, new = c.lmo_from(jnp.ones((N, N)).at[1, 1].set(entry), c.first_guess())
            assert np.isnan(s).all()
            assert np.isfinite(new).all()


def test_a_good_guess_is_cheap():
    d, _, v = spectrum([2.0, *np.linspace(1, 0, N - 1)])

    def products(d, guess):
        return singular_pair.top_singular_pair(jnp.asarray(d), jnp.asarray(guess), 1e-10, 100)[3]

    one_cycle = singular_pair.ROUNDS + 1
    assert products(d, v[:, 0]) == (one_cycle, 1)
    assert products(d, v[:, 0] + 1e-4 * singular_pair.pseudo_random_unit(N, 5)) == (one_cycle, 1)
    assert products(HARD["gaussian"], v[:, 0]).total > one_cycle
    assert products(d.astype(np.float32), v[:, 0].astype(np.float32)) == (singular_pair.ROUNDS, 0)


def test_products_are_those_that_are_run():
    a, calls = jnp.asarray(HARD["tiny gap"] / norm(HARD["tiny gap"])), []

    def operator(matrix):
        def apply(x):
            jax.debug.callback(lambda: calls.append(matrix.dtype))
            return (matrix @ x) @ matrix

        return apply

    single, full = operator(a.astype(jnp.float32)), operator(a)
    guess = jnp.asarray(singular_pair.pseudo_random_unit(N))
    run = jax.jit(
        lambda: singular_pair._top_eigenvector(single, full, guess, 1e-14, 100, jnp.asarray(True))
    )
    _, (total, double) = run()
    jax.effects_barrier()
    assert len(calls) == total
    assert sum(dtype == jnp.float64 for dtype in calls) == double
    assert 1 < double < total


@pytest.mark.parametrize("others", [1, 3])
@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-5, 1e-7, 1e-9])
def test_near_ties(gap, others):
    """Singular values that are hardly different stand in for each other, but for no others."""
    d = spectrum([1.0, *[1 - gap] * others, *np.linspace(0.9, 0, N - 1 - others)])[0]
    assert value_error(d) <= (1e-10 if gap >= 1e-4 else 1e-6)
    assert value_error(d, tol=1e-15) <= (1e-12 if gap >= 1e-4 else 1e-7)
    assert value_error(d.astype(np.float32)) <= 2e-5


def test_products_keep_their_precision_on_devices_that_would_round():
    text = str(jax.make_jaxpr(sets.NuclearBall((N, N)).lmo)(jnp.ones((N, N))))
    assert text.count("dot_general[") == text.count("Precision.HIGHEST, Precision.HIGHEST")


def test_max_restarts_bounds_the_work_and_tol_the_accuracy():
    d = HARD["tiny gap"]
    rough = value_error(d, max_restarts=1)
    assert 1e-8 < rough < 0.1
    assert value_error(d, tol=1e-2) < 1e-2
    assert value_error(d, tol=1e-20) < 1e-13


def test_vmap_over_easy_and_hard():
    ball = sets.NuclearBall((N, N))
    found = jax.vmap(ball.lmo)(jnp.stack([jnp.asarray(d) for d in HARD.values()]))
    for s, d in zip(found, HARD.values(), strict=True):
        assert np.sum(np.asarray(s) * d) == pytest.approx(-svd(d, compute_uv=False)[0], rel=1e-8)


SYMMETRIC = {
    "large positive": symmetric([100.0, *np.linspace(-1, 2, N - 1)]),
    "positive definite": symmetric(np.linspace(1, 2, N)),
    "negative definite": symmetric(-np.linspace(1, 2, N)),
    "singular": symmetric([0.0] * 3 + [1.0] * (N - 3)),
    "double": symmetric([-1.0, -1.0, *np.linspace(-0.9, 5, N - 2)]),
    "opposite": symmetric([-1.0, 1.0, *np.linspace(-0.5, 0.5, N - 2)]),
    "minus identity": symmetric(-np.ones(N)),
}


@pytest.mark.parametrize("matrix", SYMMETRIC.values(), ids=SYMMETRIC.keys())
def test_lowest_eigenvector(matrix):
    d, q = matrix
    c = sets.Spectrahedron(N)
    lowest, size = eigvalsh(d)[0], norm(d, 2)
    guesses = [c.first_guess(), q[:, 0], q[:, 1], q[:, -1], np.zeros(N)]
    for guess in guesses:
        s, new = c.lmo_from(jnp.asarray(d), jnp.asarray(guess))
        assert c.contains(s, 1e-12)
        assert np.sum(np.asarray(s) * d) == pytest.approx(lowest, abs=1e-8 * size)
        assert new @ d @ new == pytest.approx(lowest, abs=1e-8 * size)
    s = np.asarray(c.lmo(jnp.asarray(d, np.float32)), np.float64)
    assert np.sum(s * d) == pytest.approx(lowest, abs=1e-4 * size)


def test_spectrahedron_of_one_point():
    c = sets.Spectrahedron(1, 3.0)
    for entry in (-2.0, 0.0, 5.0):
        np.testing.assert_allclose(c.lmo(jnp.full((1, 1), entry)), [[3.0]], rtol=1e-12)
    assert float(c.diameter) == 0


def test_only_the_symmetric_part_counts():
    rng = np.random.default_rng(6)
    d, skew = rng.standard_normal((2, N, N))
    d[0, 0] = -50  # a gap, so that the points compare as well as the values
    c = sets.Spectrahedron(N)
    a = c.lmo(jnp.asarray(d + d.T))
    b = c.lmo(jnp.asarray(d + d.T + 10 * (skew - skew.T)))
    np.testing.assert_allclose(a, b, atol=1e-6)
    np.testing.assert_array_equal(a, a.T)


def test_no_full_decomposition_of_the_direction():
    """Whatever is decomposed inside the oracles has a size that does not grow with the matrix."""
    small = krylov.KEEP + krylov.ROUNDS
    for c in (sets.NuclearBall((N, N)), sets.Spectrahedron(N)):
        jaxpr = str(jax.make_jaxpr(c.lmo)(jnp.ones((N, N))))
        assert "svd" not in jaxpr
        lines = [line for line in jaxpr.splitlines() if "= eigh[" in line]
        assert lines
        for line in lines:
            assert f"[{small},{small}]" in line
            assert f"[{N},{N}]" not in line


def test_half_precision():
    d = jnp.asarray(HARD["gap"], jnp.bfloat16)
    s = sets.NuclearBall((N, N)).lmo(d)
    assert s.dtype == jnp.bfloat16
    assert float(jnp.sum(s.astype(float) * HARD["gap"])) == pytest.approx(-2, rel=0.02)
