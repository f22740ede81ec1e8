"""Mean-variance and mean-deviation: equations, gradients, tables of every kind, compiled once."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn
from wolfnest import datasets, problems

MAKERS = [problems.mean_variance, problems.mean_deviation]
RISK, DELTA = 0.7, 1e-3
POINTS = [np.full(5, 0.2), np.array([0.0, 0.6, 0.1, 0.3, 0.0]), np.eye(5)[2]]


def variance_in_numpy(r, x, risk):
    """The paper's formula, without levels."""
    gain = r @ x
    return -gain.mean() + risk * np.mean((gain - r.mean(0) @ x) ** 2)


def variance_gradient(r, x, risk):
    centred = r - r.mean(0)
    return -r.mean(0) + 2 * risk * centred.T @ (centred @ x) / len(r)


def deviation_in_numpy(r, x, risk, delta):
    return -np.mean(r @ x) + risk * np.sqrt(np.var(r @ x) + delta)


def deviation_gradient(r, x, risk, delta):
    centred = r - r.mean(0)
    root = np.sqrt(np.var(r @ x) + delta)
    return -r.mean(0) + risk * centred.T @ (centred @ x) / (len(r) * root)


# ---- equations ---------------------------------------------------------------------------------


@pytest.mark.parametrize("x", POINTS)
def test_mean_variance_is_the_formula(table, x):
    problem = problems.mean_variance(table, RISK)
    np.testing.assert_allclose(problem.value(x), variance_in_numpy(table, x, RISK), rtol=1e-12)
    expected = variance_gradient(table, x, RISK)
    np.testing.assert_allclose(problem.gradient(x), expected, rtol=1e-11)


@pytest.mark.parametrize("x", POINTS)
def test_mean_deviation_is_the_formula(table, x):
    problem = problems.mean_deviation(table, RISK, DELTA)
    expected = deviation_in_numpy(table, x, RISK, DELTA)
    np.testing.assert_allclose(problem.value(x), expected, rtol=1e-12)
    expected = deviation_gradient(table, x, RISK, DELTA)
    np.testing.assert_allclose(problem.gradient(x), expected, rtol=1e-11)


def test_levels_of_mean_variance_are_those_of_the_paper_at_any_tracked_value(table):
    first, second = problems.mean_variance(table, RISK).levels
    r, x, y1 = table[3], np.array([0.5, -0.2, 0.3, 1.0, 0.0]), 0.37
    loss, point = first.fn(x, r)
    np.testing.assert_allclose(loss, -r @ x)
    np.testing.assert_array_equal(point, x)
    np.testing.assert_allclose(second.fn((y1, x), r), y1 + RISK * (r @ x + y1) ** 2)
    exact = y1 + RISK * np.mean((table @ x + y1) ** 2)
    np.testing.assert_allclose(second.exact((jnp.asarray(y1), jnp.asarray(x))), exact)


def test_levels_of_mean_deviation_are_those_of_the_specification_at_any_tracked_value(table):
    first, second, third = problems.mean_deviation(table, RISK, DELTA).levels
    r, x, y1 = table[3], np.array([0.5, -0.2, 0.3, 1.0, 0.0]), 0.37
    np.testing.assert_allclose(first.fn(x, r)[0], r @ x)
    np.testing.assert_allclose(second.fn((y1, x), r), (y1, (r @ x - y1) ** 2))
    for square in (0.4, 0.0, -0.4):
        expected = -y1 + RISK * np.sqrt(max(square, 0) + DELTA)
        np.testing.assert_allclose(third.fn((y1, square)), expected, rtol=1e-7)
    slope = jax.grad(third.fn)((y1, -0.4))
    np.testing.assert_allclose(slope, (-1.0, 0.0))


@pytest.mark.parametrize("make", MAKERS)
def test_they_are_convex_over_the_simplex_with_one_array_for_all_levels(table, make):
    problem = make(table)
    assert problem.convex
    assert isinstance(problem.domain, wn.sets.Simplex)
    assert problem.start().shape == (5,)
    one, two = problem.levels[0].data, problem.levels[1].data
    assert one is two


@pytest.mark.parametrize("make", MAKERS)
def test_defaults_are_the_documented_ones(table, make):
    x = POINTS[1]
    expected = {
        problems.mean_variance: variance_in_numpy(table, x, 1.0),
        problems.mean_deviation: deviation_in_numpy(table, x, 1.0, 1e-6),
    }
    np.testing.assert_allclose(make(table).value(x), expected[make], rtol=1e-12)


@pytest.mark.parametrize("make", MAKERS)
def test_three_lines_solve_them(table, make):
    problem = make(table, risk=0.5)
    run = wn.solve(problem, steps=400, progress=False)
    assert problem.value(run.x) < problem.value(problem.start())


# ---- pytrees, compiled once --------------------------------------------------------------------


def described(problem):
    leaves, structure = jax.tree.flatten(problem)
    return structure, [(a.shape, a.dtype, jnp.asarray(a).weak_type) for a in leaves]


@pytest.mark.parametrize("make", MAKERS)
def test_risk_is_a_leaf_and_other_data_look_alike(table, make):
    risks = [1.0, 0.2, np.float32(3), 2, jnp.asarray(0.5)]
    kinds = [described(make(table, risk)) for risk in risks]
    kinds.append(described(make(table[::-1] + 1)))
    assert all(kind == kinds[0] for kind in kinds)
    assert any(np.ndim(leaf) == 0 and leaf == 0.123 for leaf in jax.tree.leaves(make(table, 0.123)))


@pytest.mark.parametrize("make", MAKERS)
def test_another_risk_or_other_data_compile_nothing_anew(table, make, traced):
    solver = wn.method("PMVR-v1", eta=0.05, alpha=0.1, batch=8)
    own = {"begin", "advance", "draw", "_measured", "_begin", "_advance", "_exact_value"}

    def use(problem):
        traced.clear()
        wn.solve(problem, solver, steps=10, progress=False)
        problems.minimum(problem, tol=1e-3)
        problem.value(POINTS[0])
        return own & set(traced)

    use(make(table, 1.0))
    assert use(make(table, 0.2)) == set()
    assert use(make(table[::-1] * 1.5, 0.2)) == set()


def test_this_test_sees_what_is_compiled(table, traced):
    problems.minimum(problems.mean_variance(table[:77]), tol=1e-3)
    assert {"_begin", "_advance"} <= set(traced)


def test_problems_pass_through_jit_and_vmap(table):
    x = jnp.asarray(POINTS[1])
    value = lambda risk: problems.mean_deviation(table, risk).value(x)
    risks = np.array([0.1, 1.0, 4.0])
    expected = [deviation_in_numpy(table, POINTS[1], risk, 1e-6) for risk in risks]
    np.testing.assert_allclose(jax.jit(jax.vmap(value))(risks), expected, rtol=1e-12)
    made = jax.jit(lambda r: problems.mean_variance(r, RISK).value(x))(table)
    np.testing.assert_allclose(made, variance_in_numpy(table, POINTS[1], RISK), rtol=1e-12)


# ---- precision and kinds of tables -------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
def test_the_precision_is_that_of_the_table(table, make):
    for dtype in (np.float32, np.float64):
        problem = make(table.astype(dtype), np.float64(0.3))
        assert problem.dtype == dtype
        assert {leaf.dtype for leaf in jax.tree.leaves(problem.composition)} == {np.dtype(dtype)}
        assert problem.value(problem.start()).dtype == dtype
        assert problem.gradient(problem.start()).dtype == dtype
    with jax.enable_x64(False):
        assert make(table).dtype == np.float32


def test_every_kind_of_table_means_the_same(table):
    pandas = pytest.importorskip("pandas")
    named = datasets.Returns(table, None, tuple("ABCDE"), "a test")
    kinds = [
        named,
        pandas.DataFrame(table, columns=list("ABCDE")),
        pandas.DataFrame(table).astype(object),
        jnp.asarray(table),
        table.tolist(),
    ]
    expected = problems.mean_variance(table).value(POINTS[1])
    for kind in kinds:
        assert problems.mean_variance(kind).value(POINTS[1]) == expected


def test_integers_become_floats_without_a_warning():
    problem = problems.mean_variance(np.array([[1, 2], [3, 5], [2, -2]]))
    assert problem.dtype == np.float64
    assert problems.mean_variance(jnp.array([[1, 2], [3, 5]])).dtype == np.float64


def test_one_asset_and_two_periods_are_enough():
    problem = problems.mean_variance([[1.0], [3.0]])
    assert float(problem.value(np.ones(1))) == -2 + 1


# ---- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("shape", [(6,), (1, 6), (0, 6), (6, 0), (2, 3, 4), ()])
def test_other_shapes_are_refused(make, shape):
    with pytest.raises(datasets.DataError, match=r"at least two rows .* got shape"):
        make(np.zeros(shape))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_is_named_with_its_place(table, bad):
    broken = table.copy()
    broken[7, 3] = bad
    place = rf"got {bad} in row 7 \(from 0\), column "
    with pytest.raises(datasets.DataError, match=place + "3"):
        problems.mean_variance(broken)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(datasets.DataError, match=place + "'D'"):
        problems.mean_deviation(pandas.DataFrame(broken, columns=list("ABCDE")))


def test_numbers_too_large_for_the_precision_are_refused(table):
    with jax.enable_x64(False), pytest.raises(datasets.DataError, match="too large for float32"):
        problems.mean_variance(np.where(table == table.max(), 1e300, table))


@pytest.mark.parametrize(
    "what", ["text", {"a": [1, 2]}, [["x", "y"], ["z", "w"]], [[1, 2], [3]], None]
)
def test_what_is_no_table_is_refused(what):
    with pytest.raises(datasets.DataError, match="returns must be a table"):
        problems.mean_variance(what)


def test_text_and_dates_in_a_data_frame_are_refused(table):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table).assign(sector="oil")
    with pytest.raises(datasets.DataError, match="Leave out columns of text or dates"):
        problems.mean_variance(frame)


@pytest.mark.parametrize("bad", [-0.1, np.nan, np.inf, "high", [1.0, 2.0]])
@pytest.mark.parametrize("make", MAKERS)
def test_a_risk_that_makes_no_sense_is_refused(table, make, bad):
    with pytest.raises(ValueError, match="risk must be a finite number of at least 0"):
        make(table, bad)


@pytest.mark.parametrize("bad", [0.0, -1e-6, np.nan])
def test_a_delta_that_is_not_positive_is_refused(table, bad):
    with pytest.raises(ValueError, match="delta must be a positive, finite number"):
        problems.mean_deviation(table, delta=bad)
