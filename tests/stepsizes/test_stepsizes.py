"""Step-size rules against brute force, on rays of their own."""

import functools
import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn
from wolfnest.stepsizes import line_search
from wolfnest.stepsizes.ray import Ray

DIM = 3


def quartic(x, a):
    return jnp.sum((x - a) ** 2) + 0.3 * jnp.sum((x - a) ** 4)


def outer(y, b):
    return jnp.exp(0.2 * y) + b * y


@functools.cache
def nested():
    rng = np.random.default_rng(0)
    levels = [
        wn.Level(quartic, data=rng.normal(size=(7, DIM))),
        wn.Level(outer, data=rng.uniform(0.1, 1.0, size=5)),
    ]
    return wn.Problem(levels, wn.sets.L2Ball(DIM, 5.0), convex=True)


@eqx.filter_jit
def _length(rule, problem, x, along, most, eta):
    solver = wn.Solver(
        wn.estimators.Exact(), wn.LMO(), wn.schedules.Constant(1.0, 1.0, 1), step_size=rule
    )
    state = solver.init(problem, x)
    ray = Ray(along, most, jnp.vdot(state.v, along))
    return rule.length(problem.composition, state, wn.Stage(1, eta, 1.0, 1), ray)


def length(rule, x, along, most=1.0, eta=1.0):
    most, eta = jnp.asarray(most), jnp.asarray(eta)
    found = _length(rule, nested(), jnp.asarray(x), jnp.asarray(along), most, eta)
    return float(found.gamma), found.memory, int(found.passes)


X = np.array([1.5, -0.7, 0.9])
WAYS = {
    "to the middle": (np.array([-1.4, 0.8, -1.1]), 1.7),
    "to the end": (np.array([-0.1, 0.05, -0.02]), 0.8),
    "long": (np.array([-20.0, 9.0, -10.0]), 1.0),
    "uphill": (np.array([1.0, -1.0, 1.0]), 1.0),
}


def along_ray(way):
    values = jax.jit(jax.vmap(lambda g: nested().value(X + g * way)))
    return lambda gammas: np.asarray(values(jnp.asarray(gammas)))


def brute(way, most):
    """The minimiser by a grid, refined."""
    value, low, high = along_ray(way), 0.0, most
    for _ in range(12):
        grid = np.linspace(low, high, 41)
        best = int(np.argmin(value(grid)))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 40)]
    return grid[best]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rule", ["secant", "golden"])
def test_line_searches_find_the_minimiser(rule, way):
    along, most = WAYS[way]
    gamma, _, passes = length(wn.stepsizes.LineSearch(rule), X, along, most)
    # A grid of values is as coarse as the golden section; a secant ends at 1e-6 of the first slope.
    share = {"secant": 2e-5, "golden": 1e-6}[rule]
    assert gamma == pytest.approx(brute(along, most), abs=share * most)
    assert passes <= wn.stepsizes.LineSearch(rule).most_passes
    if way == "to the end":
        assert gamma == most  # exactly: a vertex is only dropped then
    if rule == "secant":
        assert passes <= 16


@pytest.mark.parametrize("way", WAYS)
def test_a_search_that_ends_sooner_ends_where_the_slope_is_as_flat_as_asked(way):
    along, most = WAYS[way]
    slope = jax.jit(lambda gamma: nested().gradient(X + gamma * along) @ along)
    gamma, _, passes = length(wn.stepsizes.LineSearch("secant", flat=0.1), X, along, most)
    assert passes <= length(wn.stepsizes.LineSearch("secant"), X, along, most)[2]
    if 0 < gamma < most:
        assert abs(slope(gamma)) <= 0.1 * abs(slope(0.0))
    else:
        assert gamma == (0 if slope(0.0) >= 0 else most)
        assert slope(gamma) <= 0.1 * abs(slope(0.0)) or gamma == 0
    with pytest.raises(ValueError, match=r"flat must be a positive, finite number, got 0"):
        wn.stepsizes.LineSearch("secant", flat=0)


@pytest.mark.parametrize("way", WAYS)
def test_the_adaptive_step_lies_under_its_model_and_doubling_was_needed(way):
    along, most = WAYS[way]
    gamma, memory, passes = length(wn.stepsizes.Adaptive(), X, along, most)
    smoothness, value = float(memory), along_ray(along)
    slope = float(nested().gradient(X) @ along)
    if slope >= 0:
        assert (gamma, smoothness, passes) == (0.0, 0.0, 0)
        return
    square = along @ along
    first = -slope / (most * square)
    assert passes == round(np.log2(smoothness / first)) + 1

    def below(guess):
        step = min(-slope / (guess * square), most)
        model = slope * step + guess * square * step**2 / 2
        return float(value([step])[0] - value([0.0])[0]) <= model

    assert below(smoothness)
    assert passes == 1 or not below(smoothness / 2)
    assert gamma == pytest.approx(min(-slope / (smoothness * square), most), rel=1e-12)


def test_the_next_adaptive_step_begins_a_little_lower():
    problem = nested()
    solver = wn.Solver(
        wn.estimators.Exact(),
        wn.LMO(),
        wn.schedules.Constant(1.0, 1.0, 1),
        step_size=wn.stepsizes.Adaptive(),
    )
    (stage,) = solver.schedule.stages(1)
    state, seen = solver.init(problem, X), []
    step = jax.jit(solver.step)
    for _ in range(12):
        state, info = step(problem, state, None, stage)
        seen.append((float(state.search), int(info.passes)))
    for (before, _), (after, passes) in itertools.pairwise(seen):
        assert after == pytest.approx(0.9 * before * 2.0 ** (passes - 1), rel=1e-12)
    assert min(passes for _, passes in seen) == 1


def test_short_steps_are_those_of_the_formula():
    slope = float(nested().gradient(X) @ WAYS["long"][0])
    square = WAYS["long"][0] @ WAYS["long"][0]
    gamma, memory, passes = length(wn.stepsizes.ShortStep(40.0), X, *WAYS["long"])
    assert gamma == pytest.approx(-slope / (40.0 * square), rel=1e-12)
    assert (memory, passes) == (None, 0)
    assert length(wn.stepsizes.ShortStep(1e-3), X, *WAYS["long"])[0] == 1.0
    assert length(wn.stepsizes.ShortStep(40.0), X, *WAYS["uphill"])[0] == 0.0
    assert length(wn.stepsizes.ShortStep(40.0), X, np.zeros(DIM))[0] == 0.0


@pytest.mark.parametrize("way", WAYS)
def test_monotone_steps_are_halved_until_the_objective_does_not_rise(way):
    along, most = WAYS[way]
    gamma, _, passes = length(wn.stepsizes.Monotone(), X, along, most, eta=0.9)
    value, first = along_ray(along), min(0.9, most)
    steps = [first / 2**j for j in range(40)]
    fitting = np.flatnonzero(value(steps) <= value([0.0])[0])
    if way == "uphill":
        assert (gamma, passes) == (0.0, 40)
    else:
        assert gamma == pytest.approx(steps[fitting[0]], rel=1e-12)
        assert passes == fitting[0] + 1


@pytest.mark.parametrize(
    "rule",
    [
        wn.stepsizes.Adaptive(),
        wn.stepsizes.LineSearch(),
        wn.stepsizes.Monotone(),
        wn.stepsizes.ShortStep(2.0),
    ],
)
def test_nan_is_not_hidden(rule):
    solver = wn.Solver(
        wn.estimators.Exact(), wn.LMO(), wn.schedules.Constant(0.5, 1.0, 1), step_size=rule
    )
    (stage,) = solver.schedule.stages(1)
    state = solver.init(nested(), np.array([np.nan, 0.0, 0.0]))
    assert np.isnan(jax.jit(solver.step)(nested(), state, None, stage)[0].x).any()


def test_the_secant_ends_on_slopes_that_bend():
    """A slope that is nearly flat on one side moves both ends of the bracket."""
    slope = lambda g: jnp.expm1(9 * (g - 0.3))
    gamma, passes = jax.jit(lambda: line_search.secant(slope, slope(jnp.zeros(())), jnp.ones(())))()
    assert float(gamma) == pytest.approx(0.3, abs=1e-6)
    assert int(passes) <= 15
