"""The whole of it: worker processes, kills, failures."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
import small
from rich.console import Console

from wolfnest_reproduction import reproduce
from wolfnest_reproduction.define import digests
from wolfnest_reproduction.run import plan
from wolfnest_reproduction.run.store import Store

pytestmark = pytest.mark.usefixtures("home")

LIMIT = 120.0


def run(profile, data, out, **options):
    shown = io.StringIO()
    console = Console(file=shown, width=200)
    results = reproduce(
        list(profile.experiments), profile=profile, data=data, out=out, console=console, **options
    )
    return results, shown.getvalue()


def start(data, out, jobs=1):
    here = Path(__file__).parents[1]
    command = [sys.executable, str(here / "small.py"), str(data), str(out), str(jobs)]
    path = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        command, env=os.environ | {"PYTHONPATH": path}, stderr=subprocess.PIPE, text=True
    )


def wait_for(condition, process):
    end = time.monotonic() + LIMIT
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def finished(out):
    return sorted(Path(out, "cells").glob("*.json")) if Path(out, "cells").exists() else []


def ordered(frame):
    keys = ["experiment", "data", "setting", "horizon", "method", "seed", "step"]
    return frame.drop(columns="time").sort_values(keys, ignore_index=True)


@pytest.fixture
def _no_baselines(monkeypatch):
    monkeypatch.setattr(plan, "_baselines", lambda tasks: [])


@pytest.mark.usefixtures("_no_baselines")
def test_a_run_that_is_killed_goes_on_and_ends_as_if_it_never_was(data, tmp_path):
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = start(data, killed)
    wait_for(lambda: len(finished(killed)) >= 1, process)
    process.kill()
    process.communicate()
    kept = {path: path.stat().st_mtime_ns for path in finished(killed)}
    assert len(kept) < len(small.METHODS)
    assert json.loads((killed / "run.json").read_text())["finished"] is None

    process = start(data, killed)
    wait_for(lambda: len(finished(killed)) > len(kept), process)
    os.kill(process.pid, signal.SIGINT)  # Ctrl-C: what runs is finished, then it ends
    said = process.communicate(timeout=LIMIT)[1]
    assert process.returncode != 0
    assert "the same command goes on" in said

    profile = small.profile(small.experiment())
    results, said = run(profile, data, killed)
    for path, when in kept.items():
        assert path.stat().st_mtime_ns == when
    expected, _ = run(profile, data, whole)
    pd.testing.assert_frame_equal(ordered(results.traces), ordered(expected.traces))
    assert results.cells["tuning"].tolist() == expected.cells["tuning"].tolist()
    assert results.info["finished"] is not None
    assert not list(killed.rglob("*.tmp"))

    # Nothing is left to do, and nothing is done.
    again, said = run(profile, data, whole)
    assert "0 to run" in said
    pd.testing.assert_frame_equal(again.traces, expected.traces)
    # Results of other code are not taken for those of this one without a word.
    facts = finished(whole)[0]
    facts.write_text(facts.read_text().replace(digests.of_code(), "0" * 16))
    assert (
        "1 of the finished cells were made by other source code"
        in run(profile, data, whole, plan_only=True)[1]
    )
    # The contract of the folder.
    assert set(expected.info) >= {
        "command", "profile", "started", "finished", "experiments", "environment", "data",
    }  # fmt: skip
    assert expected.info["data"]["Industry-10"]["rows"] == small.DAYS
    assert str(data) not in (whole / "run.json").read_text()
    budgets = expected.traces.groupby("method")["samples"].max()
    assert budgets.max() <= expected.cells["budget"].iloc[0] == 21 * 16 * 2


@pytest.mark.usefixtures("_no_baselines")
def test_a_cell_that_fails_is_recorded_and_tried_again(data, tmp_path):
    # Too short for a method that begins with a pass over all data.
    experiment = small.experiment(methods=("PMFS-v1", "PMM-v1"), horizon=5)
    for _ in range(2):
        results, said = run(small.profile(experiment), data, tmp_path / "out")
        assert "failed: ValueError: the budget of 192 samples pays for no step of" in said
        assert results.cells["method"].tolist() == ["PMM-v1"]
        (failure,) = results.info["failures"]
        assert "PMFS-v1" in failure["label"]
        assert "Traceback" in failure["error"]
        assert Store(tmp_path / "out").failure(failure["id"]).exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["E9"]}, "unknown experiment 'E9'; known are E1"),
        ({"profile": "slow"}, "profile must be one of 'quick', 'full', got 'slow'"),
        ({"jobs": 0}, "jobs must be a whole number of at least 1"),
        ({"seeds": 0}, "seeds must be"),
        ({"horizon": -1}, "horizon must be"),
    ],
)
def test_what_cannot_be_run_is_refused(options, message, data, tmp_path):
    with pytest.raises(ValueError, match=message):
        reproduce(**{"data": data, "out": tmp_path / "out"} | options)
    assert not (tmp_path / "out").exists()
