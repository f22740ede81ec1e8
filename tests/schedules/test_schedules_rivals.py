"""The numbers of the rivals' schedules: step sizes, weights, batches, tolerances, stages."""

import math

import numpy as np
import pytest

import wolfnest as wn

T = 9
EACH = np.arange(1.0, T + 1)


def only(name, m=None, steps=T, **settings):
    """The single stage of a run."""
    (stage,) = wn.method(name, **settings).schedule.stages(steps, m)
    assert stage.steps == steps
    return stage


def numbers(stage, name):
    """One number per step, as the steps see it."""
    return np.array([float(getattr(stage.at(i), name)) for i in range(stage.steps)])


@pytest.mark.parametrize(
    ("name", "settings", "eta", "alpha"),
    [
        ("NLASG", {}, 1 / 3, 1 / 3),
        ("NLASG", {"tau": 0.2}, 0.2, 0.2),
        ("LiNASA+ICG", {}, 1 / 3, 1 / 3),
        ("LiNASA+ICG", {"tau": 0.2}, 0.2, 0.2),
        ("SCSC", {"alpha": 0.3}, 1.0, 0.3),
        ("SMVR", {"alpha": 0.3}, 1.0, 0.3),
        ("1-SFW", {}, 1 / (EACH + 1), 1 / (EACH + 2)),
        ("1-SFW", {"regime": "nonconvex"}, T ** (-2 / 3), (EACH + 1) ** (-2 / 3)),
        ("1-SFW", {"eta": 0.2}, 0.2, 1 / (EACH + 2)),
        ("1-SFW", {"regime": "nonconvex", "rho": 0.4}, T ** (-2 / 3), 0.4),
        ("SPIDER-FW", {"regime": "nonconvex"}, 1 / 3, None),
        ("SPIDER-FW", {"regime": "nonconvex", "eta": 0.2}, 0.2, None),
        ("SVFW", {}, 1 / 3, None),
        ("SVFW", {"eta": 0.2}, 0.2, None),
        ("SGD+ICG", {}, 1.0, 1.0),
    ],
)
def test_step_sizes_and_weights(name, settings, eta, alpha):
    stage = only(name, 100, **settings)
    np.testing.assert_allclose(numbers(stage, "eta"), np.broadcast_to(eta, T), rtol=1e-14)
    if alpha is not None:
        np.testing.assert_allclose(numbers(stage, "alpha"), np.broadcast_to(alpha, T), rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "settings", "sizes"),
    [
        ("Nested-SPIDER", {}, {9: 3, 10: 4, 16: 4, 17: 5, 10**6: 1000}),
        ("SPIDER-FW", {"regime": "nonconvex"}, {9: 3, 10: 4, 16: 4, 17: 5, 10**6: 1000}),
        ("SVFW", {}, {7: 4, 8: 4, 9: 5, 27: 9, 28: 10, 64: 16, 125: 25, 1000: 100, 10**6: 10_000}),
    ],
)
def test_batches_that_follow_the_data(name, settings, sizes):
    assert {m: only(name, m, **settings).batch for m in sizes} == sizes
    assert {m: only(name, m, batch=7, **settings).batch for m in sizes} == dict.fromkeys(sizes, 7)


@pytest.mark.parametrize("name", ["A-TSCGD", "NLASG", "LiNASA+ICG", "SCSC", "SMVR", "1-SFW"])
def test_batches_that_are_given(name):
    assert only(name, 100, batch=7).batch == 7
    assert only(name, 100).batch == (1 if name == "1-SFW" else 128)


@pytest.mark.parametrize(("name", "share"), [("SGD+ICG", 1 / 4), ("NCGS", 1.0)])
def test_tolerances_follow_the_number_of_steps(name, share):
    for steps in (T, 10 * T):
        stage = only(name, steps=steps, inner=17)
        np.testing.assert_allclose(numbers(stage, "tol"), share / steps, rtol=1e-14)
        assert stage.inner == 17


def test_convex_spider_fw_doubles_its_epochs():
    stages = wn.method("SPIDER-FW").schedule.stages(12, 1000)
    assert [(stage.steps, stage.batch) for stage in stages] == [(1, 1), (2, 2), (4, 4), (5, 8)]
    for stage, length in zip(stages, (1, 2, 4, 8), strict=True):
        wanted = [2 / (length + k) for k in range(1, stage.steps + 1)]
        np.testing.assert_allclose(numbers(stage, "eta"), wanted, rtol=1e-14)


@pytest.mark.parametrize("growth", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize(("m", "most", "cap"), [(200, None, 200), (200, 64, 64), (None, 500, 500)])
def test_batches_of_scgs_grow_with_k(batch, growth, m, most, cap):
    """Step i estimates for iteration k = i + 2: at least ((k+2)/3)^growth batches, less than two
    times as many, until the cap."""
    settings = {"batch": batch, "batch_growth": growth, "most_batch": most}
    stages = wn.method("SCGS", **settings).schedule.stages(30, m)
    sizes = [stage.batch for stage in stages for _ in range(stage.steps)]
    assert len(sizes) == 30
    assert len(stages) == len({stage.batch for stage in stages})
    for k, size in enumerate(sizes, start=2):
        wanted = batch * ((k + 2) / 3) ** growth
        assert size <= cap
        assert size == cap or wanted - 1e-9 <= size < 2 * wanted
        assert size == cap or math.log2(size / batch).is_integer()
        assert size < cap or 2 * wanted > cap
