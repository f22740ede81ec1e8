"""The projection-free rivals for one level against their NumPy reference, in float64."""

import math
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_equations_rivals import STEPS, compare, exact, large, longest

import reference as ref
import reference_problems as rp
import reference_rivals as rr
import wolfnest as wn

jax.config.update("jax_enable_x64", True)


def dict_loss(rng, m, p):
    """{"a": R^p, "b": R^q} -> (w·a)²/2 + c·b + Σa Σb², a scalar."""

    def jacobian(y, xi):
        a, b = y[:p], y[p:]
        first = xi[0] * (xi[0] @ a) + np.sum(b**2)
        return np.concatenate([first, xi[1] + 2 * np.sum(a) * b])[:, None]

    def value(a, b, xi):
        return 0.5 * (xi[0] @ a) ** 2 + xi[1] @ b + a.sum() * (b**2).sum()

    return rp.Twin(
        fn=lambda y, xi: value(y["a"], y["b"], xi),
        value=lambda y, xi: value(y[:p], y[p:], xi),
        jacobian=jacobian,
        data=(rng.normal(size=(m, p)), rng.normal(size=(m, 2))),
    )


def waves(rng, d):
    """y -> Σ w sin(2y) + Σy²/2, a scalar without samples."""
    w = rng.uniform(0.5, 1.5, size=d)
    return rp.Twin(
        fn=lambda y: jnp.sum(w * jnp.sin(2 * y) + 0.5 * y**2),
        value=lambda y, _: np.sum(w * np.sin(2 * y) + 0.5 * y**2),
        jacobian=lambda y, _: (2 * w * np.cos(2 * y) + y)[:, None],
    )


@cache
def make_cases():
    """Problems of one level by name, each with the diameter of its set."""
    rng, d, shape = np.random.default_rng(5), 4, (4, 3)
    lower, upper = -rng.uniform(0.5, 1, size=d), rng.uniform(0.5, 1, size=d)
    blocks = {"a": wn.sets.L1Ball(3, 1.5), "b": wn.sets.Simplex(2)}
    block_point = {"a": np.array([0.3, -0.2, 0.4]), "b": np.array([0.6, 0.4])}
    return {
        "simplex": (rp.make_cases()["K1"], math.sqrt(2)),
        "ball": (
            rp.Case((rp.quadratic_loss(rng, 9, d),), wn.sets.L2Ball(d, 1.2), ref.l2_ball(1.2),
                    0.3 * upper), 2.4,
        ),
        "box": (
            rp.Case((rp.softplus_loss(rng, 8, d),), wn.sets.Box(lower, upper),
                    ref.box(lower, upper), 0.5 * upper), float(np.linalg.norm(upper - lower)),
        ),
        "blocks": (
            rp.Case((dict_loss(rng, 6, 3),), wn.sets.Product(blocks),
                    ref.product([ref.l1_ball(1.5), ref.simplex()], [3, 2]), block_point),
            math.sqrt(3**2 + 2),
        ),
        "matrix": (
            rp.Case((rp.single_index_loss(rng, 7, shape),), wn.sets.NuclearBall(shape, 1.5),
                    ref.nuclear_ball(shape, 1.5), 0.2 * rng.normal(size=shape) + np.eye(*shape) / 3,
                    rtol=1e-8), 3.0,
        ),
        "large-matrix": (rp.make_cases()["K1-matrix"], 3.0),
        "no-samples": (
            rp.Case((waves(rng, d),), wn.sets.L1Ball(d, 1.5), ref.l1_ball(1.5), 0.2 * upper), 3.0
        ),
    }  # fmt: skip


CASES = tuple(make_cases())
SAMPLED = tuple(name for name in CASES if name != "no-samples")


@pytest.mark.parametrize("name", ["blocks", "no-samples"])
def test_hand_gradients_match_differences(name):
    case, _ = make_cases()[name]
    (twin,), x, h = case.twins, rp.flat(case.x1), 1e-6
    xi = None if twin.data is None else rp.rows(twin.data, 1)
    value = twin.fn(case.x1) if xi is None else twin.fn(case.x1, xi)
    np.testing.assert_allclose(value, twin.value(x, xi), rtol=1e-13)
    slope = [(twin.value(x + e, xi) - twin.value(x - e, xi)) / (2 * h) for e in h * np.eye(len(x))]
    np.testing.assert_allclose(twin.jacobian(x, xi)[:, 0], slope, rtol=1e-7, atol=1e-7)


# Oracle steps: recursive and snapshot gradients.


@pytest.mark.parametrize("place", range(len(CASES)))
def test_one_sfw(place):
    case, _ = make_cases()[CASES[place]]
    regime = ("convex", "nonconvex")[place % 2]
    solver = wn.method("1-SFW", regime=regime)
    compare(case, solver, partial(rr.one_sfw, regime=regime, horizon=STEPS))


@pytest.mark.parametrize("given", [{"eta": 0.3}, {"rho": 0.4}, {"eta": 0.2, "rho": 0.6}])
def test_one_sfw_with_given_weights(given):
    case, _ = make_cases()["simplex"]
    solver = wn.method("1-SFW", regime="nonconvex", batch=2, **given)
    compare(case, solver, partial(rr.one_sfw, regime="nonconvex", horizon=STEPS, **given))


@pytest.mark.parametrize("place", range(len(SAMPLED)))
def test_spider_fw_with_epochs(place):
    case, _ = make_cases()[SAMPLED[place]]
    supply, size = ((exact, None), (large, 5))[place % 2]
    settings = {"eta": 0.3, "epoch": 3}
    solver = wn.method("SPIDER-FW", regime="nonconvex", **settings, batch=2, large_batch=size)
    step = partial(rr.spider_fw, **settings)
    compare(case, solver, step, start=rr.start_epoch, supply=supply)


@pytest.mark.parametrize(
    ("name", "supply", "size"), [("simplex", exact, None), ("blocks", large, 5)]
)
def test_spider_fw_with_stages(name, supply, size):
    case, _ = make_cases()[name]
    solver = wn.method("SPIDER-FW", regime="convex", large_batch=size)
    options = {"start": rr.start_epoch, "supply": supply, "stage": rr.renewed_stage}
    compare(case, solver, rr.spider_fw, steps=10, **options)


def test_spider_fw_follows_the_data_by_default():
    case, _ = make_cases()["box"]
    root = math.ceil(math.sqrt(longest(case)))
    solver = wn.method("SPIDER-FW", regime="nonconvex")
    step = partial(rr.spider_fw, eta=STEPS**-0.5, epoch=root)
    compare(case, solver, step, start=rr.start_epoch, supply=exact)


@pytest.mark.parametrize("name", SAMPLED)
def test_svfw(name):
    case, _ = make_cases()[name]
    solver = wn.method("SVFW", eta=0.3, epoch=3, batch=2)
    step = partial(rr.svfw, eta=0.3, epoch=3)
    compare(case, solver, step, start=rr.start_snapshot, supply=exact)


def test_svfw_follows_the_data_by_default():
    case, _ = make_cases()["ball"]
    m = longest(case)
    solver = wn.method("SVFW")
    step = partial(rr.svfw, eta=STEPS**-0.5, epoch=math.ceil(m ** (1 / 3)))
    compare(case, solver, step, start=rr.start_snapshot, supply=exact)


# Prox steps by an inner Frank-Wolfe.


@pytest.mark.parametrize("place", range(len(CASES)))
def test_sgd_icg(place):
    case, _ = make_cases()[CASES[place]]
    tol = (None, 0.05)[place % 2]
    solver = wn.method("SGD+ICG", smoothness=1.5, inner=6, batch=3, tol=tol)
    step = partial(rr.sgd_icg, smoothness=1.5, inner=6, tol=tol or 1 / (4 * STEPS))
    compare(case, solver, step)


@pytest.mark.parametrize("name", CASES)
def test_scgs(name):
    case, diameter = make_cases()[name]
    solver = wn.method("SCGS", smoothness=0.5, inner=6, batch=3, batch_growth=0.0)
    step = partial(rr.scgs, smoothness=0.5, inner=6, diameter=diameter)
    calls = compare(case, solver, step, start=rr.start_ahead, stage=rr.next_stage)
    assert len(set(calls)) > 1


def test_scgs_counts_on_while_its_batch_grows():
    case, diameter = make_cases()["simplex"]
    solver = wn.method("SCGS", smoothness=0.5, inner=6, batch=1, batch_growth=2.0, most_batch=6)
    assert [stage.batch for stage in solver.schedule.stages(STEPS, longest(case))] == [2, 4, 6]
    step = partial(rr.scgs, smoothness=0.5, inner=6, diameter=diameter)
    compare(case, solver, step, start=rr.start_ahead, stage=rr.next_stage)


@pytest.mark.parametrize("place", range(len(CASES)))
def test_ncgs(place):
    case, _ = make_cases()[CASES[place]]
    tol = (0.01, None)[place % 2]
    solver = wn.method("NCGS", smoothness=1.5, inner=5, batch=3, tol=tol)
    step = partial(rr.ncgs, smoothness=1.5, inner=5, tol=1 / STEPS if tol is None else tol)
    compare(case, solver, step, start=rr.start_ahead)


# The reference itself.


def on_full_batches(case, step, start, steps, stage=None):
    """The reference's last state when every batch is all of the data."""
    full = tuple(twin.data for twin in case.twins)
    state = start(case.levels, rp.flat(case.x1), (full, full))
    for k in range(1, steps + 1):
        if stage and k > 1 and k & (k - 1) == 0:
            state = stage(case.levels, state, (full, full))
        state, _ = step(case.levels, case.twin_domain, state, (full, full))
    return state


@pytest.mark.parametrize(
    ("step", "start"),
    [
        (partial(rr.one_sfw, regime="convex", horizon=300), rr.start),
        (rr.spider_fw, rr.start_epoch),
        (partial(rr.sgd_icg, smoothness=3.0, tol=1e-3, inner=100), rr.start),
        (partial(rr.scgs, smoothness=3.0, diameter=math.sqrt(2), inner=200), rr.start_ahead),
        (partial(rr.ncgs, smoothness=3.0, tol=1e-4, inner=200), rr.start_ahead),
    ],
)
def test_reference_finds_the_minimum_of_a_convex_problem(step, start):
    case, _ = make_cases()["simplex"]
    best = rp.flat(case.x1)
    for _ in range(3000):
        best = case.twin_domain.project(best - 0.1 * rr.exact(case.levels, best)[1])
    value = lambda x: rr.exact(case.levels, x)[0][0][0]
    stage = rr.renewed_stage if step is rr.spider_fw else None
    state = on_full_batches(case, step, start, 300, stage)
    left = (value(state.x) - value(best)) / (value(rp.flat(case.x1)) - value(best))
    assert -1e-12 <= left < 0.05
