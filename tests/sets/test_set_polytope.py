"""Polytopes by linear constraints, against SciPy."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from wolfnest.sets import Polytope
from wolfnest.sets.tools.linear_constraints import lowest_vertex

jax.config.update("jax_enable_x64", True)

ONE = np.ones((1, 2))

lmo = jax.jit(lambda domain, d: domain.lmo(d))
contains = jax.jit(lambda domain, x: domain.contains(x))


def test_a_polytope_gives_vertices_from_dense_and_sparse_constraints():
    rng = np.random.default_rng(11)
    a, b = rng.standard_normal((20, 12)), np.ones(20)
    d = rng.standard_normal(12)
    best = linprog(d, A_ub=a, b_ub=b, bounds=(-2, 3), method="highs-ipm").fun
    for matrix in (a, a.tolist(), sparse.csr_matrix(a), sparse.coo_array(a)):
        s = np.asarray(lmo(Polytope(matrix, b, lower=-2.0, upper=3.0), d))
        assert s @ d == pytest.approx(best, rel=1e-9)
    active = [a[i] for i in np.flatnonzero(np.abs(a @ s - b) < 1e-9)]
    active += [np.eye(12)[i] for i in np.flatnonzero((s < -2 + 1e-9) | (s > 3 - 1e-9))]
    assert np.linalg.matrix_rank(active) == 12


def test_constraints_that_touch_survive_single_precision():
    """One point, `x = upper`, which rounding would remove."""
    upper = np.array([0.1, 0.2, 0.3, 0.7])
    with jax.enable_x64(False):
        corner = Polytope(C=[np.ones(4)], d=[upper.sum()], lower=0.0, upper=upper)
        s = lmo(corner, jnp.arange(4.0))
        np.testing.assert_allclose(s, upper, rtol=1e-6)
        assert contains(corner, s)


def test_the_size_of_a_polytope_from_bounds_on_one_side():
    assert float(Polytope(C=[np.ones(50)], d=[2.0], lower=0.0).diameter) == pytest.approx(8**0.5)
    low = Polytope(C=[np.ones(50)], d=[-2.0], upper=0.0)
    assert float(low.diameter) == pytest.approx(8**0.5)
    assert low.contains(low.start())
    box = Polytope(lower=-1.0, upper=np.ones(3))
    assert float(box.diameter) == pytest.approx(12**0.5)
    free = Polytope([[1.0, 1], [1, -1], [-1, 1], [-1, -1]], np.ones(4))
    assert float(free.diameter) == pytest.approx(8**0.5)
    one = Polytope([[1.0, 1], [1, -1], [-1, 1], [-1, -1]], np.ones(4), lower=[0.0, -np.inf])
    assert float(one.diameter) == pytest.approx(5**0.5)


@pytest.mark.parametrize(("bound", "total"), [("lower", 1.0), ("upper", -1.0)])
def test_two_programs_find_the_size_from_bounds_on_one_side(monkeypatch, bound, total):
    costs = []

    def counted(cost, system):
        costs.append(cost)
        return lowest_vertex(cost, system)

    monkeypatch.setattr("wolfnest.sets.polytope.lowest_vertex", counted)
    made = Polytope(C=[np.ones(4)], d=[total], **{bound: 0.0})
    assert len(costs) == 2
    # What is found is not taken for a constraint.
    assert np.sum(np.isinf(made.system.box())) == 4


def test_a_polytope_is_made_outside_of_transformations():
    with pytest.raises(ValueError, match="b must be known when a Polytope is made"):
        jax.jit(lambda b: Polytope(ONE, b, lower=0.0).start())(jnp.ones(1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Polytope(), "must say how many entries x has"),
        (lambda: Polytope(ONE, [1.0]), "must bound the set, got one that is unbounded in entry 0"),
        (
            lambda: Polytope(lower=np.zeros(2)),
            "must bound the set, got .* unbounded in a direction",
        ),
        (lambda: Polytope(ONE, [-1.0], lower=0.0), "must leave at least one point, got an empty"),
        (lambda: Polytope(ONE), "A and b must be given together"),
        (lambda: Polytope(d=[1.0], lower=ONE[0]), "C and d must be given together"),
        (lambda: Polytope(ONE, [1.0, 2.0]), r"b must have shape \(1,\), .* got \(2,\)"),
        (lambda: Polytope(ONE[0], [1.0]), "A must be a matrix with 2 columns"),
        (lambda: Polytope(ONE, [1.0], np.ones((1, 3)), [1.0]), "C must be a matrix with 2 columns"),
        (lambda: Polytope(ONE * np.nan, [1.0]), r"A must be finite, got nan at index \(0, 0\)"),
        (lambda: Polytope(ONE, [np.inf]), "b must be finite, got inf"),
        (lambda: Polytope(ONE, [1.0], lower=np.zeros(3)), r"lower must be a number or have shape"),
        (lambda: Polytope(lower=[0.0, 2.0], upper=1.0), "lower must not exceed upper, got 2.0 > 1"),
        (lambda: Polytope(ONE, [1.0], upper=-np.inf), "upper must be a possible bound, got -inf"),
    ],
)
def test_bad_parameters_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
