"""A run that is killed, interrupted or finished continues from its checkpoint, bit for bit."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import resumed

import problems
import wolfnest as wn
from problems import plain, portfolio, same
from wolfnest.running import checkpoint

STORM = plain("PMVR-v1")


def start(name, directory, pause):
    here = Path(__file__).parent
    command = [sys.executable, str(here / "resumed.py"), name, str(directory), str(pause)]
    known = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}  # what the tests share
    return subprocess.Popen(
        command, cwd=here, env=known, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def stored_steps(directory):
    stored = checkpoint.load(directory)
    return -1 if stored is None else stored[1]["steps"]


def wait_for_progress(process, directory, limit=60.0):
    """Wait until the run has stored something new."""
    before, end = stored_steps(directory), time.monotonic() + limit
    while stored_steps(directory) <= before:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "no checkpoint was written"
        time.sleep(0.01)


def assert_equal_runs(found, expected):
    assert found.status == expected.status
    assert found.steps == expected.steps
    assert found.counts == expected.counts
    assert same((found.x, found.state), (expected.x, expected.state))
    assert same(problems.columns(found.trace), problems.columns(expected.trace))
    assert (np.diff(found.trace.time) >= 0).all()


@pytest.mark.parametrize("name", ["stages", "seeds"])
def test_a_run_killed_at_any_moment_ends_as_if_it_never_was(name, tmp_path):
    moments, seen = random.Random(name), [-1]
    for _ in range(2):
        process = start(name, tmp_path, pause=0.02)
        wait_for_progress(process, tmp_path)
        time.sleep(moments.uniform(0.05, 0.3))
        process.kill()
        process.communicate()
        seen.append(stored_steps(tmp_path))
    assert sorted(set(seen)) == seen, "every process got further than the one before"
    assert 0 < seen[-1] < 150, "killed in the middle"
    assert_equal_runs(resumed.solve(name, tmp_path), resumed.solve(name, None))


def test_ctrl_c_ends_the_run_in_order_and_the_run_can_be_resumed(tmp_path):
    process = start("long", tmp_path, pause=0.1)
    wait_for_progress(process, tmp_path)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    status, steps, usable = output.split()
    assert (status, usable) == ("interrupted", "True")
    assert int(steps) == stored_steps(tmp_path) < 40_000
    again, whole = resumed.solve("long", tmp_path), resumed.solve("long", None)
    assert again.counts == whole.counts
    assert same((again.x, again.state), (whole.x, whole.state))
    common = np.isin(again.trace.step, whole.trace.step)  # the interruption left a row of its own
    assert common.sum() == len(whole.trace.step)
    assert same(again.trace.frank_wolfe_gap[common], whole.trace.frank_wolfe_gap)


def run(directory, problem=None, solver=STORM, resume=True, **options):
    options = {"steps": 40, "record_every": 7, "progress": False} | options
    place = wn.Checkpoint(directory, every=0, resume=resume)
    return wn.solve(problem or portfolio(), solver, checkpoint=place, **options)


@pytest.mark.parametrize("options", [{}, {"seeds": 2, "output": "best"}, {"tol": 0.2}])
def test_a_run_that_has_ended_is_returned_at_once(tmp_path, options):
    first = run(tmp_path, **options)
    again = run(tmp_path, **options)
    assert_equal_runs(again, first)
    assert again.seconds == first.seconds
    assert again.message == first.message


def test_without_resume_an_earlier_run_is_refused(tmp_path):
    run(tmp_path)
    with pytest.raises(ValueError, match="holds an earlier run and resume is False"):
        run(tmp_path, resume=False)
    assert run(tmp_path / "new", resume=False).status == "finished"


@pytest.mark.parametrize("limit", [{"samples": 200}, {"lmo": 20}])
def test_a_larger_budget_continues_the_run(tmp_path, limit):
    first = run(tmp_path, budget=limit)
    assert first.status == "budget"
    assert 0 < first.steps < 40
    again, whole = run(tmp_path), run(tmp_path / "whole")
    assert again.status == "finished"
    assert again.counts == whole.counts
    assert same((again.x, again.state), (whole.x, whole.state))


@pytest.mark.parametrize("name", ["SwPMFS-v1", "SwPMVR-v1"])
@pytest.mark.parametrize("steps", [8, 9, 24])
def test_a_budget_that_ends_at_a_stage_border_counts_nothing_twice(tmp_path, name, steps):
    solver = problems.staged(name)
    first = run(tmp_path, solver=solver, budget={"lmo": steps})
    assert (first.status, first.steps) == ("budget", steps)
    again, whole = run(tmp_path, solver=solver), run(tmp_path / "whole", solver=solver)
    assert again.counts == whole.counts
    assert same((again.x, again.state), (whole.x, whole.state))


def test_a_smaller_tolerance_continues_a_converged_run(tmp_path):
    first = run(tmp_path, tol=0.2)
    assert first.status == "converged"
    again, whole = run(tmp_path), run(tmp_path / "whole")
    assert first.steps < again.steps == 40
    assert_equal_runs(again, whole)


def test_a_stopped_run_continues_without_its_callback(tmp_path):
    first = run(tmp_path, callback=lambda row: row["step"] >= 14)
    assert (first.status, first.steps) == ("stopped", 14)
    assert_equal_runs(run(tmp_path), run(tmp_path / "whole"))


def test_a_path_alone_is_a_checkpoint(tmp_path):
    solution = wn.solve(portfolio(), STORM, steps=7, progress=False, checkpoint=str(tmp_path / "a"))
    assert stored_steps(tmp_path / "a") == solution.steps == 7


def test_a_resumed_run_does_not_repeat_records_to_its_callback(tmp_path):
    seen = []
    note = lambda row: seen.append(int(row["step"]))
    run(tmp_path, budget={"lmo": 14}, callback=note)
    run(tmp_path, callback=note)
    assert len(seen) == len(set(seen)), seen


def scaled(weight):
    level = wn.Level(lambda x, a: weight * (a @ x - 0.3) ** 2, data=problems.returns())
    return wn.Problem([level], wn.sets.Simplex(problems.DIM))


def test_a_function_that_encloses_another_value_is_another_run(tmp_path):
    solver = wn.method("PMM-v1", batch=4)
    wn.solve(scaled(1.0), solver, steps=20, checkpoint=tmp_path, progress=False)
    wn.solve(scaled(1.0), solver, steps=20, checkpoint=tmp_path, progress=False)
    with pytest.raises(ValueError, match="another function of level 1"):
        wn.solve(scaled(-5.0), solver, steps=20, checkpoint=tmp_path, progress=False)


def test_best_points_do_not_depend_on_where_a_run_was_cut(tmp_path):
    solver = wn.method("PMM-v1", batch=4)
    settings = {"steps": 200, "key": 3, "record_every": 20, "output": "best", "progress": False}
    problem = problems.portfolio()
    whole = wn.solve(problem, solver, **settings)
    for limit in (49, 111):
        wn.solve(problem, solver, checkpoint=tmp_path, budget={"lmo": limit}, **settings)
    parts = wn.solve(problem, solver, checkpoint=tmp_path, **settings)
    assert np.array_equal(parts.x, whole.x)
    assert list(parts.trace.step) == list(whole.trace.step)
