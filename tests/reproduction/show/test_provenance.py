"""How the results were made: warnings, sessions, failures, and what of it may be published."""

import dataclasses
import json

import pandas as pd
import pytest

from wolfnest_reproduction import show as report
from wolfnest_reproduction.run.store import Results
from wolfnest_reproduction.show import averages, provenance, reproduction_page

TRACEBACK = 'Traceback:\n  File "/home/somebody/wolfnest/x.py", line 1\nValueError: too short\n'
FULL = {"profile": "full", "cells": ["a", "b"], "failures": [], "finished": "now"}
CELLS = pd.DataFrame({"id": ["a", "b"], "sources": ["s1", "s1"]})


def session(started, finished="later", **environment):
    base = {"cpu": "a processor", "sources": "abc"}
    return {"started": started, "finished": finished, "tasks": 3, "command": f"run {started}",
            "environment": base | environment}  # fmt: skip


def test_a_finished_full_run_has_no_warnings():
    assert provenance.warnings(FULL, CELLS) == []
    assert provenance.warnings({}, None) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"profile": "quick"}, "“quick” run, not the full reproduction"),
        ({"overrides": {"seeds": 3, "horizon": 60}}, "Not the paper’s numbers: seeds=3, horizon=6"),
        ({"cells": ["a", "b", "c", "d"]}, "not finished: 2 of its 4 cells"),
        ({"cells": ["a", "b", "c"], "failures": [{"id": "c"}]}, "1 of its parts failed"),
    ],
)
def test_what_a_reader_must_know_comes_first(change, said):
    (warning,) = provenance.warnings(FULL | change, CELLS)
    assert said in warning


@pytest.fixture
def section(small):
    """What the page says of how a run was made."""

    def section(info):
        text = reproduction_page.build(
            dataclasses.replace(small, info=info), averages.points(small.traces)
        )
        return text[text.index('<section id="run">') :].partition("</section>")[0]

    return section


def test_one_session_is_not_listed_and_several_are(section):
    one = {**FULL, "command": "run one", "note": "a note", "sessions": [session("one")]}
    text = section(one)
    assert "run one" in text
    assert "a note" in text
    assert "sessions" not in text
    two = {**one, "sessions": [session("one", None), session("two", cpu="another")]}
    text = section(two)
    assert "made in 2 sessions" in text
    for said in ("run one", "run two", "stopped", "another"):
        assert said in text


def test_cells_of_different_code_are_told():
    mixed = CELLS.assign(sources=["s1", "s2"])
    assert "sources of the cells" not in provenance.environment(FULL, CELLS)
    told = provenance.environment(FULL, mixed)["sources of the cells"]
    assert told == "s1 (1 cells), s2 (1 cells)"


def test_failures_are_listed_without_their_tracebacks(section):
    failed = {**FULL, "failures": [{"id": "c", "label": "E4 · SCSC", "error": TRACEBACK}]}
    text = section(failed)
    assert "E4 · SCSC" in text
    assert "ValueError: too short" in text
    assert "somebody" not in text
    assert provenance.public(failed)["failures"][0]["error"] == "ValueError: too short"
    assert failed["failures"][0]["error"] == TRACEBACK


def test_another_folder_gets_what_it_needs_and_no_single_runs(small, judgement, tmp_path):
    source, target = tmp_path / "results", tmp_path / "docs" / "results"
    info = {**small.info, "failures": [{"id": "c", "label": "c", "error": TRACEBACK}]}
    given = {field: getattr(small, field) for field in ("traces", "cells", "baselines")}
    results = Results(**given, info=info, folder=source)
    report.write(results, target, judgement, axes=["time"], formats=["png"])
    names = {path.relative_to(target).parts[0] for path in target.rglob("*")}
    assert names == {"index.html", "summary.md", "claims.md", "run.json"} | {"figures", "tables"}
    assert json.loads((target / "run.json").read_text())["command"] == small.info["command"]
    for path in target.rglob("*"):
        assert path.is_dir() or path.suffix == ".png" or "somebody" not in path.read_text()


def test_the_folder_of_the_results_keeps_its_own_record(small, judgement, tmp_path):
    (tmp_path / "run.json").write_text("{}")
    here = dataclasses.replace(small, folder=tmp_path)
    report.write(here, tmp_path / "." / ".." / tmp_path.name, judgement, formats=())
    assert (tmp_path / "run.json").read_text() == "{}"
