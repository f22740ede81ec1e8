"""The command `wolfnest reproduce`."""

import pytest
import typer
from typer.testing import CliRunner

from wolfnest.common.commands import told
from wolfnest_reproduction import load
from wolfnest_reproduction.command import reproduce

pytestmark = pytest.mark.usefixtures("home")
APP = typer.Typer()
APP.command(**told(reproduce))(reproduce)


def command(*arguments):
    return CliRunner().invoke(APP, list(map(str, arguments)))


def test_the_command_runs_judges_and_reports(data, tmp_path):
    out = tmp_path / "out"
    options = ("--seeds", 2, "--horizon", 30, "--data", data, "--out", out)
    done = command("e5", "--quick", *options)
    assert done.exit_code == 0, done.output
    assert "C5" in done.output
    assert (out / "index.html").exists()
    elsewhere = tmp_path / "report"
    again = command("e5", "--quick", *options, "--report-to", elsewhere)
    assert again.exit_code == 0
    assert (elsewhere / "index.html").exists()
    assert not (elsewhere / "cells").exists()
    results = load(out)
    assert set(results.traces["method"]) == {"PMVR-v1", "PMM-v1"}
    assert {"exact Frank-Wolfe", "pairwise Frank-Wolfe"} <= set(results.baselines["solver"])
    assert results.info["command"] == (
        "wolfnest reproduce e5 --quick --seeds 2 --horizon 30 --data data --out out"
    )


def test_a_plan_runs_nothing(data, tmp_path):
    out = tmp_path / "out"
    done = command("--full", "--plan", "--data", data, "--out", out)
    assert done.exit_code == 0
    assert "full: E1, E2, E3, E4, E5" in done.output
    assert "Industry-10: Returns(200 × 10" in done.output
    assert not out.exists()


def test_data_that_no_experiment_reads_is_mentioned(data, tmp_path):
    ran = command("E1", "--plan", "--data", data, "--out", tmp_path / "out")
    assert "E1 makes its own data" in " ".join(ran.output.split())
    assert "own data" not in command("E2", "--plan", "--data", data).output


def test_errors_of_the_command_are_lines(tmp_path):
    done = command("E7", "--plan")
    assert (done.exit_code, "unknown experiment 'E7'" in done.output) == (2, True)
    done = command("--data", tmp_path / "nowhere")
    assert (done.exit_code, "must name a folder or a file" in done.output) == (2, True)
