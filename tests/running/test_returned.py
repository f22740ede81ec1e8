"""Status, message, trace and certificate speak of the point that a run returns."""

import signal

import numpy as np
import pytest

import wolfnest as wn
from problems import plain, portfolio
from wolfnest import metrics

OUTPUTS = ("last", "random", "average", "best")


def run(solver="PMVR-v1", **options):
    options = {"steps": 200, "record_every": 5, "progress": False} | options
    return wn.solve(portfolio(), plain(solver), **options)


def gaps(solution):
    points = [solution.x] if isinstance(solution.status, str) else list(solution.x)
    return np.array([float(metrics.frank_wolfe_gap(portfolio(), x)) for x in points])


@pytest.mark.parametrize("seeds", [None, 3])
@pytest.mark.parametrize("output", OUTPUTS)
def test_the_values_of_a_solution_are_those_of_its_point(output, seeds):
    solution = run(output=output, seeds=seeds)
    np.testing.assert_allclose(solution.values["frank_wolfe_gap"], gaps(solution), rtol=1e-9)
    assert f"{gaps(solution).max():.3e}" in solution.message
    np.testing.assert_allclose(solution.certificate.bound, gaps(solution), rtol=1e-9)


@pytest.mark.parametrize("output", ["last", "random", "average"])
def test_the_last_row_of_the_trace_is_the_returned_point(output):
    solution = run(output=output)
    np.testing.assert_allclose(solution.trace.frank_wolfe_gap[-1], gaps(solution)[0], rtol=1e-9)


@pytest.mark.parametrize("seeds", [None, 3])
@pytest.mark.parametrize("output", OUTPUTS)
def test_converged_means_that_the_returned_point_meets_the_tolerance(output, seeds):
    solution = run(output=output, seeds=seeds, tol=0.1, steps=2000)
    reached = np.array([s == "converged" for s in np.atleast_1d(solution.status)])
    assert reached.any()
    assert (gaps(solution)[reached] <= 0.1 * (1 + 1e-9)).all()


def test_a_seed_returns_the_point_with_which_it_met_the_tolerance():
    middle = float(np.sort(run(seeds=4).trace.frank_wolfe_gap.min(axis=0))[2])
    solution = run(seeds=4, tol=middle)
    reached = np.array([s == "converged" for s in solution.status])
    assert 0 < reached.sum() < 4
    assert (gaps(solution)[reached] <= middle * (1 + 1e-9)).all()


@pytest.mark.parametrize(
    ("output", "named"),
    [("average", "at the average"), ("random", "at the random"), ("best", "at the best")],
)
def test_the_message_names_the_point(output, named):
    assert named in run(output=output).message
    assert " at the" not in run().message


def test_a_smaller_tolerance_forgets_which_seeds_met_the_larger_one(tmp_path):
    options = {"seeds": 3, "checkpoint": wn.Checkpoint(tmp_path, every=0)}
    run(tol=0.3, **options)
    solution = run(tol=1e-12, **options)
    assert set(solution.status) == {"finished"}


def test_an_interrupted_run_says_so_whatever_its_last_record_says():
    asked = []

    def ask(row):
        if row["step"] == 10 and not asked:
            asked.append(signal.raise_signal(signal.SIGINT))

    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        solution = run(steps=10, callback=ask)
    finally:
        signal.signal(signal.SIGINT, former)
    assert solution.status == "interrupted"
