"""Levels and problems: kinds, exact values and gradients, blocks, freezing, data as arguments."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn
from wolfnest.objective import level as level_module
from wolfnest.objective.problem import as_key

DIM = 4


def returns(rows, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(rows, DIM)).astype(dtype)


def mean_level(data):
    return wn.Level(lambda x, r: (r @ x, x), data=data)


def square_level(data):
    return wn.Level(lambda y, r: {"mean": y[0], "square": (r @ y[1] - y[0]) ** 2}, data=data)


def root_level():
    return wn.Level(lambda z: -z["mean"] + jnp.sqrt(z["square"] + 0.1))


def deviation_problem(one, two):
    """Mean-deviation: outputs are a pair and a dict; two finite sums, one level without samples."""
    return wn.Problem([mean_level(one), square_level(two), root_level()], wn.sets.Simplex(DIM))


def deviation_in_numpy(one, two, x):
    """The same objective and its gradient by hand."""
    mean = one.mean(0) @ x
    error = two @ x - mean
    root = np.sqrt(np.mean(error**2) + 0.1)
    gradient = -one.mean(0) + np.mean(error[:, None] * (two - one.mean(0)), axis=0) / root
    return -mean + root, gradient


def endless_problem(scale=1.0):
    def draw(key, n):
        return scale * jax.random.normal(key, (n, DIM))

    levels = [
        wn.Level(lambda x, r: (r @ x, x), sample=draw),
        square_level(returns(5)),
        root_level(),
    ]
    return wn.Problem(levels, wn.sets.Simplex(DIM))


POINT = np.array([0.1, 0.2, 0.3, 0.4])


# ---- kinds -----------------------------------------------------------------------------------


def test_a_level_is_one_of_three_kinds():
    finite, endless = mean_level(returns(6)), endless_problem().levels[0]
    assert [(v.kind, v.size) for v in (finite, endless, root_level())] == [
        ("finite-sum", 6), ("endless", None), ("deterministic", None),
    ]  # fmt: skip
    assert finite.data.shape == (6, DIM)


def test_a_problem_says_what_it_is():
    text = repr(deviation_problem(returns(6), returns(9)))
    assert "3 levels: finite-sum(6) → finite-sum(9) → deterministic" in text
    assert "Simplex" in text
    assert "float64" in text


def test_a_batch_has_one_entry_per_level_and_none_for_a_level_without_samples():
    first, second, third = endless_problem().draw(0, 7)
    assert (first.shape, second.shape, third) == ((7, DIM), (7, DIM), None)
    rows = {tuple(row) for row in returns(5)}
    assert {tuple(row) for row in np.asarray(second)} <= rows


def test_data_may_be_a_pytree_and_its_leaves_are_drawn_together():
    data = {"a": np.arange(10.0), "b": (10 * np.arange(10.0),)}
    level = wn.Level(lambda x, s: s["a"] * jnp.sum(x) + s["b"][0], data=data)
    (batch,) = wn.Problem([level], wn.sets.Simplex(2)).draw(0, 50)
    np.testing.assert_array_equal(10 * batch["a"], batch["b"][0])


@pytest.mark.parametrize("key", [3, np.int64(3), jax.random.key(3), jax.random.PRNGKey(3)])
def test_keys_of_every_form_mean_the_same(key):
    expected = jax.random.key_data(jax.random.key(3))
    np.testing.assert_array_equal(jax.random.key_data(as_key(key)), expected)


# ---- exact values and gradients --------------------------------------------------------------


@pytest.fixture(params=[None, 3 * DIM * 8, 8], ids=["at-once", "blocks-of-3", "row-by-row"])
def _blocks(request, monkeypatch):
    """Blocks of three rows leave remainders of 2 and 1 in lengths 11 and 7."""
    if request.param is not None:
        monkeypatch.setattr(level_module, "BLOCK_BYTES", request.param)


@pytest.mark.usefixtures("_blocks")
@pytest.mark.parametrize("lengths", [(11, 7), (12, 3), (1, 4)])
def test_exact_value_and_gradient_are_those_of_the_dense_composition(lengths):
    one, two = returns(lengths[0]), returns(lengths[1], seed=1)
    problem = deviation_problem(one, two)
    value, gradient = deviation_in_numpy(one, two, POINT)
    np.testing.assert_allclose(problem.value(POINT), value, rtol=1e-12)
    np.testing.assert_allclose(problem.gradient(POINT), gradient, rtol=1e-12)
    both = problem.value_and_gradient(POINT)
    np.testing.assert_allclose(both[0], value, rtol=1e-12)
    np.testing.assert_allclose(both[1], gradient, rtol=1e-12)

    def dense(x):
        mean = jnp.mean(one @ x)
        return -mean + jnp.sqrt(jnp.mean((two @ x - mean) ** 2) + 0.1)

    np.testing.assert_allclose(problem.gradient(POINT), jax.grad(dense)(POINT), rtol=1e-12)


def test_long_data_are_passed_over_in_a_loop_and_short_data_at_once(monkeypatch):
    def program():
        problem = deviation_problem(returns(11), returns(7, seed=1))
        return str(jax.make_jaxpr(problem.value_and_gradient)(POINT))

    assert "while" not in program()
    assert "scan" not in program()
    monkeypatch.setattr(level_module, "BLOCK_BYTES", 3 * DIM * 8)
    assert "while" in program() or "scan" in program()


@pytest.mark.usefixtures("_blocks")
def test_points_and_gradients_may_be_pytrees():
    rng = np.random.default_rng(0)
    data = {"a": rng.normal(size=(11, 3)), "w": rng.normal(size=11)}
    level = wn.Level(lambda x, s: (s["a"] @ x["p"] - s["w"] * x["q"][0]) ** 2, data=data)
    domain = wn.sets.Product({"p": wn.sets.L2Ball(3), "q": wn.sets.Simplex(2)})
    x = {"p": np.array([0.1, -0.2, 0.3]), "q": np.array([0.3, 0.7])}
    error = data["a"] @ x["p"] - data["w"] * 0.3
    problem = wn.Problem([level], domain)
    gradient = problem.gradient(x)
    np.testing.assert_allclose(problem.value(x), np.mean(error**2))
    np.testing.assert_allclose(gradient["p"], np.mean(2 * error[:, None] * data["a"], axis=0))
    np.testing.assert_allclose(gradient["q"], [np.mean(-2 * error * data["w"]), 0], atol=1e-15)


def test_value_is_differentiable_and_agrees_with_gradient():
    problem = deviation_problem(returns(11), returns(7, seed=1))
    np.testing.assert_allclose(jax.grad(problem.value)(POINT), problem.gradient(POINT), rtol=1e-12)


@pytest.mark.parametrize("what", ["value", "gradient", "value_and_gradient"])
def test_endless_levels_have_no_exact_values_and_the_error_says_what_to_do(what):
    with pytest.raises(ValueError, match=r"level 1 .*freeze.*metrics"):
        getattr(endless_problem(), what)(POINT)


# ---- freezing --------------------------------------------------------------------------------


def test_freezing_replaces_endless_levels_by_samples_and_keeps_the_others():
    problem = endless_problem()
    frozen = problem.freeze(200, key=4)
    assert [(v.kind, v.size) for v in frozen.levels] == [
        ("finite-sum", 200), ("finite-sum", 5), ("deterministic", None),
    ]  # fmt: skip
    np.testing.assert_array_equal(frozen.levels[0].data, problem.draw(4, 200)[0])
    np.testing.assert_array_equal(frozen.levels[1].data, returns(5))
    value, gradient = deviation_in_numpy(np.asarray(frozen.levels[0].data), returns(5), POINT)
    np.testing.assert_allclose(frozen.value(POINT), value, rtol=1e-12)
    np.testing.assert_allclose(frozen.gradient(POINT), gradient, rtol=1e-12)


def test_freezing_is_repeatable_and_other_keys_give_other_samples():
    one, same, other = (endless_problem().freeze(20, key) for key in (1, 1, 2))
    np.testing.assert_array_equal(one.levels[0].data, same.levels[0].data)
    assert not np.any(np.asarray(one.levels[0].data) == np.asarray(other.levels[0].data))


def test_freezing_keeps_the_set_the_dtype_and_what_is_known():
    level = wn.Level(lambda x, r: (r @ x) ** 2, sample=lambda k, n: jax.random.normal(k, (n, DIM)))
    frozen = wn.Problem([level], wn.sets.Simplex(DIM, 2.0), strong_convexity=0.5).freeze(8)
    assert (frozen.convex, float(frozen.strong_convexity), frozen.dtype) == (True, 0.5, np.float64)
    assert float(frozen.domain.radius) == 2.0


# ---- pairing ---------------------------------------------------------------------------------


def batch_gradient(problem, pairing, n=6, key=0):
    composition = problem.composition
    inputs = (jnp.asarray(POINT), *composition.exact_values(jnp.asarray(POINT))[:-1])
    return composition.gradient(inputs, composition.draw(jax.random.key(key), n), pairing)


def one_sampled(place):
    """Three levels of which only number `place` has samples."""
    data = np.random.default_rng(2).normal(size=(9, DIM))
    plain = [lambda y: jnp.tanh(y), lambda y: y * y[0], lambda y: jnp.sum(y**3)]
    sampled = [
        lambda y, r: jnp.tanh(r * y),
        lambda y, r: y * (r @ y),
        lambda y, r: jnp.sum(r * y**3),
    ]
    levels = [
        wn.Level(sampled[i], data=data) if i == place else wn.Level(plain[i]) for i in range(3)
    ]
    return wn.Problem(levels, wn.sets.Simplex(DIM))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_pairings_agree_where_only_one_level_has_samples(place):
    problem = one_sampled(place)
    paired, every = (batch_gradient(problem, pairing) for pairing in ("paired", "all"))
    np.testing.assert_allclose(paired, every, rtol=1e-12)


def test_pairings_agree_on_one_sample_and_differ_on_many():
    problem = deviation_problem(returns(11), returns(7, seed=1))
    for n, same in ((1, True), (6, False)):
        paired, every = (batch_gradient(problem, pairing, n) for pairing in ("paired", "all"))
        assert np.allclose(paired, every, rtol=1e-12) == same


def test_pairings_agree_on_average():
    problem = deviation_problem(returns(11), returns(7, seed=1))
    exact = problem.gradient(POINT)
    for pairing in ("paired", "all"):
        draw = jax.vmap(lambda key, p=pairing: batch_gradient(problem, p, 4, key))
        many = np.asarray(jax.jit(draw)(jnp.arange(4000)))
        error = many.std(0) / np.sqrt(len(many))
        assert np.all(np.abs(many.mean(0) - exact) < 4.5 * error)
