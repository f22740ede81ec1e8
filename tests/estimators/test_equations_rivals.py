"""The rivals for any number of levels against their NumPy reference, in float64."""

import itertools
import math
from functools import partial

import jax
import numpy as np
import pytest
from test_equations import agree, close, compiled

import reference_problems as rp
import reference_rivals as rr
import wolfnest as wn
from reference_problems import flat
from thinning import thinned

jax.config.update("jax_enable_x64", True)

STEPS = 10
PROBLEMS = tuple(name for name in rp.NAMES if name != "K1-matrix")  # 8; one matrix is enough
KINDS = list(itertools.product(("paired", "all"), ("shared", "separate")))


# What both sides get: the library's batch, and the reference's pair of batches.


def shared(case, rng, n, first=False):
    batch = case.draw(rng, n)
    return batch, (batch, batch)


def separate(case, rng, n, first=False):
    pair = case.draw(rng, n), case.draw(rng, n)
    return pair, pair


def exact(case, rng, n, first=False):
    """Epochs that start with all data."""
    batch = case.draw(rng, n)
    return None if first else batch, (batch, tuple(twin.data for twin in case.twins))


def large(case, rng, n, first=False, size=5):
    """Epochs that start with `size` samples, drawn from a key that comes with the batch."""
    batch, key = case.draw(rng, n), jax.random.key(int(rng.integers(2**31)))
    drawn = case.problem.composition.draw(key, size)
    return (batch, key), (batch, jax.tree.map(np.asarray, drawn))


def longest(case):
    """m: the largest number of samples of a level; None without data."""
    return max((len(twin.data[0]) for twin in case.twins if twin.data is not None), default=None)


def same(state, expected, rtol):
    """x, u, v, t, k, and the points beside x where the method has them."""
    agree(state, expected, rtol)
    assert int(state.k) == expected.k
    if expected.centre is not None:
        close(state.ahead.centre, expected.centre, rtol, f"centre at k = {expected.k}")
        close(state.ahead.point, expected.point, rtol, f"z at k = {expected.k}")


def compare(case, solver, rival, *, start=rr.start, supply=shared, steps=STEPS, stage=None, seed=0):
    """Run both sides through the solver's stages; returns the oracle calls of every step.

    `rival` and `start` are the reference's step and first state, `stage` its change of stage.
    """
    problem, levels, rng = case.problem, case.levels, np.random.default_rng(seed)
    step, calls = compiled(solver.step), []
    batch, pair = supply(case, rng, 4, first=True)
    state = compiled(solver.init)(problem, case.x1, batch)
    expected = start(levels, flat(case.x1), pair)
    same(state, expected, case.rtol)
    for number, now in enumerate(solver.schedule.stages(steps, longest(case))):
        if number > 0:
            batch, pair = supply(case, rng, now.batch, first=True)
            state = compiled(solver.begin_stage)(problem, state, now, batch)
            expected = stage(levels, expected, pair)
            same(state, expected, case.rtol)
        for i in range(now.steps):
            batch, pair = supply(case, rng, now.batch)
            state, info = step(problem, state, batch, now.at(i))
            expected, made = rival(levels, case.twin_domain, expected, pair)
            same(state, expected, case.rtol)
            assert int(info.lmo) == made
            calls.append(made)
    assert len(calls) == steps
    assert np.linalg.norm(expected.x - flat(case.x1)) > 0.01  # it did move
    return calls


def kind(number):
    """The options of a kind of batch gradient: library, reference, and the batches."""
    pairing, gradient_batch = KINDS[number % len(KINDS)]
    options = {"pairing": pairing, "gradient_batch": gradient_batch, "batch": 3}
    return options, {"pairing": pairing}, separate if gradient_batch == "separate" else shared


def both(name, number, **settings):
    """The solver, the reference's step and start, and the batches, for a kind of gradient."""
    options, pairing, supply = kind(number)
    step = {
        "A-TSCGD": rr.a_tscgd, "NLASG": rr.nlasg, "LiNASA+ICG": rr.linasa, "SCSC": rr.scsc,
    }[name]  # fmt: skip
    solver = wn.method(name, **settings, **options)
    if "regime" in settings:
        settings["strongly_convex"] = settings.pop("regime") == "strongly-convex"
    start = partial(rr.start, **pairing)
    return solver, partial(step, **settings, **pairing), {"start": start, "supply": supply}


# Tracked values, fresh gradients, linearised values.


SETTINGS = {
    "A-TSCGD": [
        {"lr": 0.4, "alpha": 1.0, "regime": "nonconvex"},
        {"lr": 0.3, "alpha": 0.7, "regime": "strongly-convex"},
    ],
    "NLASG": [{"tau": 0.3, "beta": 1.7}, {"tau": 0.6, "beta": 0.5}],
    "LiNASA+ICG": [
        {"tau": 0.3, "beta": 1.7},
        {"tau": 0.5, "beta": 0.7, "inner": 2, "inner_growth": 0.8},
    ],
    "SCSC": [{"lr": 0.2, "alpha": 0.3}, {"lr": 0.1, "alpha": 0.8}],
}


def runs():
    """Every method on every problem, with settings and kinds of gradient in turn."""
    for shift, name in enumerate(SETTINGS):
        for place, problem in enumerate(PROBLEMS):
            yield name, problem, place // 4, shift + place


@pytest.mark.parametrize(("name", "problem", "which", "number"), thinned(runs()))
def test_every_problem(name, problem, which, number):
    solver, step, more = both(name, number, **SETTINGS[name][which])
    compare(rp.make_cases()[problem], solver, step, **more)


def test_weights_of_a_tscgd_are_capped_at_one():
    case = rp.make_cases()["K3-dict-last-without-samples"]
    compare(case, *both("A-TSCGD", 0, lr=1.5, alpha=2.0, regime="nonconvex")[:2])


def test_inner_steps_of_linasa_are_rounded_up_and_not_beyond():
    case = rp.make_cases()["K1"]
    solver, step, more = both("LiNASA+ICG", 0, tau=0.05, beta=1.0)
    calls = compare(case, solver, step, steps=40, **more)
    assert calls == [math.isqrt(k - 1) + 1 for k in range(1, 41)]


# Tracked Jacobians.


def smvr_runs():
    """Each problem free or clipped, and one problem in every way."""
    yield from itertools.product(["K2-pair"], [None, 0.9, 100.0], ["shared", "separate"])
    for place, name in enumerate(name for name in PROBLEMS if name != "K2-pair"):
        yield name, (0.9, None)[place % 2], ("shared", "separate")[place // 2 % 2]


@pytest.mark.parametrize(("name", "clip", "gradient_batch"), thinned(smvr_runs()))
def test_smvr(name, clip, gradient_batch):
    case = rp.make_cases()[name]
    settings = {"lr": 0.2, "alpha": 0.3, "clip": clip}
    solver = wn.method("SMVR", **settings, batch=3, gradient_batch=gradient_batch)
    supply = separate if gradient_batch == "separate" else shared
    start = partial(rr.start_jacobians, clip=clip)
    compare(case, solver, partial(rr.smvr, **settings), start=start, supply=supply)


def nested_spider_runs():
    """Each problem with one kind of epoch start, two with both."""
    for place, name in enumerate(PROBLEMS):
        yield name, (exact, large)[place % 2]
    yield from (("K2-pair", exact), ("K3-dict-last-without-samples", exact))


@pytest.mark.parametrize(("name", "supply"), thinned(nested_spider_runs()))
def test_nested_spider(name, supply):
    case = rp.make_cases()[name]
    eps = 0.02 if name == "K2-product" else 0.2  # both sides of the minimum in γ occur
    settings = {"lr": 0.3, "eps": eps, "epoch": 3}
    size = 5 if supply is large else None
    solver = wn.method("Nested-SPIDER", **settings, batch=2, large_batch=size)
    step = partial(rr.nested_spider, **settings)
    compare(case, solver, step, start=rr.start_epoch, supply=supply)


def test_nested_spider_follows_the_longest_data_by_default():
    case = rp.make_cases()["K4"]
    root = math.ceil(math.sqrt(longest(case)))
    solver = wn.method("Nested-SPIDER", lr=0.3, eps=10.0)
    assert root == 3  # for the longest data; the first level has 4 samples
    assert [s.batch for s in solver.schedule.stages(11, longest(case))] == [root]
    step = partial(rr.nested_spider, lr=0.3, eps=10.0, epoch=root)
    compare(case, solver, step, start=rr.start_epoch, supply=exact, steps=3 * root + 2)


# The reference itself.


@pytest.mark.parametrize("name", rp.NAMES)
def test_reference_stays_exact_on_full_batches(name):
    case = rp.make_cases()[name]
    levels, full = case.levels, tuple(twin.data for twin in case.twins)
    for step, settings in (
        (rr.scsc, {"alpha": 0.3, "pairing": "all"}),
        (rr.smvr, {"alpha": 0.3}),
        (rr.nested_spider, {"eps": 1.0, "epoch": 100}),
    ):
        state = rr.start_jacobians(levels, flat(case.x1), (full, full))
        for _ in range(4):
            state, _ = step(levels, case.twin_domain, state, (full, full), lr=0.2, **settings)
        values, gradient = rr.exact(levels, state.x)
        np.testing.assert_allclose(np.concatenate(state.u), np.concatenate(values), 1e-11, 1e-13)
        np.testing.assert_allclose(state.v, gradient, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("step", ["nlasg", "linasa", "a_tscgd"])
def test_reference_values_settle_at_a_fixed_point(step):
    """With a direction that stays put the tracked values tend to the exact ones."""
    case = rp.make_cases()["K3-middle-without-samples"]
    levels, full = case.levels, tuple(twin.data for twin in case.twins)
    x = flat(case.x1)
    here = rr.ref.Domain(lambda d: x, lambda y: x)
    settings = {"lr": 1.0, "alpha": 1.0} if step == "a_tscgd" else {"tau": 0.5, "beta": 1.0}
    state = rr.start(levels, x, (case.draw(np.random.default_rng(0), 2),) * 2)
    for _ in range(100):
        state, _ = getattr(rr, step)(levels, here, state, (full, full), **settings, pairing="all")
    values, gradient = rr.exact(levels, x)
    np.testing.assert_allclose(np.concatenate(state.u), np.concatenate(values), rtol=1e-9)
    np.testing.assert_allclose(state.v, gradient, rtol=1e-9)
