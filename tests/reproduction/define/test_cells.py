"""The experiments as data, and the names of their cells."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
import small

import wolfnest as wn
from wolfnest_reproduction import EXPERIMENTS
from wolfnest_reproduction.define import data_sets, digests, experiments
from wolfnest_reproduction.define.cells import Cell, cells_of
from wolfnest_reproduction.define.entrants import AUTOMATIC, SEPARATE, SHARED, USER, Entrant
from wolfnest_reproduction.run.plan import Plan
from wolfnest_reproduction.run.store import Store

pytestmark = pytest.mark.usefixtures("home")

OURS = {"PMVR-v1", "PMVR-v2", "PMM-v1", "PMM-v2"}
RIVALS = {"A-TSCGD", "NLASG", "Nested-SPIDER", "SCSC", "SMVR", "LiNASA+ICG"}
DATA = {f"Industry-{d}": wn.datasets.factor_model(50, d) for d in (10, 12, 17)}


def full(*names):
    return cells_of(names, experiments.FULL, DATA)


def test_what_the_paper_compares_is_there():
    for name in ("E1", "E2", "E3"):
        assert set(EXPERIMENTS[name].entrants) >= {AUTOMATIC, *map(Entrant, OURS | RIVALS)}
    for name in ("E2", "E3"):
        assert set(EXPERIMENTS[name].entrants) >= {Entrant(ours, SEPARATE) for ours in OURS}
    for name, batch in (("E4", 128), ("E5", 32)):
        shared = [each for each in EXPERIMENTS[name].entrants if each.gradient_batch == SHARED]
        variants = [each for each in shared if each.chosen_by == USER]
        assert len(variants) == 11
        assert EXPERIMENTS[name].batch == batch
    assert {name: each.seeds for name, each in EXPERIMENTS.items()} == {
        "E1": 50, "E2": 50, "E3": 10, "E4": 50, "E5": 50,
    }  # fmt: skip
    horizons = {(cell.setting, cell.horizon) for cell in full("E2")}
    assert horizons == {("λ=1", 400), ("λ=1", 4_000), ("λ=0.2", 400)}
    assert {cell.data for cell in full("E1")} == {"20 x 20 (10,000 rows)", "100 x 100 (2,000 rows)"}


def test_type_v2_tries_the_same_inner_steps_with_the_same_beta_everywhere():
    for cell in full(*EXPERIMENTS):
        if "-v2" in cell.method:
            assert cell.grid["inner"].ladder == (10, 50, 100)
            assert cell.settings["beta"] == 1.0


def test_quick_is_a_part_of_full():
    quick = cells_of(list(EXPERIMENTS), experiments.QUICK, DATA)
    for cell in quick:
        assert cell.entrant in EXPERIMENTS[cell.experiment].entrants
    assert {cell.experiment for cell in quick} == set(EXPERIMENTS)
    assert len(quick) < 3 * 30


@pytest.mark.parametrize("cell", full(*EXPERIMENTS)[::5], ids=lambda cell: cell.label)
def test_the_settings_of_a_cell_are_those_of_its_method(cell):
    if cell.entrant.name is not None:
        wn.method(cell.entrant.name, **cell.settings)


def test_seeds_and_horizon_can_be_replaced():
    cells = cells_of(["E2"], experiments.FULL, DATA, seeds=3, horizon=7)
    assert {cell.seeds for cell in cells} == {3}
    assert {cell.horizon for cell in cells} == {7}
    assert len({cell.id for cell in cells}) == len(cells)


# ---- ids -------------------------------------------------------------------------------------


def test_ids_are_different_and_the_same_in_every_process():
    cells = full(*EXPERIMENTS)
    assert len({cell.id for cell in cells}) == len(cells)
    code = (
        "import wolfnest as wn\n"
        "from wolfnest_reproduction.define import cells, experiments\n"
        "data = {'Industry-10': wn.datasets.factor_model(50, 10)}\n"
        "print(cells.cells_of(['E2'], experiments.FULL, data)[0].id)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    first = cells_of(["E2"], experiments.FULL, {"Industry-10": DATA["Industry-10"]})[0]
    assert done.stdout.strip() == first.id


CHANGES = {
    "experiment": "E4",
    "problem": "mean_deviation",
    "arguments": {"risk": 2.0},
    "data": "other",
    "digest": "0",
    "setting": "λ=2",
    "entrant": Entrant("PMVR-v1", SEPARATE),
    "settings": {"batch": 64},
    "grid": {},
    "horizon": 401,
    "batch": 64,
    "seeds": 51,
    "tuning_seeds": 4,
    "tuning_records": 11,
    "trials": 5,
    "records": 41,
}


@pytest.mark.parametrize("field", [f.name for f in dataclasses.fields(Cell)])
def test_every_change_makes_a_new_cell(field):
    cell = full("E2")[0]
    other = dataclasses.replace(cell, **{field: CHANGES[field]})
    assert other.id != cell.id
    assert (other.work == cell.work) == (field == "experiment")


def test_other_versions_make_new_cells(monkeypatch):
    before = full("E2")[0].id
    monkeypatch.setattr(wn, "__version__", "0.0.0")
    assert full("E2")[0].id != before


def test_data_count_by_their_numbers():
    table = small.table()
    changed = table.values.copy()
    changed[3, 2] += 1e-9
    same = wn.datasets.Returns(table.values.copy(), None, table.names, "elsewhere")
    other = wn.datasets.Returns(changed, None, table.names, table.source)
    assert digests.of_returns(same) == digests.of_returns(table) != digests.of_returns(other)


def test_work_that_two_experiments_share_is_done_once(tmp_path):
    cells = full("E2", "E4")
    plan = Plan.of(cells, Store(tmp_path))
    left = [task for task in plan.tasks if isinstance(task, Cell)]
    shared = [cell for others in plan.copies.values() for cell in others]
    assert {cell.entrant.name for cell in shared} == OURS | {None}
    assert {cell.experiment for cell in shared} == {"E4"}
    assert len(left) + len(shared) == len(cells)


# ---- data ------------------------------------------------------------------------------------


def test_the_paper_s_portfolios_are_taken_where_they_are(data, monkeypatch):
    assert list(data_sets.returns(data)) == ["Industry-10"]
    monkeypatch.setenv("WOLFNEST_DATA", str(data))
    assert list(data_sets.returns()) == ["Industry-10"]
    assert list(data_sets.returns(data / "industry10_daily_vw.csv")) == ["Industry-10"]


def test_at_most_so_many(data):
    text = (data / "industry10_daily_vw.csv").read_text().splitlines()
    wider = [line + ",x,y" if i == 0 else line + ",0.1,0.2" for i, line in enumerate(text)]
    (data / "industry12_daily_vw.csv").write_text("\n".join(wider) + "\n")
    assert list(data_sets.returns(data)) == ["Industry-10", "Industry-12"]
    assert list(data_sets.returns(data, most=1)) == ["Industry-10"]


def test_without_files_it_is_the_s_and_p_500():
    pytest.importorskip("skfolio")
    found = data_sets.returns()
    assert list(found) == ["S&P 500"]
    assert np.isfinite(found["S&P 500"].values).all()


def test_a_damaged_file_is_not_passed_over(data):
    (data / "industry10_daily_vw.csv").write_text("<html>")
    with pytest.raises(wn.datasets.DataError, match="industry10"):
        data_sets.returns(data)
