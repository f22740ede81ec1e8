"""One cell: its table and its description."""

import dataclasses
import functools
import json

import numpy as np
import pytest
import small

import wolfnest as wn
from wolfnest_reproduction.run import execution
from wolfnest_reproduction.run.store import COLUMNS

pytestmark = pytest.mark.usefixtures("home")

ALL = small.cells(small.experiment(methods=("PMVR-v1", "LiNASA+ICG", "automatic")))
PMVR, LINASA, AUTOMATIC = ALL


@functools.cache
def outcome(number):
    return execution.run(ALL[number], small.poser())


def rows(columns, seed):
    picked = columns["seed"] == seed
    return {k: v[picked] if isinstance(v, np.ndarray) else v for k, v in columns.items()}


def test_the_table_has_the_columns_and_rows_of_the_contract():
    columns = outcome(0).columns
    assert set(columns) == set(COLUMNS)
    assert columns["seed"].tolist() == [0] * 6 + [1] * 6
    assert rows(columns, 1)["step"].tolist() == [0, 4, 8, 12, 16, 20]
    assert rows(columns, 0)["samples"].tolist() == [32 * (step + 1) for step in range(0, 21, 4)]
    assert set(columns["status"]) == {"finished"}
    assert (columns["optimal_gap"] > -1e-9).all()
    for seed in (0, 1):
        assert (np.diff(rows(columns, seed)["time"]) > 0).all()
    assert np.array_equal(rows(columns, 0)["time"], rows(columns, 1)["time"])


def test_the_description_is_json_and_complete():
    facts = json.loads(json.dumps(outcome(0).facts, allow_nan=False))
    assert facts["id"] == PMVR.id
    assert facts["name"] == facts["method"] == "PMVR-v1"
    assert set(facts["settings"]) == {"batch", "eta", "alpha"}
    assert facts["tuning"]["runs"] == len(facts["tuning"]["scores"]) >= 4
    assert facts["samples_per_iteration"] == 32
    assert facts["lmo_per_iteration"] == 1
    assert facts["microseconds_per_iteration"] > 0
    assert (facts["budget"], facts["steps"]) == (21 * 32, 20)


def test_a_seed_is_the_key_that_gives_solve_the_same_run():
    facts, columns = outcome(0).facts, rows(outcome(0).columns, 1)
    posed = small.poser()(PMVR.problem, PMVR.data, PMVR.arguments)
    solution = wn.solve(
        posed.problem,
        wn.method(facts["name"], **facts["settings"]),
        key=1,
        budget={"samples": facts["budget"]},
        record_every=4,
        criterion=("frank_wolfe_gap", "gradient_mapping"),
        progress=False,
    )
    for name in ("frank_wolfe_gap", "gradient_mapping", "objective"):
        assert np.array_equal(columns[name], solution.trace[name])


def test_the_same_cell_gives_the_same_bits_but_for_time():
    again = execution.run(PMVR, small.poser())
    for name, column in outcome(0).columns.items():
        if name != "time":
            assert np.array_equal(column, again.columns[name])
    assert again.facts["tuning"] == outcome(0).facts["tuning"]


def test_the_gradient_mapping_has_beta_one_whatever_the_method_uses():
    cell = dataclasses.replace(LINASA, settings={**LINASA.settings, "beta": 7.0}, seeds=1)
    grid = {"tau": LINASA.grid["tau"]}
    found = execution.run(dataclasses.replace(cell, grid=grid), small.poser())
    posed = small.poser()(cell.problem, cell.data, cell.arguments)
    assert found.facts["settings"]["beta"] == 7.0
    start = float(wn.metrics.gradient_mapping(posed.problem, posed.x0, beta=1.0))
    assert found.columns["gradient_mapping"][0] == pytest.approx(start)


def test_the_automatic_choice_is_not_tuned_and_says_why():
    facts = outcome(2).facts
    assert facts["method"] == "automatic"
    assert facts["name"] == "SwPMVR-v1"  # the budget pays for less than two passes
    assert "convex" in facts["reason"]
    assert "fewer than 5 passes" in facts["reason"]
    assert facts["tuning"]["runs"] == 0
    assert facts["settings"] == {}


def test_tuning_sees_other_random_numbers_than_the_report(monkeypatch):
    keys = []
    run = execution.Runs.run
    monkeypatch.setattr(
        execution.Runs,
        "run",
        lambda self, key, *more, **kw: keys.append(key) or run(self, key, *more, **kw),
    )
    execution.run(dataclasses.replace(PMVR, tuning_seeds=3), small.poser())
    tuning = {key for key in keys if key >= execution.TUNING_KEY}
    assert len(tuning) == 3
    assert {key for key in keys if key < execution.TUNING_KEY} == {0, 1}


def test_a_run_that_diverges_says_so(monkeypatch):
    run = execution.Runs.run

    def broken(self, key, *more, **kw):
        """The run of seed 1 breaks off after its third record."""
        found = run(self, key, *more, **kw)
        if key != 1:
            return found
        trace = wn.solution.Trace({name: column[:3] for name, column in found.trace.items()})
        return dataclasses.replace(found, trace=trace, status=wn.Status.DIVERGED)

    monkeypatch.setattr(execution.Runs, "run", broken)
    found = execution.run(PMVR, small.poser())
    assert set(rows(found.columns, 0)["status"]) == {"finished"}
    second = rows(found.columns, 1)
    assert set(second["status"]) == {"diverged"}
    assert second["step"].tolist() == [0, 4, 8, 12, 16, 20]
    assert np.isfinite(second["objective"]).tolist() == [True] * 3 + [False] * 3
    assert second["lmo"].tolist() == [0, 4, 8, 8, 8, 8]
    assert found.facts["status"] == "1 of 2 runs diverged"
    json.dumps(found.facts, allow_nan=False)


def test_matrices_start_away_from_the_origin():
    posed = small.poser()("matrix_single_index", "4 x 4", {"n": 4, "rows": 50})
    assert np.isnan(posed.best)
    assert float(np.abs(np.asarray(posed.x0)).max()) > 0
    assert float(wn.metrics.frank_wolfe_gap(posed.problem, posed.x0)) > 0
