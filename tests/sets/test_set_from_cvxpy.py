"""Sets from CVXPY constraints."""

from __future__ import annotations

import sys

import cvxpy as cp
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from wolfnest.sets import FromCVXPY, Simplex

jax.config.update("jax_enable_x64", True)

X = cp.Variable(3)

lmo = jax.jit(lambda domain, d: domain.lmo(d))
project = jax.jit(lambda domain, x: domain.project(x))


def test_a_simplex_by_cvxpy_is_the_simplex():
    ours, theirs = Simplex(3, 2.0), FromCVXPY(X, [X >= 0, cp.sum(X) == 1], 2.0)
    for d in np.random.default_rng(0).standard_normal((3, 3)):
        np.testing.assert_allclose(lmo(theirs, d), lmo(ours, d), atol=1e-8)
        np.testing.assert_allclose(project(theirs, 5 * d), project(ours, 5 * d), atol=1e-6)
    assert float(theirs.diameter) == pytest.approx(12**0.5)
    np.testing.assert_allclose(project(theirs, jnp.zeros(3)), np.full(3, 2 / 3), atol=1e-8)
    assert np.all(np.isnan(project(theirs, jnp.array([0.0, jnp.inf, 0.0]))))


def test_parameters_are_read_when_the_oracle_is_called():
    level = cp.Parameter(value=1.0)
    box = FromCVXPY(X, [cp.abs(X) <= level])
    np.testing.assert_allclose(lmo(box, jnp.array([1.0, -1.0, 2.0])), [-1, 1, -1], atol=1e-8)
    level.value = 3.0
    np.testing.assert_allclose(lmo(box, jnp.array([1.0, -1.0, 2.0])), [-3, 3, -3], atol=1e-8)


def test_what_a_variable_was_declared_to_be_counts():
    matrix = cp.Variable((2, 2), PSD=True)
    spectraplex = FromCVXPY(matrix, [cp.trace(matrix) == 1])
    d = np.array([[1.0, 2.0], [0.0, 3.0]])
    s = spectraplex.lmo(d)
    assert np.sum(s * d) == pytest.approx(np.linalg.eigvalsh((d + d.T) / 2)[0], rel=1e-8)
    assert spectraplex.contains(s)
    assert not spectraplex.contains(jnp.array([[2.0, 0.0], [0.0, -1.0]]))
    assert not spectraplex.contains(jnp.array([[0.5, 0.1], [-0.1, 0.5]]))


def test_sets_of_the_same_constraints_are_one_program():
    constraints = [cp.norm(X) <= 1]
    assert FromCVXPY(X, constraints).problems == FromCVXPY(X, constraints).problems
    assert FromCVXPY(X, constraints).problems != FromCVXPY(X, [cp.norm(X) <= 1]).problems


def test_an_unbounded_direction_is_an_error():
    with pytest.raises((RuntimeError, ValueError), match=r"host: .* unbounded: bound the variable"):
        FromCVXPY(X, [X >= 0]).lmo(-jnp.ones(3)).block_until_ready()


def test_without_cvxpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match=r"needs CVXPY: pip install 'wolfnest\[conic\]'"):
        FromCVXPY(X, [X >= 0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FromCVXPY(3, []), "variable must be a cvxpy.Variable, got 3"),
        (lambda: FromCVXPY(cp.Variable(2, boolean=True), []), "got one declared boolean"),
        (lambda: FromCVXPY(X, [True]), r"constraints\[0\] must be a CVXPY constraint, got True"),
        (lambda: FromCVXPY(X, [X >= 0, cp.norm(X) >= 1]), r"constraints\[1\] must be convex"),
        (
            lambda: FromCVXPY(X, [cp.sum(cp.Variable(3)) + X <= 1]),
            r"constraints\[0\] must be on variable alone",
        ),
        (lambda: FromCVXPY(X, [X >= 1, X <= 0]), "must leave at least one point, got an empty set"),
        (lambda: FromCVXPY(X, [X == 0], 0.0), "radius must be a positive"),
    ],
)
def test_bad_parameters_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
