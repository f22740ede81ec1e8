"""What is particular to one set: choices on ties, parameters that are refused, structure."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize

import wolfnest.sets as sets

jax.config.update("jax_enable_x64", True)

MODULES = [f"wolfnest.sets.{module.name}" for module in pkgutil.iter_modules(sets.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("name", [n for n in sets.__all__ if not n.endswith("Set")])
def test_every_set_has_an_example(name):
    assert ">>> " in getattr(sets, name).__doc__


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sets.Simplex(0), "dim must be a whole number of at least 1, got 0"),
        (lambda: sets.Simplex(2.5), "dim must be a whole number"),
        (lambda: sets.L1Ball(3, 0.0), "radius must be a positive, finite number, got 0.0"),
        (lambda: sets.L2Ball(3, np.nan), "radius must be a positive"),
        (lambda: sets.LInfBall(3, np.ones(3)), "radius must be a positive"),
        (lambda: sets.NuclearBall(3), r"shape must be a pair \(rows, columns\), got 3"),
        (lambda: sets.NuclearBall((3, 0)), r"shape\[1\] must be a whole number"),
        (lambda: sets.NuclearBall((3, 2), tol=-1.0), "tol must be a positive"),
        (lambda: sets.Spectrahedron(3, max_restarts=0), "max_restarts must be a whole number"),
        (
            lambda: sets.Box([[0.0, 1.0], [3.0, 2.0]], [[1.0, 1.0], [2.0, 1.0]]),
            r"lower = 3.0 > upper = 2.0 at index \(1, 0\)",
        ),
        (lambda: sets.Box([0.0, np.nan], 1.0), r"lower must be finite, got nan at index \(1,\)"),
        (lambda: sets.Box(0.0, np.inf), "upper must be finite, got inf"),
        (lambda: sets.Box(np.zeros(2), np.ones(3)), r"got shapes \(2,\) and \(3,\)"),
        (lambda: sets.Box(np.zeros(0), 1.0), "at least one entry"),
        (lambda: sets.Box("low", 1.0), "lower must be an array of numbers, got 'low'"),
        (lambda: sets.Product(()), "at least one set"),
        (lambda: sets.Product({"a": (sets.Simplex(2), 3)}), r"sets\['a'\]\[1\] must be a set"),
        (lambda: sets.Product((sets.Simplex(2), None)), r"sets\[1\] must be a set, got None"),
        (lambda: sets.FromOracle(3, jnp.zeros(2)), "lmo must be a function, got 3"),
        (lambda: sets.FromOracle(jnp.sign, ()), "start must hold at least one array"),
        (lambda: sets.FromOracle(jnp.sign, [np.nan]), "start must be finite"),
        (
            lambda: sets.FromOracle(jnp.sign, "zero"),
            "start must be an array of numbers, got 'zero'",
        ),
        (lambda: sets.FromOracle(jnp.sign, [1.0], diameter=-1), "diameter must be a finite"),
    ],
)
def test_bad_parameters_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_set_can_be_made_inside_a_transformation():
    def value(radius):
        parts = (sets.L1Ball(2, radius), sets.Box(-radius, radius * jnp.ones(2)))
        return sets.Product(parts).lmo((jnp.array([1.0, 2.0]), jnp.array([1.0, -1.0])))

    one, box = jax.jit(jax.vmap(value))(jnp.array([1.0, 3.0]))
    np.testing.assert_array_equal(one, [[0, -1], [0, -3]])
    np.testing.assert_array_equal(box, [[-1, 1], [-3, 3]])


def test_ties_give_the_first_vertex():
    np.testing.assert_array_equal(sets.Simplex(4).lmo(jnp.array([2.0, 1, 1, 1])), [0, 1, 0, 0])
    np.testing.assert_array_equal(sets.L1Ball(3).lmo(jnp.array([1.0, -2, 2])), [0, 1, 0])
    np.testing.assert_array_equal(sets.L1Ball(3).lmo(jnp.zeros(3)), [1, 0, 0])
    infinite = jnp.array([0.0, -jnp.inf, jnp.inf, -jnp.inf])
    np.testing.assert_array_equal(sets.Simplex(4).lmo(infinite), [0, 1, 0, 0])


def test_choices_at_zero():
    np.testing.assert_array_equal(sets.L2Ball(3).lmo(jnp.zeros(3)), np.zeros(3))
    np.testing.assert_array_equal(sets.LInfBall(2, 3.0).lmo(jnp.zeros(2)), [-3, -3])
    np.testing.assert_array_equal(sets.Box([1.0, 2.0], 5.0).lmo(jnp.zeros(2)), [1, 2])


def test_l2_norm_neither_overflows_nor_vanishes():
    ball = sets.L2Ball(2)
    for scale in (1e-300, 1e300):
        np.testing.assert_allclose(ball.lmo(scale * jnp.array([3.0, 4.0])), [-0.6, -0.8])
    np.testing.assert_allclose(ball.project(1e300 * jnp.array([3.0, 4.0])), [0.6, 0.8])
    assert not ball.contains(jnp.array([1e300, 1e300]))


def test_inside_points_are_returned_bit_by_bit():
    x = jnp.array([0.1, -0.2, 0.3])
    for ball in (sets.L1Ball(3), sets.L2Ball(3), sets.LInfBall(3), sets.Box(-1.0, np.ones(3))):
        np.testing.assert_array_equal(ball.project(x), x)
    matrix = jnp.array([[0.1, 0.2], [0.3, -0.1]])
    np.testing.assert_array_equal(sets.NuclearBall((2, 2)).project(matrix), matrix)


def test_simplex_projection_against_a_solver():
    rng = np.random.default_rng(0)
    for radius in (0.1, 1.0, 7.0):
        x = rng.standard_normal(6)
        answer = minimize(
            lambda p, x=x: np.sum((p - x) ** 2),
            np.full(6, radius / 6),
            jac=lambda p, x=x: 2 * (p - x),
            bounds=[(0, None)] * 6,
            constraints={"type": "eq", "fun": lambda p, r=radius: p.sum() - r},
            tol=1e-14,
        )
        found = sets.Simplex(6, radius).project(jnp.asarray(x))
        np.testing.assert_allclose(found, answer.x, atol=1e-6)


def test_simplex_projection_keeps_its_digits():
    """The differences decide, however large the entries."""
    x = jnp.array([2.0**24 + 0, 2.0**24 + 2, -(2.0**24)], jnp.float32)
    np.testing.assert_array_equal(sets.Simplex(3, 4.0).project(x), [1, 3, 0])


def test_box_of_one_point_contains_it_in_float32():
    box = sets.Box(0.1, np.array([0.1, 0.1]))
    assert box.contains(box.start(np.float32))
    assert not box.contains(jnp.array([0.1, 0.1001]))
    assert float(box.diameter) == 0


def test_box_may_be_a_scalar():
    box = sets.Box(-1.0, 2.0)
    assert float(box.lmo(jnp.array(-5.0))) == 2
    assert box.start().shape == ()
    with pytest.raises(ValueError, match=r"must have shape \(\), got \(1,\)"):
        box.lmo(jnp.zeros(1))


def test_integers_and_complex_numbers():
    assert sets.Simplex(2).lmo([3, 1]).dtype == jnp.float64
    with pytest.raises(ValueError, match="direction must be real, got dtype complex128"):
        sets.Simplex(2).lmo(jnp.array([1j, 0]))


def test_spectrahedron_contains_needs_symmetry():
    c = sets.Spectrahedron(2)
    assert c.contains(jnp.diag(jnp.array([0.25, 0.75])))
    assert not c.contains(jnp.array([[0.5, 0.1], [0.0, 0.5]]))
    assert not c.contains(jnp.diag(jnp.array([1.25, -0.25])))


PAIR = sets.Product({"w": sets.Simplex(2), "m": (sets.NuclearBall((2, 3)), sets.Box(0.0, 1.0))})


def test_product_nan_stays_in_its_block():
    d = PAIR.start()
    d["w"] = jnp.array([jnp.nan, 1.0])
    s = PAIR.lmo(d)
    assert np.isnan(s["w"]).all()
    assert np.isfinite(s["m"][0]).all()
    assert not PAIR.contains(s)


def test_product_structure_is_checked():
    with pytest.raises(ValueError, match="direction must have one block per set"):
        PAIR.lmo((jnp.zeros(2), jnp.zeros((2, 3)), jnp.zeros(())))
    with pytest.raises(ValueError, match="x must have one block per set"):
        PAIR.contains(jnp.zeros(2))
    with pytest.raises(ValueError, match="guess must be a tuple of 3"):
        PAIR.lmo_from(PAIR.start(), None)


def test_product_guess_is_carried_through_a_scan():
    keys = jax.random.split(jax.random.key(0), 5)

    @jax.jit
    def run(c, guess):
        def step(guess, key):
            d = jax.tree.map(lambda leaf: jax.random.normal(key, leaf.shape), c.start())
            s, guess = c.lmo_from(d, guess)
            return guess, c.contains(s)

        return jax.lax.scan(step, guess, keys)

    guess, inside = run(PAIR, PAIR.first_guess())
    assert inside.all()
    assert len(jax.tree.leaves(guess)) == 1


def test_product_of_products():
    c = sets.Product((PAIR, sets.L2Ball(2)))
    assert c.contains(c.lmo(c.start()))
    assert float(c.diameter) == pytest.approx((2 + 4 + 1 + 4) ** 0.5)


class Scaled(eqx.Module):
    size: jax.Array

    def __call__(self, d):
        return -self.size * jnp.sign(d)


def test_oracle_that_is_a_module_brings_its_arrays():
    traces = []

    @jax.jit
    def use(c, d):
        traces.append(1)
        return c.lmo(d)

    d = jnp.array([1.0, -1.0])
    for size in (1.0, 2.0):
        c = sets.FromOracle(Scaled(jnp.asarray(size)), jnp.zeros(2))
        np.testing.assert_array_equal(use(c, d), [-size, size])
    assert len(traces) == 1


def test_oracle_that_is_a_plain_function_passes_plain_jit():
    c = sets.FromOracle(lambda d: -np.sign(1.0) * jnp.sign(d), jnp.zeros(2))
    leaves = jax.tree.leaves(c)
    assert all(isinstance(leaf, jax.Array | np.ndarray) for leaf in leaves)
    np.testing.assert_array_equal(jax.jit(lambda c, d: c.lmo(d))(c, jnp.ones(2)), [-1, -1])


@pytest.mark.parametrize("wrong", [None, "abc", {"a": 1.0}])
def test_what_is_no_array_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match=r"direction must be an array of shape \(3,\), got"):
        sets.Simplex(3).lmo(wrong)


def test_oracle_says_what_is_missing():
    c = sets.FromOracle(jnp.sign, jnp.zeros(2))
    with pytest.raises(ValueError, match=r"project is not known.*FromOracle\(..., project="):
        c.project(jnp.zeros(2))
    with pytest.raises(ValueError, match=r"diameter is not known.*FromOracle\(..., diameter="):
        _ = c.diameter
    assert c.contains(1e9 * jnp.ones(2))
    assert not c.contains(jnp.array([0.0, jnp.inf]))


def test_oracle_results_are_checked():
    start = {"a": jnp.zeros(2), "b": jnp.zeros(())}
    d = {"a": jnp.ones(2, jnp.float32), "b": jnp.array(jnp.nan, jnp.float32)}
    good = sets.FromOracle(lambda d: {"a": jnp.zeros(2), "b": jnp.zeros(())}, start)
    s = good.lmo(d)
    assert np.isnan(s["a"]).all()
    assert np.isnan(s["b"])
    assert s["a"].dtype == jnp.float32
    with pytest.raises(ValueError, match="the result of lmo must have the structure of start"):
        sets.FromOracle(lambda d: d["a"], start).lmo(d)
    with pytest.raises(ValueError, match=r"the result of lmo must have shape \(2,\), got \(3,\)"):
        sets.FromOracle(lambda d: {"a": jnp.zeros(3), "b": d["b"]}, start).lmo(d)
