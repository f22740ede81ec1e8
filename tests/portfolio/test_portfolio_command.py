"""`wolfnest portfolio`: what it prints, what it writes, and that it writes all or nothing."""

import json
import re

import pandas as pd
import pytest
from typer.testing import CliRunner

from wolfnest import cli
from wolfnest.portfolio import command, report

PLAIN = {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1", "TERM": "dumb"}
QUICK = ("--risk", "variance", "--risk-aversion", "20", "--train", "60", "--test", "30")


def run(*arguments):
    words = ["portfolio", *map(str, arguments)]
    return CliRunner().invoke(cli.app, words, env=PLAIN, prog_name="wolfnest")


@pytest.fixture(scope="module")
def table(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "returns.csv"
    frame.to_csv(path)
    return path


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    out = tmp_path_factory.mktemp("made") / "report"
    done = run(table, *QUICK, "--max-weight", 0.4, "--out", out)
    assert done.exit_code == 0, done.output
    return out, done.output


def test_weights_are_printed_with_what_they_achieve(folder):
    _, output = folder
    for word in ("asset", "share of risk", "mean return", "certificate", "within", "time", "AA"):
        assert word in output
    assert "taken as returns in fraction (1 is 100 %): " in output
    assert "dates from column 'date'" in output
    shown = [float(n) for n in re.findall(r"(\d+\.\d+) %\s+-?\d+\.\d+ %", output)]
    assert sum(shown) == pytest.approx(100, abs=0.2)
    assert max(shown) <= 40.01


def test_the_folder_holds_page_and_tables(folder, frame):
    out, output = folder
    assert sorted(p.name for p in out.iterdir()) == [
        "backtest.csv", "frontier.csv", "index.html", "weights.csv"
    ]  # fmt: skip
    assert sorted(p.name for p in out.parent.iterdir()) == ["report"]
    weights = pd.read_csv(out / "weights.csv", index_col="asset")
    assert list(weights.index) == list(frame.columns)
    assert weights["weight"].sum() == pytest.approx(1)
    assert weights["share_of_risk"].sum() == pytest.approx(1)
    test = pd.read_csv(out / "backtest.csv", index_col=0)
    assert list(test.columns) == ["this portfolio", "minimum variance", "equal weights"]
    assert len(test) == 60
    assert test["equal weights"].to_numpy() == pytest.approx(frame.to_numpy()[60:].mean(1))
    assert len(pd.read_csv(out / "frontier.csv")) == 25
    assert str(out / "index.html") in output


def test_json_for_other_programs(table):
    done = run(table, "--risk", "variance", "--risk-aversion", "20", "--max-weight", 0.4, "--json")
    found = json.loads(done.output)
    assert sum(found["weights"].values()) == pytest.approx(1)
    assert found["converged"] is True
    assert found["certificate"] < 1e-3 * abs(found["objective"])
    assert found["risk_measure"] == "variance"


def test_limits_come_from_options_and_files(table, tmp_path, monkeypatch):
    groups, held = tmp_path / "groups.csv", tmp_path / "held.csv"
    groups.write_text("asset,group\nAA,one\nBB,one\nCC,two\n")
    held.write_text("AA,0.5\nBB,0.5\n")
    given = {}
    monkeypatch.setattr(report, "write_report", lambda source, **options: given.update(options))
    options = (
        "--risk", "cvar", "--risk-aversion", "inf", "--setting", "level=0.9", "--max-weight", 0.6,
        "--cap", "AA=0.5", "--cap", "BB=0.4", "--groups", groups, "--group-cap", "one=0.7",
        "--gross", 1.6, "--net", 0, "--cardinality", 3, "--previous", held, "--max-turnover", 0.2,
        "--costs", 0.001, "--prices", "--unit", "percent", "--dates", "day-first", "--nan", "drop",
        "--without", "DD", "--without", "EE", "--tol", 1e-5, "--train", 50, "--test", 10,
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert run(table, *options).exit_code == 0
    expected = {
        "risk": "cvar", "risk_aversion": float("inf"), "settings": {"level": 0.9},
        "max_weight": 0.6, "caps": {"AA": 0.5, "BB": 0.4}, "group_caps": {"one": 0.7},
        "groups": {"AA": "one", "BB": "one", "CC": "two"}, "long_only": False, "gross": 1.6,
        "net": 0, "cardinality": 3, "previous_weights": {"AA": 0.5, "BB": 0.5}, "max_turnover": 0.2,
        "transaction_costs": 0.001, "kind": "prices", "unit": "percent", "nan": "drop",
        "dates": "day-first",
        "without": ["DD", "EE"], "tol": 1e-5, "train": 50, "test": 10, "out": tmp_path / "out",
        "as_json": False,
    }  # fmt: skip
    assert {name: given[name] for name in expected} == expected
    run(table, "--returns")
    assert (given["kind"], given["long_only"], given["settings"]) == ("returns", True, None)


def test_limits_are_kept(table):
    common = ("--risk", "variance", "--risk-aversion", "20", "--json")
    found = json.loads(run(table, *common, "--max-weight", 0.4, "--cap", "CC=0.1").output)
    assert found["weights"]["CC"] <= 0.1 + 1e-6
    assert max(found["weights"].values()) <= 0.4 + 1e-6


# ---- errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--max-weight", "0.1"), "the caps add up to 0.5"),
        (("--risk", "volatility"), "risk must be one of variance"),
        (("--cap", "XX=0.1"), "--cap has 'XX'"),
        (("--cap", "AA"), "--cap must be NAME=VALUE with a number, got 'AA'"),
        (("--setting", "level"), "--setting must be NAME=VALUE, got 'level'"),
        (("--group-cap", "one=0.5"), "group_caps needs groups"),
        (("--groups", "none.csv"), "--groups must name a CSV file"),
        (("--without", "XX"), "there is no column 'XX'"),
        (("--nan", "skip"), "nan must be one of"),
        (("--prices",), "prices must be positive"),
        (("--train", "500", "--out", "somewhere"), "train must be less than the 120 rows"),
        (("--test", "0", "--out", "somewhere"), "test must be a whole number of at least 1, got 0"),
        (("--risk", "tracking-error"), "name it with --setting benchmark=NAME, got None"),
        (("--net", "0"), "net must be positive with long_only=True, got 0"),
    ],
)
def test_errors_are_one_line_and_write_nothing(table, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = run(table, "--risk", "variance", *arguments)
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output
    assert "certificate" not in done.output  # before anything is computed
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("asset,group\nAA\n", "line 2: expected an asset and a value"),
        ("AA,one\nAA,two\n", "line 2: 'AA' is there twice"),
    ],
)
def test_files_of_groups_are_checked(table, tmp_path, text, message):
    path = tmp_path / "groups.csv"
    path.write_text(text)
    assert message in run(table, "--groups", path, "--group-cap", "one=0.5").output


def test_a_file_of_weights_must_hold_numbers(table, tmp_path):
    path = tmp_path / "held.csv"
    path.write_text("AA,much\n")
    done = run(table, "--previous", path, "--max-turnover", 0.1)
    assert "expected a number for 'AA', got 'much'" in done.output


def test_out_must_be_a_folder_that_can_be_written_to(table, tmp_path, monkeypatch):
    for out in (table, table / "below"):
        done = run(table, "--out", out)
        assert done.exit_code == 2
        assert "--out must name a folder" in done.output
    monkeypatch.setattr(report.os, "access", lambda path, mode: False)
    done = run(table, "--out", tmp_path / "report")
    assert done.exit_code == 2
    assert f"nothing can be written to {str(tmp_path)!r}" in done.output


def test_a_full_disk_is_one_line(table, tmp_path, monkeypatch):
    def fail(folder, files):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report, "store_all", fail)
    done = run(table, *QUICK, "--max-weight", 0.4, "--out", tmp_path / "report")
    assert done.exit_code == 2
    assert "cannot be written to" in done.output
    assert "No space left on device. Nothing was written" in done.output


def test_a_benchmark_is_one_of_the_columns(frame, tmp_path):
    path = tmp_path / "index.csv"
    weights = [0.4, 0.3, 0.3, 0.0, 0.0]
    frame.assign(INDEX=frame.to_numpy() @ weights).to_csv(path)
    out = tmp_path / "report"
    follow = ("--risk", "tracking-error", "--risk-aversion", "inf", "--tol", 1e-6)
    done = run(path, *follow, "--setting", "benchmark=INDEX", *QUICK[4:], "--out", out)
    assert done.exit_code == 0, done.output
    assert "column 'INDEX' is the benchmark" in done.output
    found = pd.read_csv(out / "weights.csv", index_col="asset")["weight"]
    assert list(found.index) == list(frame.columns)
    assert found.to_numpy() == pytest.approx(weights, abs=0.03)


def test_costs_are_spread_and_charged(table, tmp_path):
    held = tmp_path / "held.csv"
    held.write_text("AA,1\n")
    out = tmp_path / "report"
    done = run(table, *QUICK, "--costs", 0.01, "--previous", held, "--out", out)
    assert done.exit_code == 0, done.output
    assert "costs are spread over 30 rows" in done.output
    assert "mean return after costs" in (out / "index.html").read_text(encoding="utf-8").lower()


def test_notes_on_the_data_are_shown_once(frame, tmp_path):
    path = tmp_path / "few.csv"
    frame.iloc[:4].to_csv(path)
    done = run(path, "--risk", "variance")
    assert done.exit_code == 0
    assert done.output.count("fewer rows (4) than assets (5)") == 1


def test_settings_are_numbers_where_they_can_be():
    assert command.settings(["order=2", "level=0.9", "kind=a b"]) == {
        "order": 2, "level": 0.9, "kind": "a b"
    }  # fmt: skip
    assert isinstance(command.settings(["order=2"])["order"], int)
