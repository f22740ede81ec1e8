"""Stages that see a sample of the data: their points, counts and records."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import problems
import wolfnest as wn
from wolfnest.running import streams
from wolfnest.schedules import GrowingSamples
from wolfnest.stepsizes import LineSearch

ROWS = 4_000


def problem():
    data = np.random.default_rng(0).normal(0.1, 1.0, size=(ROWS, problems.DIM))
    levels = [
        wn.Level(problems.mean_and_point, data=data),
        wn.Level(problems.mean_variance, data=data),
    ]
    return wn.Problem(levels, wn.sets.Simplex(problems.DIM), convex=True)


def solver(schedule=None):
    schedule = GrowingSamples(100, growth=4.0, length=5) if schedule is None else schedule
    return wn.Solver(
        wn.estimators.Exact(), wn.directions.Pairwise(), schedule, step_size=LineSearch("secant")
    )


def test_samples_grow_until_all_data_are_next():
    stages = GrowingSamples(100, growth=4.0, length=5).stages(200, m=ROWS)
    assert [(s.steps, s.sample) for s in stages] == [(10, 100), (5, 400), (185, None)]
    # Half of the steps is left for all data, and short data have no samples.
    stages = GrowingSamples(100, growth=4.0, length=5).stages(10, m=ROWS)
    assert [(s.steps, s.sample) for s in stages] == [(3, 100), (1, 400), (6, None)]
    assert [s.sample for s in GrowingSamples(100, growth=4.0).stages(10, m=399)] == [None]
    with pytest.raises(ValueError, match=r"growth must be larger than 1, got 1"):
        GrowingSamples(growth=1)


def test_a_stage_sees_its_sample_and_nothing_else():
    whole, states = problem(), []
    assert [stage.steps for stage in solver().schedule.stages(3, ROWS)] == [1, 2]
    look = lambda record: states.append(record["state"].x)
    wn.solve(whole, solver(), steps=3, record_every=1, progress=False, callback=look)
    key = jax.random.fold_in(jax.random.fold_in(jax.random.key(0), streams.SAMPLES), 0)
    part = whole.sample(100, key)
    assert part.composition.rows == 200
    alone = wn.solve(part, wn.method("PFW", step="secant"), steps=1, progress=False)
    np.testing.assert_allclose(states[1], alone.x, rtol=0, atol=1e-12)


def test_values_and_gradient_are_those_of_the_data_that_the_stage_sees():
    whole = problem()
    solution = wn.solve(whole, solver(), steps=200, progress=False)
    np.testing.assert_allclose(solution.state.v, whole.gradient(solution.x), atol=1e-12)
    best = wn.solve(whole, wn.method("PFW"), steps=100, progress=False)
    assert float(whole.value(solution.x)) == pytest.approx(float(whole.value(best.x)), abs=1e-10)


def test_only_the_samples_that_are_seen_are_counted():
    steps = 20
    scheduled = wn.Solver(
        wn.estimators.Exact(), wn.LMO(), GrowingSamples(100, growth=4.0, length=5)
    )
    counts = wn.solve(problem(), scheduled, steps=steps, progress=False).counts
    stages = scheduled.schedule.stages(steps, ROWS)
    # Every stage evaluates once more than it moves: at its start.
    expected = sum(2 * (stage.sample or ROWS) * (stage.steps + 1) for stage in stages)
    assert counts.samples == counts.evaluations == expected


def test_records_of_sampled_stages_are_at_their_ends_unless_asked_for():
    sparse = wn.solve(problem(), solver(), steps=60, progress=False).trace.step.tolist()
    assert sparse[:4] == [0, 10, 15, 16]
    dense = wn.solve(problem(), solver(), steps=60, record_every=2, progress=False)
    assert dense.trace.step.tolist() == list(range(0, 61, 2))


def test_a_run_that_was_stopped_in_a_sampled_stage_goes_on_as_if_it_never_was(tmp_path):
    options = {"steps": 60, "record_every": 4, "progress": False}
    whole = wn.solve(problem(), solver(), **options)
    stop = lambda record: record["step"] >= 8
    part = wn.solve(problem(), solver(), checkpoint=tmp_path, callback=stop, **options)
    assert (part.status, part.steps) == ("stopped", 8)
    rest = wn.solve(problem(), solver(), checkpoint=tmp_path, **options)
    np.testing.assert_array_equal(rest.x, whole.x)
    assert rest.counts == whole.counts


def test_endless_levels_keep_their_sample_and_short_ones_their_data():
    draw = lambda key, n: jax.random.normal(key, (n, 3))
    level = wn.Level(lambda x, a: a @ x, sample=draw)
    square = wn.Level(lambda y, b: (y - b) ** 2, data=jnp.arange(5.0))
    fixed = wn.Problem([level, square], wn.sets.Simplex(3)).sample(7)
    assert [one.size for one in fixed.levels] == [7, 5]
