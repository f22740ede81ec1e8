"""Schedules: what a stage accepts, and how a number of steps becomes stages."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn

GOOD = {"steps": 3, "eta": 0.5, "alpha": 0.25, "batch": 8, "inner": 2}


def stage(**changes):
    return wn.Stage(**GOOD | changes)


def rows(stages):
    return [(s.steps, float(s.eta), float(s.alpha), s.batch) for s in stages]


# ---- a stage ---------------------------------------------------------------------------------


def test_a_stage_keeps_what_it_is_given():
    made = stage(restart=16)
    assert (made.steps, made.batch, made.inner, made.restart) == (3, 8, 2, 16)
    assert (float(made.eta), float(made.alpha)) == (0.5, 0.25)
    assert (stage().restart, wn.Stage(3, 0.5, 0.25, 8).inner) == (None, 1)


@pytest.mark.parametrize("name", ["eta", "alpha"])
@pytest.mark.parametrize("value", [0, 0.0, -0.1, 1.0000001, 2, np.nan, np.inf, "fast", None])
def test_eta_and_alpha_outside_their_range_are_refused_with_the_value(name, value):
    with pytest.raises(ValueError, match=rf"{name} must lie in \(0, 1\], got {value}"):
        stage(**{name: value})


@pytest.mark.parametrize("name", ["eta", "alpha"])
@pytest.mark.parametrize("value", [1, 1.0, 1e-300, np.float32(0.5), np.full(3, 0.5), [0.1, 0.2, 1]])
def test_eta_and_alpha_in_their_range_are_accepted(name, value):
    np.testing.assert_array_equal(getattr(stage(**{name: value}), name), np.asarray(value, float))


@pytest.mark.parametrize("name", ["eta", "alpha"])
def test_one_entry_per_step_is_needed_and_a_bad_one_is_named(name):
    with pytest.raises(ValueError, match=rf"{name} must be .*one per step \(3\), got .*\(2,\)"):
        stage(**{name: [0.1, 0.2]})
    with pytest.raises(ValueError, match=rf"{name} must be .*one per step \(3\), got .*\(3, 1\)"):
        stage(**{name: np.full((3, 1), 0.1)})
    with pytest.raises(ValueError, match=rf"{name} must lie in \(0, 1\], got 1.5 at step 2"):
        stage(**{name: [0.1, 1.5, 0.0]})


@pytest.mark.parametrize("name", ["steps", "batch", "inner", "restart"])
@pytest.mark.parametrize("value", [0, -1, 1.5, 2.0, True, "2", np.nan])
def test_sizes_that_are_not_whole_and_positive_are_refused_with_the_value(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a whole number of at least 1, got") as e:
        stage(**{name: value})
    assert repr(value) in str(e.value)


def test_sizes_may_be_numpy_integers():
    made = stage(steps=np.int32(3), batch=np.int64(8))
    assert (made.steps, made.batch) == (3, 8)
    assert isinstance(made.batch, int)


def test_a_stage_is_an_argument_of_compiled_functions_with_its_weights_as_leaves():
    calls = []

    @jax.jit
    def product(s):
        calls.append(1)
        return s.eta * s.alpha * s.batch

    assert float(product(stage())) == 1.0
    assert float(product(stage(eta=0.25))) == 0.5
    assert len(calls) == 1


def test_cutting_a_stage_keeps_its_first_steps():
    cut = stage(eta=[0.3, 0.2, 0.1], restart=4).cut(2)
    np.testing.assert_array_equal(cut.eta, [0.3, 0.2])
    assert (cut.steps, float(cut.alpha), cut.batch, cut.inner, cut.restart) == (2, 0.25, 8, 2, 4)


# ---- one stage -------------------------------------------------------------------------------


def test_constant_is_one_stage_of_all_steps():
    (only,) = wn.schedules.Constant(eta=0.01, alpha=0.1, batch=32, inner=5).stages(400)
    assert (*rows([only])[0], only.inner, only.restart) == (400, 0.01, 0.1, 32, 5, None)


@pytest.mark.parametrize(
    ("changes", "says"),
    [({"eta": 1.5}, "eta"), ({"alpha": 0}, "alpha"), ({"eta": [0.1, 0.1]}, "eta must be a number"),
     ({"batch": 0}, "batch"), ({"inner": 0}, "inner")],
)  # fmt: skip
def test_constant_refuses_bad_settings_when_it_is_made(changes, says):
    with pytest.raises(ValueError, match=says):
        wn.schedules.Constant(**{"eta": 0.1, "alpha": 0.1, "batch": 8} | changes)


@pytest.mark.parametrize("steps", [0, -3, 2.5, None])
@pytest.mark.parametrize(
    "schedule",
    [
        wn.schedules.Constant(0.1, 0.1, 8),
        wn.schedules.doubling(0.1, 0.1, 8),
        wn.schedules.halving(0.1, 0.1, 8, 4, stages=2),
    ],
)
def test_no_schedule_makes_stages_of_no_steps(schedule, steps):
    with pytest.raises(ValueError, match="steps must be a whole number of at least 1"):
        schedule.stages(steps)


def test_decaying_follows_its_powers_and_is_capped_at_one():
    schedule = wn.schedules.Decaying(
        eta=2.0, alpha=0.5, batch=4, eta_decay=1.0, alpha_decay=0.5, inner=3
    )
    (only,) = schedule.stages(5)
    np.testing.assert_allclose(only.eta, [1, 1, 2 / 3, 2 / 4, 2 / 5])
    np.testing.assert_allclose(only.alpha, [0.5 / t**0.5 for t in range(1, 6)])
    assert (only.steps, only.batch, only.inner) == (5, 4, 3)


def test_decaying_without_decay_is_constant():
    (only,) = wn.schedules.Decaying(0.2, 0.3, 4, eta_decay=0.0, alpha_decay=0.0).stages(3)
    np.testing.assert_array_equal(only.eta, np.full(3, 0.2))
    np.testing.assert_array_equal(only.alpha, np.full(3, 0.3))


@pytest.mark.parametrize(
    ("name", "value"), [("eta", 0), ("alpha", -1), ("eta_decay", -0.5), ("batch", 0)]
)
def test_decaying_refuses_bad_settings(name, value):
    with pytest.raises(ValueError, match=f"{name} must be .*got {value}"):
        wn.schedules.Decaying(**{"eta": 1.0, "alpha": 1.0, "batch": 4} | {name: value})


# ---- many stages -----------------------------------------------------------------------------


def test_doubling_goes_on_until_the_steps_are_spent_and_cuts_the_last_stage():
    schedule = wn.schedules.doubling(
        eta=0.8, alpha=0.4, batch=8, length=4, eta_decay=1, alpha_decay=2
    )
    assert rows(schedule.stages(50)) == [
        (4, 0.8, 0.4, 8), (8, 0.4, 0.1, 8), (16, 0.2, 0.025, 8), (22, 0.1, 0.00625, 8),
    ]  # fmt: skip


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 7, 8, 31, 32, 1000])
def test_stages_add_up_to_the_steps(steps):
    for growth in (1.0, 1.5, 2.0):
        stages = wn.schedules.doubling(0.5, 0.5, 1, length=3, growth=growth).stages(steps)
        assert sum(s.steps for s in stages) == steps


def test_whole_stages_are_not_cut():
    assert [s.steps for s in wn.schedules.doubling(0.5, 0.5, 1).stages(15)] == [1, 2, 4, 8]
    assert [s.steps for s in wn.schedules.doubling(0.5, 0.5, 1).stages(16)] == [1, 2, 4, 8, 1]


def test_batches_and_restarts_of_doubling_grow_with_the_length_and_round_up():
    stages = wn.schedules.doubling(
        0.5, 0.5, batch=2, batch_growth=0.5, restart=1, restart_growth=1 / 3, inner=7
    ).stages(15)
    assert [s.batch for s in stages] == [2, 3, 4, 6]  # 2, 2√2, 4, 4√2
    assert [s.restart for s in stages] == [1, 2, 2, 2]  # 1, 2^(1/3), 4^(1/3), 2
    assert {s.inner for s in stages} == {7}


def test_halving_has_a_fixed_number_of_stages_and_each_halves_the_error():
    schedule = wn.schedules.halving(
        eta=0.5, alpha=0.25, batch=3, length=2, stages=3,
        eta_power=1, alpha_power=2, batch_power=-1, length_power=-2,
    )  # fmt: skip
    whole = [(2, 0.5, 0.25, 3), (8, 0.25, 0.0625, 6), (32, 0.125, 0.015625, 12)]
    assert rows(schedule.stages(42)) == whole
    assert rows(schedule.stages(10_000)) == whole
    assert rows(schedule.stages(5)) == [whole[0], (3, *whole[1][1:])]


def test_stagewise_follows_its_factors():
    schedule = wn.schedules.Stagewise(
        length=2.5, eta=0.9, alpha=0.8, batch=1.5, growth=2.0, eta_factor=0.5, alpha_factor=0.25,
        batch_factor=3.0, inner=4, count=3, restart=2, restart_factor=1.5, handover="random",
    )  # fmt: skip
    stages = schedule.stages(100)
    assert rows(stages) == [(3, 0.9, 0.8, 2), (5, 0.45, 0.2, 5), (10, 0.225, 0.05, 14)]
    assert [(s.inner, s.restart) for s in stages] == [(4, 2), (4, 3), (4, 5)]
    assert (schedule.handover, wn.schedules.doubling(0.1, 0.1, 1).handover) == ("random", "last")


def test_weights_that_grow_from_stage_to_stage_are_capped_at_one():
    schedule = wn.schedules.Stagewise(
        length=1, eta=0.4, alpha=0.6, batch=1, growth=1, eta_factor=2, alpha_factor=2
    )
    assert rows(schedule.stages(3)) == [(1, 0.4, 0.6, 1), (1, 0.8, 1, 1), (1, 1, 1, 1)]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"length": 0}, "length must be .*positive.*got 0"),
        ({"eta": 0}, "eta must .*got 0"),
        ({"alpha": np.nan}, "alpha must .*got nan"),
        ({"batch": -1}, "batch must .*got -1"),
        ({"growth": 0}, "growth must .*got 0"),
        ({"growth": 0.5}, "growth must be at least 1 .*got 0.5"),
        ({"inner": 0}, "inner must .*got 0"),
        ({"count": 0}, "count must .*got 0"),
        ({"restart": 0}, "restart must .*got 0"),
        ({"handover": "best"}, "handover must be one of 'last', 'random', got 'best'"),
    ],
)
def test_stagewise_refuses_bad_settings_with_the_value(changes, says):
    good = {"length": 4, "eta": 0.1, "alpha": 0.1, "batch": 8, "growth": 2}
    with pytest.raises(ValueError, match=says):
        wn.schedules.Stagewise(**good | changes)


def test_shrinking_stages_are_allowed_where_their_number_is_fixed():
    schedule = wn.schedules.Stagewise(length=8, eta=0.1, alpha=0.1, batch=1, growth=0.5, count=5)
    assert [s.steps for s in schedule.stages(100)] == [8, 4, 2, 1, 1]


def test_traced_weights_pass_through():
    etas = jnp.array([0.1, 0.2])
    steps = jax.vmap(lambda eta: wn.schedules.Constant(eta, 0.1, 8).stages(3)[0].eta)(etas)
    np.testing.assert_array_equal(steps, etas)
