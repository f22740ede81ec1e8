"""Problems as arguments of compiled functions, and the dtypes of points and data."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn

DIM = 3


class Counter:
    """A level function that counts how often Python runs it."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x, r):
        self.calls += 1
        return (r @ x - 1) ** 2


def data_of(seed, rows=5, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(rows, DIM)).astype(dtype)


def problem_of(data, fn=None):
    fn = fn or (lambda x, r: (r @ x - 1) ** 2)
    return wn.Problem([wn.Level(fn, data=data)], wn.sets.Simplex(DIM))


X = np.array([0.2, 0.3, 0.5])


# ---- data are arguments ----------------------------------------------------------------------


def test_a_problem_is_an_argument_of_compiled_functions():
    data = data_of(0)
    value = jax.jit(lambda p, x: p.value(x))(problem_of(data), X)
    np.testing.assert_allclose(value, np.mean((data @ X - 1) ** 2))


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "inside-jit"])
@pytest.mark.parametrize("what", ["value", "gradient"])
def test_other_data_of_the_same_shape_do_not_trace_the_level_again(what, compiled):
    def ask(problem, x):
        return getattr(problem, what)(x)

    fn, ask = Counter(), jax.jit(ask) if compiled else ask
    first, second = problem_of(data_of(0), fn), problem_of(data_of(1), fn)
    one = ask(first, X)
    traced = fn.calls
    two = ask(second, X)
    assert fn.calls == traced
    assert not np.allclose(one, two)
    np.testing.assert_allclose(two, getattr(problem_of(data_of(1)), what)(X), rtol=1e-12)


def test_a_run_on_other_data_of_the_same_shape_does_not_trace_the_level_again():
    fn, solver = Counter(), wn.method("PMVR-v1", batch=2)
    run = lambda seed: wn.solve(problem_of(data_of(seed), fn), solver, steps=5, progress=False)
    first = run(0)
    built = fn.calls
    problem_of(data_of(1), fn)
    checks = fn.calls - built  # what the checks of a new problem cost
    built = fn.calls
    second = run(1)
    assert fn.calls - built <= checks + 1  # and the check of the criterion, which compiles nothing
    assert not np.allclose(first.x, second.x)


def test_a_problem_may_be_built_inside_a_compiled_function():
    fn = lambda x, r: (r @ x - 1) ** 2
    value = jax.jit(lambda data: problem_of(data, fn).value(X))
    for seed in (0, 1):
        np.testing.assert_allclose(value(data_of(seed)), problem_of(data_of(seed)).value(X))


def test_a_number_bound_to_a_level_function_is_an_argument_too():
    calls = []

    def shifted(shift, x, r):
        calls.append(1)
        return (r @ x - shift) ** 2

    data = data_of(0)
    for shift in (0.5, 2.0):
        bound = jax.tree_util.Partial(shifted, jnp.asarray(shift))
        problem = problem_of(data, bound)
        before = len(calls)
        np.testing.assert_allclose(problem.value(X), np.mean((data @ X - shift) ** 2))
    assert len(calls) == before


# ---- dtypes ----------------------------------------------------------------------------------


def test_float32_data_stay_float32_although_64_bits_are_enabled():
    assert jnp.zeros(()).dtype == np.float64
    problem = problem_of(data_of(0, dtype=np.float32))
    x = problem.start()
    assert (problem.dtype, x.dtype, problem.value(x).dtype) == (np.float32,) * 3
    assert problem.gradient(x).dtype == np.float32
    assert problem.draw(0, 2)[0].dtype == np.float32
    for name in ("PMVR-v1", "PMFS-v2"):
        solution = wn.solve(problem, wn.method(name, batch=2), steps=4, progress=False)
        dtypes = {leaf.dtype for leaf in (solution.x, *solution.state.u, solution.state.v)}
        assert dtypes == {np.dtype(np.float32)}


def test_a_point_of_the_right_dtype_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        point = problem_of(data_of(0)).point(X)
        assert problem_of(data_of(0)).point(list(X)).dtype == np.float64
    np.testing.assert_array_equal(point, X)


@pytest.mark.parametrize(
    ("x0", "kind"),
    [([1, 0, 0], "int"), (np.array([0, 1, 0], np.int32), "int32"),
     (np.array([True, False, False]), "bool"), (np.array([0.5, 0.5, 0], np.float32), "float32")],
)  # fmt: skip
def test_a_point_of_another_dtype_is_promoted_with_a_warning_that_names_both(x0, kind):
    with pytest.warns(UserWarning, match=rf"x0 is {kind}.*float64") as caught:
        point = problem_of(data_of(0)).point(x0)
    assert point.dtype == np.float64
    np.testing.assert_array_equal(point, np.asarray(x0, float))
    assert caught[0].filename == __file__


def test_a_wider_point_widens_the_computation_with_a_warning():
    problem = problem_of(data_of(0, dtype=np.float32))
    with pytest.warns(UserWarning, match="x0 is float64.*problem is float32.*computing in float64"):
        assert problem.point(X).dtype == np.float64


def test_a_point_of_mixed_dtypes_is_promoted_to_one():
    level = wn.Level(lambda x: jnp.sum(x["a"]) + jnp.sum(x["b"] ** 2))
    problem = wn.Problem(
        [level], wn.sets.Product({"a": wn.sets.Simplex(2), "b": wn.sets.L2Ball(2)})
    )
    with pytest.warns(UserWarning, match="x0 is float64 and int.*float64"):
        point = problem.point({"a": np.array([1, 0]), "b": np.array([0.1, 0.2])})
    assert {leaf.dtype for leaf in jax.tree.leaves(point)} == {np.dtype(np.float64)}


def test_integer_data_are_promoted_with_a_warning_that_names_the_level():
    whole = np.arange(15).reshape(5, DIM)
    first = wn.Level(lambda x: x)
    second = wn.Level(lambda x, r: (r @ x) ** 2, data=whole)
    with pytest.warns(UserWarning, match=r"level 2 are int.*promoted to float64"):
        problem = wn.Problem([first, second], wn.sets.Simplex(DIM))
    np.testing.assert_allclose(problem.value(X), np.mean((whole @ X) ** 2))
    assert problem.levels[1].data.dtype == np.float64


def test_data_of_mixed_dtypes_are_computed_in_the_widest_with_a_warning_that_names_levels():
    one, two = data_of(0, dtype=np.float32), data_of(1)
    levels = [wn.Level(lambda x, r: x * r, data=one), wn.Level(lambda y, r: (r @ y) ** 2, data=two)]
    with pytest.warns(
        UserWarning, match="float32 in level 1, float64 in level 2.*computing in float64"
    ):
        problem = wn.Problem(levels, wn.sets.Simplex(DIM))
    assert problem.start().dtype == np.float64
    inner = X * one.mean(0, dtype=np.float64)
    np.testing.assert_allclose(problem.value(X), np.mean((two @ inner) ** 2), rtol=1e-6)


def test_integer_labels_that_serve_as_indices_stay_integers():
    rng = np.random.default_rng(0)
    data = (rng.normal(size=(6, 2)), np.array([0, 1, 2, 2, 1, 0]))
    level = wn.Level(lambda w, s: -jax.nn.log_softmax(w.reshape(3, 2) @ s[0])[s[1]], data=data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        problem = wn.Problem([level], wn.sets.L2Ball(6))
    assert jnp.issubdtype(problem.levels[0].data[1].dtype, jnp.integer)
    np.testing.assert_allclose(problem.value(np.full(6, 0.1)), np.log(3), rtol=1e-12)
    solution = wn.solve(problem, wn.method("PMVR-v1", batch=3), steps=3, progress=False)
    assert np.all(np.isfinite(solution.x))
