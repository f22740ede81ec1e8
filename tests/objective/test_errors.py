"""Mistakes in levels, data, points and settings: a ValueError that names what was got and what was
expected, before anything of the problem is compiled."""

import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn
from refusals import DATA, DIM, compiled, finite, problem, refused, same, solver

__all__ = ["compiled", "refused"]  # fixtures


def test_the_watch_over_compilations_sees_a_run(compiled):
    wn.solve(problem(), solver(), steps=2, progress=False)
    assert {"jit(begin)", "jit(advance)", "jit(_measured)"} <= compiled
    problem().value(np.ones(DIM) / DIM)
    wn.metrics.frank_wolfe_gap(problem(), np.ones(DIM) / DIM)
    assert {"jit(_exact_value)", "jit(_evaluate)"} <= compiled


# ---- levels ----------------------------------------------------------------------------------

hole = np.where(DATA == 7, np.nan, DATA)  # in sample 2

BAD_LEVELS = {
    "output-does-not-fit-the-next-level": (
        lambda: [same(), finite(data=np.ones((4, 2)))],
        (r"level 2", r"level 1", r"float64\[3\]", r"float64\[2\]"),
    ),
    "first-level-does-not-fit-the-set": (
        lambda: [finite(data=np.ones((4, 5)))],
        (r"level 1", r"set", r"float64\[3\]", r"float64\[5\]"),
    ),
    "wrong-number-of-arguments": (lambda: [same(), wn.Level(lambda: 1.0)], (r"level 2",)),
    "lengths-disagree": (
        lambda: [same(), finite(lambda x, r: x @ r[0], (DATA, np.ones(5)))],
        (r"level 2", r"leading", r"\b4\b", r"\b5\b"),
    ),
    "scalar-in-data": (
        lambda: [finite(lambda x, r: x @ r["a"], {"a": DATA, "b": 2.0})],
        (r"level 1", r"leading", r"'b'"),
    ),
    "empty-data": (lambda: [same(), finite(data=DATA[:0])], (r"level 2", r"at least one")),
    "no-arrays": (lambda: [finite(data={})], (r"level 1", r"at least one")),
    "nan-in-data": (
        lambda: [same(), finite(lambda x, r: x @ r["q"], {"q": hole})],
        (r"level 2", r"'q'", r"NaN", r"sample 2", r"finite"),
    ),
    "infinite-data": (
        lambda: [finite(data=np.where(DATA == 7, -np.inf, DATA))],
        (r"level 1", r"infinite", r"sample 2"),
    ),
    "last-level-is-not-scalar": (
        lambda: [finite(), same(), wn.Level(lambda x: jnp.ones(2) * x)],
        (r"level 3", r"last", r"scalar", r"float64\[2\]"),
    ),
    "last-level-is-a-pair": (
        lambda: [finite(lambda x, r: (r @ x, x))],
        (r"level 1", r"last", r"scalar", r"float64\[3\]"),
    ),
    "level-returns-integers": (
        lambda: [same(), wn.Level(lambda x: jnp.argmax(x))],
        (r"level 2", r"floating", r"int64\[\]"),
    ),
    "level-returns-nothing": (lambda: [wn.Level(lambda x: None)], (r"level 1", r"at least one")),
    "sampler-without-leading-axis": (
        lambda: [same(), wn.Level(lambda x, r: x @ r, sample=lambda k, n: jnp.ones((n + 1, DIM)))],
        (r"level 2", r"leading axis of length n", r"n = 3", r"float64\[4,3\]"),
    ),
    "sampler-of-another-signature": (
        lambda: [wn.Level(lambda x, r: x @ r, sample=lambda k: jnp.ones(DIM))],
        (r"level 1", r"sample\(key, n\)"),
    ),
    "sampler-returns-nothing": (
        lambda: [wn.Level(lambda x, r: x @ r, sample=lambda k, n: None)],
        (r"level 1", r"sample\(key, n\)", r"None"),
    ),
    "no-levels": (list, (r"at least one Level",)),
    "a-function-instead-of-a-level": (lambda: [same(), lambda x: x], (r"level 2", r"wn.Level")),
    "both-data-and-sampler": (
        lambda: [wn.Level(lambda x, r: x @ r, data=DATA, sample=lambda k, n: DATA)],
        (r"data", r"sample", r"got both"),
    ),
    "no-function": (lambda: [wn.Level(3)], (r"function", r"got 3")),
    "data-that-are-no-numbers": (
        lambda: [finite(data=np.array(["a", "b"]))],
        (r"data", r"numbers|numeric", r"U1|str"),
    ),
    "a-level-instead-of-a-list": (finite, (r"levels", r"Level")),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_LEVELS)
def test_levels_that_do_not_fit_are_refused(case, refused):
    levels, parts = BAD_LEVELS[case]
    refused(lambda: wn.Problem(levels(), wn.sets.Simplex(DIM)), *parts)


@pytest.mark.parametrize("domain", ["simplex", wn.sets.Simplex, None])
def test_a_set_that_is_none_is_refused(domain, refused):
    refused(lambda: wn.Problem([finite()], domain), r"domain must be a set", r"got", r"FromOracle")


def test_a_strong_convexity_that_is_not_positive_is_refused(refused):
    call = lambda: wn.Problem([finite()], wn.sets.Simplex(DIM), strong_convexity=-1.0)
    refused(call, r"strong_convexity must be a positive", r"got -1")


# ---- points ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x0", "parts"),
    [
        (np.full(DIM, 0.5), (r"x0 must lie in the set Simplex", r"project")),
        (np.array([1.5, -0.5, 0.0]), (r"x0 must lie in the set Simplex",)),
        (np.array([np.nan, 0.5, 0.5]), (r"x0 must",)),
        (np.full(2, 0.5), (r"x0 must have the shapes", r"float64\[3\]", r"got float64\[2\]")),
        (np.full((DIM, 1), 1 / 3), (r"float64\[3\]", r"got float64\[3,1\]")),
        (1.0, (r"float64\[3\]", r"got float64\[\]")),
        ({"a": np.full(DIM, 1 / 3)}, (r"x0 must", r"float64\[3\]", r"'a'")),
        ("middle", (r"x0 must", r"middle|str|U6")),
    ],
    ids=["sum", "negative", "nan", "short", "column", "scalar", "dict", "text"],
)
def test_a_starting_point_outside_the_set_or_of_another_shape_is_refused(x0, parts, refused):
    refused(lambda: problem().point(x0), *parts)
    refused(lambda: wn.solve(problem(), solver(), x0, steps=2), *parts)


def test_a_starting_point_of_another_structure_is_refused(refused):
    domain = wn.sets.Product({"a": wn.sets.Simplex(2), "b": wn.sets.L2Ball(2)})
    pair = wn.Problem([wn.Level(lambda x: jnp.sum(x["a"]) + jnp.sum(x["b"]))], domain)
    refused(lambda: pair.point({"a": np.ones(2) / 2}), r"x0 must have", r"'b'", r"got")
    refused(lambda: pair.point(np.ones(4)), r"x0 must have", r"'b'", r"got float64\[4\]")


@pytest.mark.parametrize("ask", ["value", "gradient", "gap"])
def test_asking_for_values_at_a_point_of_another_shape_is_refused(ask):
    gap = lambda p, x: wn.metrics.frank_wolfe_gap(p, x)
    call = {"value": wn.Problem.value, "gradient": wn.Problem.gradient, "gap": gap}[ask]
    with pytest.raises(ValueError, match=r"float64\[3\].*float64\[4\]"):
        call(problem(), np.ones(4))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("ask", ["value", "gradient", "gap"])
def test_values_at_a_point_of_integers_are_those_at_the_same_floats(ask):
    gap = lambda p, x: wn.metrics.frank_wolfe_gap(p, x)
    call = {"value": wn.Problem.value, "gradient": wn.Problem.gradient, "gap": gap}[ask]
    whole, floats = (call(problem(), np.array([1, 0, 0], kind)) for kind in (int, float))
    np.testing.assert_allclose(whole, floats)


# ---- projections -----------------------------------------------------------------------------


def without_projection():
    corner = wn.sets.FromOracle(lambda d: -jnp.sign(d), start=jnp.zeros(DIM))
    return wn.Problem([finite()], corner)


def test_a_criterion_that_needs_a_projection_is_refused_without_one(refused):
    call = lambda: wn.solve(without_projection(), solver(), steps=2, criterion="gradient_mapping")
    refused(call, r"project", r"FromOracle\(.*project=")
    call = lambda: wn.metrics.gradient_mapping(without_projection(), np.zeros(DIM))
    refused(call, r"project", r"FromOracle\(.*project=")


def test_a_direction_that_needs_a_projection_is_refused_without_one(refused):
    projected = wn.Solver(
        wn.estimators.Storm(), wn.Projected(1.0), wn.schedules.Constant(0.1, 0.1, 2)
    )
    call = lambda: wn.solve(without_projection(), projected, steps=2, progress=False)
    refused(call, r"project", r"FromOracle\(.*project=")


@pytest.mark.parametrize(
    "fn",
    [lambda x, a: np.sum(np.asarray(x)), lambda x, a: x[0] if x[0] > 0 else x[1]],
    ids=["numpy", "if"],
)
def test_a_level_that_leaves_jax_is_told_how_to_stay(fn):
    with pytest.raises(ValueError, match=r"level 1 .*use jax\.numpy, not numpy, and jnp\.where"):
        wn.Problem([wn.Level(fn, data=np.ones(3))], wn.sets.Simplex(2))
