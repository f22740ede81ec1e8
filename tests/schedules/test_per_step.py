"""Values per step are functions of the step: the same bits as arrays, and no memory for them."""

import time
import tracemalloc

import numpy as np
import pytest

import problems
import wolfnest as wn
from problems import same
from wolfnest.running import engine
from wolfnest.schedules import Decaying, GrowingBatch, GrowingEpochs, Power

MANY = 10**8
SCHEDULES = {
    "decaying": Decaying(1.0, Power(4.0, decay=2 / 3, shift=7), 8),
    "horizon": Decaying(Power(1.0, decay=0.5, horizon=0.1), 1.0, 8),
    "epochs": GrowingEpochs(),
    "batch": GrowingBatch(1, power=1.0),
}


@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
def test_plans_of_many_steps_take_no_time_and_no_memory(schedule):
    tracemalloc.start()
    start = time.perf_counter()
    stages = schedule.stages(MANY, 1000)
    repr(stages)
    assert sum(stage.steps for stage in stages) == MANY
    assert time.perf_counter() - start < 1
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_have_the_bits_of_the_arrays_that_they_replace(dtype):
    n = 200_000
    decay = SCHEDULES["decaying"].stages(n)[0].alpha
    whole = np.minimum(1, 4.0 * (np.arange(1, n + 1) + 7.0) ** -(2 / 3))
    pieces = [decay.between(i, min(n, i + engine.WINDOW)) for i in range(0, n, engine.WINDOW)]
    assert same(np.concatenate(pieces).astype(dtype), whole.astype(dtype))
    assert same(np.asarray([decay[i] for i in range(0, n, 997)]), whole[::997])
    last = GrowingEpochs().stages(n)[-2]
    assert same(np.asarray(last.eta), 2 / (last.steps + np.arange(1, last.steps + 1)))


@pytest.mark.parametrize("steps", [1, 10, 1000, 5000])
@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 3.0])
def test_growing_batches_are_those_of_every_iteration(steps, power):
    k = np.arange(2, steps + 2)
    doublings = np.ceil(np.log2(((k + 2) / 3) ** power) - 1e-9)
    sizes = np.minimum(1 << 16, 3 * 2.0**doublings).astype(int)
    stages = GrowingBatch(3, power).stages(steps)
    assert (
        np.repeat([s.batch for s in stages], [s.steps for s in stages]).tolist() == sizes.tolist()
    )


def test_a_run_over_several_windows_has_the_bits_of_one(monkeypatch):
    problem = problems.regression()
    solve = lambda: wn.solve(problem, wn.method("1-SFW"), steps=100, progress=False)
    whole = solve()
    monkeypatch.setattr(engine, "WINDOW", 16)
    pieces = solve()
    assert same((whole.x, whole.state), (pieces.x, pieces.state))
    assert same(problems.columns(whole.trace), problems.columns(pieces.trace))


def test_many_steps_begin_at_once():
    solution = wn.solve(
        problems.regression(), wn.method("1-SFW"), steps=MANY, budget={"lmo": 3}, progress=False
    )
    assert solution.steps == 3


@pytest.mark.parametrize("steps", [2**31, 2**40])
def test_steps_that_no_counter_holds_are_refused_by_name(steps):
    with pytest.raises(ValueError, match="steps must be at most 2,147,483,647"):
        wn.solve(problems.regression(), wn.method("1-SFW"), steps=steps, progress=False)


def test_batches_that_no_counter_holds_are_refused_by_name():
    with pytest.raises(ValueError, match="batch must be at most 2,147,483,647"):
        wn.solve(problems.regression(), wn.method("PMM-v1", batch=2**40), steps=3, progress=False)
    with pytest.raises(ValueError, match="batch must be at most"):
        wn.Stage(3, 0.1, 0.1, 2**40)
