"""What holds for every set; the table says which."""

from __future__ import annotations

from inspect import isabstract

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from all_sets import EVERY, TABLES
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from set_table import Case, flat

import wolfnest.sets as sets

jax.config.update("jax_enable_x64", True)

QUICK = settings(max_examples=15, deadline=None, derandomize=True)

TRACES = []


@jax.jit
def lmo(c, d):
    TRACES.append(c)
    return c.lmo(d)


@jax.jit
def project(c, x):
    TRACES.append(c)
    return c.project(x)


@jax.jit
def contains(c, x):
    TRACES.append(c)
    return c.contains(x)


def with_cases(cases: dict[str, Case]):
    return pytest.mark.parametrize("case", cases.values(), ids=cases.keys())


every_set = with_cases(EVERY)
every_projection = with_cases({name: case for name, case in EVERY.items() if case.projects})


def methods(case: Case) -> tuple:
    return (lmo, project, contains) if case.projects else (lmo, contains)


def entries(limit: float):
    """Numbers with many zeros and ties among them."""
    few = st.sampled_from([0.0, 1.0, -1.0, 0.5, limit, -limit])
    return few | st.floats(-limit, limit, allow_subnormal=False)


def vectors(data, case: Case, limit: float = 100.0) -> np.ndarray:
    return data.draw(arrays(np.float64, (case.size,), elements=entries(limit)))


def points(data, case: Case) -> list[np.ndarray]:
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    return [case.sample(rng) for _ in range(5)]


@every_set
@given(data=st.data())
@QUICK
def test_lmo_minimises(case, data):
    d = vectors(data, case)
    s = lmo(case.set, case.tree(d))
    assert contains(case.set, s)
    # Judged at scale one: the squares of tiny entries underflow in NumPy's norms.
    unit = d / (np.abs(d).max() or 1.0)
    slack = 1e-8 * case.extent * np.abs(unit).sum()
    value = flat(s) @ unit
    assert abs(value - case.support(unit)) <= slack
    for other in points(data, case):
        assert value <= other @ unit + slack


@every_projection
@given(data=st.data())
@QUICK
def test_project_is_the_nearest_point(case, data):
    x = vectors(data, case)
    p = project(case.set, case.tree(x))
    assert contains(case.set, p)
    np.testing.assert_allclose(flat(project(case.set, p)), flat(p), atol=1e-10 * case.extent)
    # <x - p, s - p> ≤ 0 for all s in the set, the worst of which the oracle finds.
    away = x - flat(p)
    slack = 1e-8 * case.extent * (np.linalg.norm(away) + case.extent)
    worst = flat(lmo(case.set, case.tree(-away)))
    for s in [worst, *points(data, case)]:
        assert away @ (s - flat(p)) <= slack


@every_set
@given(data=st.data())
@QUICK
def test_points_inside_are_left_alone(case, data):
    for s in points(data, case):
        assert contains(case.set, case.tree(s))
        if not case.projects:
            continue
        moved = flat(project(case.set, case.tree(s)))
        np.testing.assert_allclose(moved, s, atol=1e-12 * case.extent)


@every_set
@given(data=st.data())
@QUICK
def test_diameter_is_not_exceeded(case, data):
    found = [flat(lmo(case.set, case.tree(vectors(data, case)))) for _ in range(2)]
    assert np.linalg.norm(found[0] - found[1]) <= float(case.set.diameter) * (1 + 1e-12)


@every_set
def test_diameter_is_attained(case):
    a, b = (flat(lmo(case.set, case.tree(d))) for d in case.witness)
    distance, diameter = np.linalg.norm(a - b), float(case.set.diameter)
    if case.exact_diameter:
        assert distance == pytest.approx(diameter, rel=1e-12)
    else:
        assert 0 < distance <= diameter < 100 * distance


@every_set
def test_contains_is_strict_outside(case):
    centre, vertex = flat(case.set.start()), flat(lmo(case.set, case.tree(case.witness[0])))
    assert contains(case.set, case.tree(centre + (1 + 1e-7) * (vertex - centre)))
    if case.set.diameter > 0:
        assert not contains(case.set, case.tree(centre + 1.01 * (vertex - centre)))
    assert not contains(case.set, case.tree(np.full(case.size, np.nan)))


@every_set
@pytest.mark.parametrize("at", [0, -1])
def test_nan_gives_nan(case, at):
    d = np.ones(case.size)
    d[at] = np.nan
    s = lmo(case.set, case.tree(d))
    assert np.isnan(flat(s)[at])
    assert not contains(case.set, s)
    x = case.tree(d)
    assert not contains(case.set, x)
    if case.projects:
        assert np.isnan(flat(project(case.set, x))).any()


@every_set
@pytest.mark.parametrize("entry", [np.inf, -np.inf])
def test_infinite_direction_gives_a_feasible_point_or_nan(case, entry):
    for fill in (0.5, entry):
        d = np.full(case.size, fill)
        d[0] = entry
        s = lmo(case.set, case.tree(d))
        assert contains(case.set, s) or np.isnan(flat(s)).any()


@every_set
@pytest.mark.parametrize("fill", [0.0, 1.0, -1.0])
def test_constant_directions(case, fill):
    d = np.full(case.size, fill)
    s = lmo(case.set, case.tree(d))
    assert contains(case.set, s)
    assert flat(s) @ d == pytest.approx(case.support(d), abs=1e-9 * case.extent)


@every_set
@pytest.mark.parametrize(
    ("dtype", "scale", "rel"),
    [
        (np.float64, 1e300, 1e-9),
        (np.float64, 1e-300, 1e-9),
        (np.float32, 1e30, 1e-4),
        (np.float32, 1e-30, 1e-4),
    ],
)
def test_scale_of_the_direction_does_not_matter(case, dtype, scale, rel):
    d = np.random.default_rng(3).standard_normal(case.size)
    s = lmo(case.set, case.tree(d * scale, dtype))
    assert contains(case.set, s)
    assert flat(s) @ d == pytest.approx(
        case.support(d), rel=rel, abs=rel * case.extent * np.linalg.norm(d)
    )


@every_projection
def test_huge_points_are_projected_without_loss(case):
    x = 1e12 * np.random.default_rng(5).standard_normal(case.size)
    p = project(case.set, case.tree(x))
    assert contains(case.set, p)
    away = x - flat(p)
    assert flat(p) @ away == pytest.approx(-case.support(-away), rel=1e-9, abs=1e-3)


@every_set
def test_float32_stays_float32_when_float64_is_allowed(case):
    d = np.random.default_rng(1).standard_normal(case.size)
    for dtype in (np.float32, np.float64):

        def everything(c, x, dtype=dtype):
            projected = c.project(x) if case.projects else None
            return c.lmo(x), c.lmo_from(x, c.first_guess(dtype)), projected, c.start(dtype)

        for leaf in jax.tree.leaves(jax.eval_shape(everything, case.set, case.tree(d, dtype))):
            assert leaf.dtype == dtype
    assert all(leaf.dtype == np.float64 for leaf in jax.tree.leaves(case.set.start()))


@every_set
def test_start_is_feasible(case):
    for dtype in (None, np.float32, np.float64):
        assert contains(case.set, case.set.start(dtype))


@every_set
def test_guess_has_a_fixed_structure(case):
    """A guess can be carried through a scan."""
    for direction in (np.float32, np.float64):
        first = case.set.first_guess()
        d = case.tree(np.ones(case.size), direction)
        second = jax.eval_shape(lambda c, d, g: c.lmo_from(d, g)[1], case.set, d, first)
        assert jax.tree.structure(first) == jax.tree.structure(second)
        for a, b in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
            assert (a.shape, a.dtype) == (b.shape, b.dtype)


@every_set
def test_vmap(case):
    rows = np.random.default_rng(2).standard_normal((3, case.size))
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *[case.tree(row) for row in rows])
    tolerances = {lmo: 1e-5, project: 1e-12, contains: 0}
    for method in methods(case):
        atol = tolerances[method]
        together = jax.vmap(method, in_axes=(None, 0))(case.set, stacked)
        for i, row in enumerate(rows):
            one = jax.tree.map(lambda leaf, i=i: np.asarray(leaf)[i], together)
            alone = flat(method(case.set, case.tree(row)))
            np.testing.assert_allclose(flat(one), alone, atol=atol)


@with_cases({name: case for name, case in EVERY.items() if name != "own oracle"})
def test_a_new_size_is_not_a_new_program(case):
    x = case.tree(np.arange(1.0, case.size + 1))
    small, large = case.set, case.make(3.0)
    for method in methods(case):
        method(small, x)
        before = len(TRACES)
        method(large, x)
        assert len(TRACES) == before
    assert float(large.diameter) == pytest.approx(3 * float(small.diameter))
    np.testing.assert_allclose(flat(lmo(large, x)), 3 * flat(lmo(small, x)), atol=1e-6)


@every_set
def test_wrong_shapes_are_refused(case):
    wrong = jax.tree.map(lambda leaf: jnp.zeros((2, *leaf.shape)), case.set.start())
    methods = (case.set.lmo, case.set.contains, *([case.set.project] if case.projects else []))
    for method in methods:
        with pytest.raises(ValueError, match=r"must have shape \(.*\), got \(2.*\)"):
            method(wrong)


@with_cases({name: case for name, case in EVERY.items() if not case.projects})
def test_sets_without_a_projection_say_so(case):
    with pytest.raises(ValueError, match="project is not known for"):
        case.set.project(case.set.start())


def test_every_public_set_is_in_the_table():
    public = {name: getattr(sets, name) for name in sets.__all__}
    concrete = {
        name for name, kind in public.items() if isinstance(kind, type) and not isabstract(kind)
    }
    assert concrete == {type(case.set).__name__ for case in EVERY.values()}
    # Functions that make a set of another kind are entered under their own name.
    makers = {name.lower() for name, kind in public.items() if not isinstance(kind, type)}
    assert makers == {"cube"} <= set(EVERY)


def test_no_case_hides_another():
    assert len(EVERY) == sum(map(len, TABLES))
