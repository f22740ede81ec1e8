"""The folder of results: whole files or none."""

import json

import numpy as np
import pytest

from wolfnest_reproduction import load
from wolfnest_reproduction.run.store import (
    BASELINE_COLUMNS,
    COLUMNS,
    Store,
    read_json,
    write_json,
)

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "results")
    made.prepare()
    return made


def columns(experiment="E2"):
    return {name: np.arange(3) for name in COLUMNS} | {"experiment": experiment}


def run_info(store, ids):
    write_json(store.info, {"cells": ids, "profile": "small"})


def test_what_a_killed_run_left_half_written_is_removed(store):
    left = store.folder / "cells" / ".abc.parquet.123.tmp"
    left.write_text("half")
    store.prepare()
    assert not left.exists()


def test_a_cell_is_finished_when_both_files_are_there(store):
    assert not store.finished("a")
    write_json(store.facts("a"), {})
    assert not store.finished("a")
    store.save("a", columns(), {"id": "a"})
    assert store.finished("a")


def test_numbers_of_numpy_are_written_as_numbers(tmp_path):
    write_json(tmp_path / "file", {"a": np.float64(0.5), "b": np.int64(3)})
    assert read_json(tmp_path / "file") == {"a": 0.5, "b": 3}
    with pytest.raises(TypeError, match="object"):
        write_json(tmp_path / "file", {"a": object()})
    with pytest.raises(ValueError, match=r"[Oo]ut of range"):
        write_json(tmp_path / "file", {"a": float("nan")})


def test_loading_reads_the_cells_of_the_latest_run_that_are_finished(store):
    for id in ("a", "b"):
        store.save(id, columns(), {"id": id, "settings": {"eta": 0.1}, "tuning": {"at_edge": []}})
    run_info(store, ["b", "c"])
    results = load(store.folder)
    assert len(results.traces) == 3
    assert tuple(results.traces.columns) == COLUMNS
    assert results.cells["id"].tolist() == ["b"]
    assert results.cells["settings"][0] == {"eta": 0.1}
    assert tuple(results.baselines.columns) == BASELINE_COLUMNS
    assert (results.info["profile"], results.folder) == ("small", store.folder)


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="wolfnest reproduce"):
        load(tmp_path)


def test_a_run_without_a_finished_cell_can_be_loaded(store):
    run_info(store, ["a"])
    results = load(store.folder)
    assert len(results.traces) == len(results.cells) == 0


def test_the_same_work_under_another_name(store):
    store.save("a", columns(), {"id": "a", "experiment": "E2", "cost": 3.0, "method": "PMVR-v1"})
    store.copy("b", "E4", "a")
    run_info(store, ["b"])
    results = load(store.folder)
    assert set(results.traces["experiment"]) == {"E4"}
    facts = results.cells.iloc[0]
    assert (facts["id"], facts["experiment"], facts["same_as"]) == ("b", "E4", "a")


def test_baselines_become_one_table(store):
    rows = [{"experiment": "E2", "solver": "exact", "time": 0.5, "optimal_gap": None}]
    store.save_baseline("x", rows)
    store.gather_baselines(["x", "missing"])
    run_info(store, [])
    found = load(store.folder).baselines
    assert found["solver"].tolist() == ["exact"]
    assert np.isnan(float(found["optimal_gap"][0]))
    json.loads(store.baseline("x").read_text())
