"""Which point a run returns, and which one a stage hands to the next."""

import numpy as np
import pytest

import by_hand
import problems
import wolfnest as wn
from problems import plain, portfolio, staged

STEPS, SEEDS = 4, 400
CHI_SQUARE = 21.1  # three degrees of freedom: exceeded once in 10,000


def run(solver, steps=STEPS, **options):
    options = {"record_every": 4, "progress": False} | options
    return wn.solve(portfolio(), solver, steps=steps, **options)


def check_uniform(points, visited):
    """Every point is one of the visited ones of its seed, each equally often."""
    hits = (np.asarray(points)[:, None] == np.stack(visited, axis=1)).all(axis=-1)
    assert (hits.sum(axis=1) == 1).all(), "not a visited point"
    counts = hits.sum(axis=0)
    expected = len(points) / len(visited)
    assert ((counts - expected) ** 2 / expected).sum() < CHI_SQUARE, counts


def visited(solver, steps, **options):
    """x_1 … x_T for every seed."""
    start = np.broadcast_to(portfolio().start(), (SEEDS, problems.DIM))
    later = [run(solver, t, seeds=SEEDS, **options).state.x for t in range(1, steps)]
    return [start, *map(np.asarray, later)]


def test_the_last_point_is_the_default():
    solution = run(plain("PMVR-v1"))
    np.testing.assert_array_equal(solution.x, solution.state.x)


def test_the_random_output_is_uniform_over_the_visited_points():
    solver = plain("PMVR-v1")
    found = run(solver, seeds=SEEDS, output="random").x
    check_uniform(found, visited(solver, STEPS, output="random"))


def test_a_stage_hands_over_a_uniformly_random_point_if_asked_to():
    schedule = wn.schedules.doubling(0.05, 0.2, 4, 4, growth=1.0, handover="random")
    solver = wn.Solver(wn.estimators.Storm(), wn.LMO(), schedule)
    # The average over a stage of one step is the point with which it began.
    found = run(solver, 5, seeds=SEEDS, output="average").x
    check_uniform(found, visited(solver, STEPS, output="average"))


def test_by_default_a_stage_hands_over_its_last_point():
    found = run(staged("SwPMVR-v1"), 9, output="average").x
    np.testing.assert_array_equal(found, run(staged("SwPMVR-v1"), 8).x)


@pytest.mark.parametrize(
    ("solver", "steps"),
    [(plain("PMVR-v1"), 20), (staged("SwPMFS-v1"), 20)],
    ids=["one stage", "stages"],
)
def test_the_average_is_the_mean_of_the_points_before_each_move(solver, steps):
    stage = by_hand.states(portfolio(), solver, steps)[-1]
    expected = np.mean([state.x for state in stage[:-1]], axis=0)
    np.testing.assert_allclose(run(solver, steps, output="average").x, expected, rtol=1e-11)


@pytest.mark.parametrize("seeds", [None, 3])
def test_the_best_point_is_the_recorded_minimum(seeds):
    solver = wn.method("PMM-v1", eta=0.3, alpha=0.3, batch=2)
    solution = run(solver, 60, record_every=1, output="best", seeds=seeds)
    lowest = solution.trace.frank_wolfe_gap.min(axis=0)
    assert (lowest < solution.trace.frank_wolfe_gap[-1]).any()
    points = [solution.x] if seeds is None else list(solution.x)
    for x, least in zip(points, np.atleast_1d(lowest), strict=True):
        gap = wn.metrics.frank_wolfe_gap(portfolio(), x)
        np.testing.assert_allclose(gap, least, rtol=1e-9)


@pytest.mark.parametrize("output", ["random", "average", "best"])
def test_every_output_is_valid_without_a_single_step(output):
    solution = run(plain("PMVR-v1"), output=output, budget={"seconds": 0})
    np.testing.assert_array_equal(solution.x, portfolio().start())


def test_unknown_outputs_are_refused():
    with pytest.raises(ValueError, match="output must be one of 'last'"):
        run(plain("PMVR-v1"), output="median")


def test_the_best_point_is_found_although_the_first_record_is_nan():
    calls = []

    def nan_first(_, x):
        calls.append(1)
        return np.nan if len(calls) == 1 else -float(x[-1])

    solution = wn.solve(
        problems.portfolio(),
        wn.method("PMM-v1", batch=4),
        steps=50,
        criterion=nan_first,
        record_every=10,
        output="best",
        progress=False,
    )
    assert -float(solution.x[-1]) == np.nanmin(solution.trace.nan_first)
