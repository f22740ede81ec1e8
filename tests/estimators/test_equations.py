"""The library against the NumPy reference of the paper's equations, in float64."""

import itertools

import jax
import numpy as np
import pytest

import reference as ref
import reference_problems as rp
import wolfnest as wn
from reference_problems import flat, rows
from thinning import thinned

jax.config.update("jax_enable_x64", True)

ESTIMATORS = {
    "momentum": wn.estimators.Momentum,
    "storm": wn.estimators.Storm,
    "snapshot": wn.estimators.Snapshot,
}
DIRECTIONS = ("lmo", "line-search", "agnostic", "early-stop", "projected")
PAIRINGS = ("paired", "all")
BATCHES = ("shared", "separate")
BETA, INNER = 1.7, 4


def both(estimator, direction="lmo", pairing="paired", gradient_batch="shared", period=3, tol=0.1):
    """The same method twice: a solver of the library and a description for the reference."""
    options = {"pairing": pairing, "gradient_batch": gradient_batch}
    if estimator == "snapshot":
        options["period"] = period
    library = {
        "lmo": lambda: wn.LMO(),
        "line-search": lambda: wn.InnerFrankWolfe(BETA, rule="line-search"),
        "agnostic": lambda: wn.InnerFrankWolfe(BETA, rule="agnostic"),
        "early-stop": lambda: wn.InnerFrankWolfe(BETA, rule="line-search", tol=tol),
        "projected": lambda: wn.Projected(BETA),
    }[direction]()
    schedule = wn.schedules.Constant(0.1, 0.3, 3, inner=INNER)
    solver = wn.Solver(ESTIMATORS[estimator](**options), library, schedule, 4)
    early = direction == "early-stop"
    method = ref.Method(
        estimator,
        direction="line-search" if early else direction,
        pairing=pairing,
        gradient_batch=gradient_batch,
        period=period if estimator == "snapshot" else None,
        beta=BETA,
        tol=tol if early else None,
    )
    return solver, method


def draw(case, method, rng, n):
    """A batch in the form the method wants: one, or a pair (values, gradient)."""
    if method.gradient_batch == "separate":
        return case.draw(rng, n), case.draw(rng, n)
    return case.draw(rng, n)


def close(actual, expected, rtol, what):
    """Relative distance of two vectors at most rtol."""
    actual = flat(actual)
    assert actual.dtype == np.float64
    assert actual.shape == expected.shape, what
    error = np.linalg.norm(actual - expected) / np.linalg.norm(expected)
    assert error <= rtol, f"{what}: relative error {error:.2e}"


def agree(state, expected, rtol=1e-10):
    """x, every u^i, v and t of both sides."""
    close(state.x, expected.x, rtol, f"x at t = {expected.t}")
    assert len(state.u) == len(expected.u)
    for i, (actual, wanted) in enumerate(zip(state.u, expected.u, strict=True), start=1):
        close(actual, wanted, rtol, f"u^{i} at t = {expected.t}")
    close(state.v, expected.v, rtol, f"v at t = {expected.t}")
    assert int(state.t) == expected.t


def compiled(fn):
    """Compiled with little effort: there are many small programs, and each runs a few times."""
    options = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
    return jax.jit(lambda *arguments: fn(*arguments), compiler_options=options)


def compare(case, solver, method, stages, seed=0, init=None):
    """Run both sides through the stages on the same batches; returns the oracle calls per step.

    `init` is the library's start, compiled unless given (many runs of one problem save time so).
    """
    problem, levels, rng = case.problem, case.levels, np.random.default_rng(seed)
    step = compiled(solver.step)
    first = None if method.estimator == "snapshot" else draw(case, method, rng, 4)
    state = (init or compiled(solver.init))(problem, case.x1, first)
    expected = ref.init(levels, method, flat(case.x1), first)
    agree(state, expected, case.rtol)
    calls = []
    for s, stage in enumerate(stages):
        if s > 0:
            batch = draw(case, method, rng, stage.restart) if stage.restart else None
            state = solver.begin_stage(problem, state, stage, batch)
            expected = ref.begin_stage(levels, method, expected, batch)
            agree(state, expected, case.rtol)
        for _ in range(stage.steps):
            batch = draw(case, method, rng, stage.batch)
            state, info = step(problem, state, batch, stage)
            expected, n = ref.step(
                levels, case.twin_domain, method, expected, batch,
                eta=stage.eta, alpha=stage.alpha, inner=stage.inner,
            )  # fmt: skip
            agree(state, expected, case.rtol)
            assert int(info.lmo) == n
            calls.append(n)
    assert np.linalg.norm(expected.x - flat(case.x1)) > 0.01  # it did move
    return calls


def one_stage(steps=11, eta=0.2, alpha=0.3):
    return [wn.Stage(steps, eta, alpha, 3, inner=INNER)]


# The reference itself.


@pytest.mark.parametrize("name", rp.NAMES)
def test_twins_agree_and_hand_jacobians_match_differences(name):
    case = rp.make_cases()[name]
    x, y = case.x1, flat(case.x1)
    for twin in case.twins:
        xi = None if twin.data is None else rows(twin.data, 1)
        x = twin.fn(x) if xi is None else twin.fn(x, xi)
        value = np.atleast_1d(twin.value(y, xi))
        np.testing.assert_allclose(flat(x), value, rtol=1e-13)
        h = 1e-6
        columns = [
            (np.atleast_1d(twin.value(y + e, xi)) - np.atleast_1d(twin.value(y - e, xi))) / (2 * h)
            for e in h * np.eye(len(y))
        ]
        np.testing.assert_allclose(twin.jacobian(y, xi), np.array(columns), rtol=1e-7, atol=1e-7)
        y = value


@pytest.mark.parametrize("name", rp.NAMES)
def test_reference_gradient_matches_differences(name):
    case = rp.make_cases()[name]
    levels, x, h = case.levels, flat(case.x1), 1e-6
    gradient = ref.exact_gradient(levels, [x, *ref.exact_values(levels, x)[:-1]])
    difference = [
        (ref.exact_values(levels, x + e)[-1] - ref.exact_values(levels, x - e)[-1])[0] / (2 * h)
        for e in h * np.eye(len(x))
    ]
    np.testing.assert_allclose(gradient, difference, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", rp.NAMES)
def test_reference_sets_satisfy_the_optimality_conditions(name):
    case, rng = rp.make_cases()[name], np.random.default_rng(1)
    domain = case.twin_domain
    for _ in range(20):
        y = 2 * rng.normal(size=flat(case.x1).shape)
        p = domain.project(y)
        np.testing.assert_allclose(domain.project(p), p, atol=1e-12)
        # p is nearest iff no point of the set makes an acute angle with y - p
        assert (y - p) @ (domain.lmo(p - y) - p) <= 1e-10
        s, d = domain.lmo(y), rng.normal(size=y.shape)
        assert y @ s <= y @ domain.project(d) + 1e-12
        assert np.allclose(domain.project(s), s)


@pytest.mark.parametrize("estimator", ["storm", "snapshot"])
def test_reference_stays_exact_on_full_batches(estimator):
    case = rp.make_cases()["K3-middle-without-samples"]
    levels, full = case.levels, tuple(twin.data for twin in case.twins)
    method = ref.Method(estimator, pairing="all", period=4)
    state = ref.init(levels, method, flat(case.x1), full)
    for _ in range(6):
        state, _ = ref.step(levels, case.twin_domain, method, state, full, eta=0.3, alpha=0.2)
        values = ref.exact_values(levels, state.x)
        np.testing.assert_allclose(np.concatenate(state.u), np.concatenate(values), rtol=1e-12)
        np.testing.assert_allclose(
            state.v, ref.exact_gradient(levels, [state.x, *values[:-1]]), rtol=1e-12
        )


# The equations.


@pytest.mark.parametrize(
    ("estimator", "direction", "pairing", "gradient_batch"),
    thinned(itertools.product(ESTIMATORS, DIRECTIONS, PAIRINGS, BATCHES), strength=2),
)
def test_every_combination(estimator, direction, pairing, gradient_batch):
    case = rp.make_cases()["K2-pair"]
    solver, method = both(estimator, direction, pairing, gradient_batch)
    calls = compare(case, solver, method, one_stage(), init=solver.init)
    assert (len(set(calls)) > 1) == (direction == "early-stop")


def other_problems():
    """The remaining problems, directions in turn; all four kinds of batch gradient for K = 3."""
    kinds = list(itertools.product(PAIRINGS, BATCHES))
    for k, name in enumerate(name for name in rp.NAMES if name != "K2-pair"):
        for i, (pairing, gradient_batch) in enumerate(kinds):
            if name == "K3-dict-last-without-samples" or i in (0, 3):
                for estimator in ESTIMATORS:
                    direction = DIRECTIONS[(k + i) % len(DIRECTIONS)]
                    yield name, estimator, direction, pairing, gradient_batch


@pytest.mark.parametrize(
    ("name", "estimator", "direction", "pairing", "gradient_batch"), thinned(other_problems())
)
def test_every_problem(name, estimator, direction, pairing, gradient_batch):
    case = rp.make_cases()[name]
    compare(case, *both(estimator, direction, pairing, gradient_batch), one_stage())


@pytest.mark.parametrize("gradient_batch", BATCHES)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_stages_are_warm(estimator, gradient_batch):
    # Default period ⌈m/B⌉ with m = 8: 3 at batch 3, then 4 at batch 2, counted afresh in every
    # stage. No stage ends on a snapshot, and steps follow a stage start before the next one.
    case = rp.make_cases()["K3-middle-without-samples"]
    solver, method = both(estimator, "line-search", "paired", gradient_batch, period=None)
    stages = [
        wn.Stage(4, 0.4, 0.5, 3, inner=2),
        wn.Stage(4, 0.2, 0.3, 2, inner=3),
        wn.Stage(4, 0.1, 0.1, 2, inner=3),
    ]
    calls = compare(case, solver, method, stages)
    assert calls == [2] * 4 + [3] * 8


@pytest.mark.parametrize("gradient_batch", BATCHES)
@pytest.mark.parametrize("estimator", ["momentum", "storm"])
def test_stages_restart_from_a_batch(estimator, gradient_batch):
    case = rp.make_cases()["K2-pair"]
    solver, method = both(estimator, "lmo", "paired", gradient_batch)
    stages = [wn.Stage(4, 0.3, 0.4, 3), wn.Stage(4, 0.2, 0.3, 3, restart=6)]
    compare(case, solver, method, stages)


def test_a_restart_changes_the_estimates_and_not_the_point():
    case, rng = rp.make_cases()["K2-pair"], np.random.default_rng(2)
    solver, method = both("storm")
    state = solver.init(case.problem, case.x1, draw(case, method, rng, 4))
    stage = wn.Stage(4, 0.3, 0.4, 3, restart=6)
    batch = draw(case, method, rng, 6)
    again = solver.begin_stage(case.problem, state, stage, batch)
    fresh = solver.init(case.problem, case.x1, batch)
    np.testing.assert_array_equal(flat(again.x), flat(state.x))
    np.testing.assert_allclose(flat(again.u), flat(fresh.u), rtol=1e-14)
    np.testing.assert_allclose(flat(again.v), flat(fresh.v), rtol=1e-14)
    assert np.linalg.norm(flat(again.v) - flat(state.v)) > 1e-3
