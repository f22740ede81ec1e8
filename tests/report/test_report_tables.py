"""Aggregate tables and the summary."""

import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest
import synthetic

from wolfnest.report import averages, files, summary, tables


@pytest.fixture(scope="module")
def found(results):
    return averages.points(results.traces)


def read(site, name):
    return pd.read_csv(site / "tables" / f"{name}.csv", keep_default_na=False, na_values=[""])


def test_all_tables_are_written(site):
    names = {path.name for path in (site / "tables").iterdir()}
    assert names == {
        f"{name}.csv"
        for name in ("final", "areas", "tuned", "costs", "baselines", "claims", "comparisons")
    }


def test_final_values_have_mean_and_interval(site, found):
    table = read(site, "final")
    last = averages.last(found)
    assert len(table) == sum(np.isfinite(last[name]).sum() for name in averages.CRITERIA)
    one = table[
        (table["experiment"] == "E2")
        & (table["data"] == "Industry-10")
        & (table["method"] == "PMM-v1")
        & (table["horizon"] == 4000)
        & (table["criterion"] == "frank_wolfe_gap")
    ].iloc[0]
    assert one["low"] < one["mean"] < one["high"]
    assert (one["average"], one["group"], one["step"]) == ("geometric mean", "ours", 4000)
    assert set(table.loc[table["criterion"] == "objective", "average"]) == {"mean"}
    assert set(table.loc[table["experiment"] == "E1", "criterion"]) == {
        *("objective", "frank_wolfe_gap", "gradient_mapping")
    }


def test_areas_are_means_of_logarithms_over_a_common_range():
    steps = np.array([0, 1, 2, 4])
    rows = [
        {"experiment": "E2", "data": "D", "setting": "", "horizon": 4, "method": method,
         "batch": 1, "seed": seed, "step": step, "time": step * pace, "samples": step, "lmo": 0,
         "objective": 0.0, "optimal_gap": np.nan, "frank_wolfe_gap": 10.0 ** (-step),
         "gradient_mapping": 1.0, "status": "done"}
        for method, pace in (("PMM-v1", 1.0), ("SCSC", 2.0)) for seed in range(2) for step in steps
    ]  # fmt: skip
    table = tables.areas(pd.DataFrame(rows)).set_index(["method", "criterion", "axis"])
    assert table.loc[("PMM-v1", "frank_wolfe_gap", "samples"), "mean_log10"] == pytest.approx(-2)
    assert table.loc[("SCSC", "frank_wolfe_gap", "time"), "mean_log10"] == pytest.approx(-1)
    assert table.loc[("SCSC", "frank_wolfe_gap", "time"), "until"] == 4
    assert table["low"].le(table["mean_log10"] + 1e-12).all()
    assert "optimal_gap" not in {name for _, name, _ in table.index}


def test_tuned_settings_come_with_their_grid(site, results):
    table = read(site, "tuned")
    assert len(table) == len(results.cells)
    assert json.loads(table["settings"].iloc[0]) == {"eta": 0.01, "alpha": 0.003}
    assert json.loads(table["grid"].iloc[0])["alpha"] == [0.01, 0.03, 0.05, 0.1, 0.3]
    assert json.loads(table["at_edge"].iloc[0]) == ["alpha"]
    assert table["method"].iloc[:2].tolist() == ["PMVR-v1", "PMVR-v2"]


def test_costs_have_one_row_per_cell(site, results):
    table = read(site, "costs")
    assert len(table) == len(results.cells)
    assert {"microseconds_per_iteration", "samples_per_iteration"} <= set(table)


def test_baselines_stand_beside_the_best_sampling_method_by_then(results, found):
    table = tables.against_baselines(results.baselines, found)
    assert len(table) == len(results.baselines)
    for row in table.to_dict("records"):
        part = found[(found["experiment"] == row["experiment"]) & (found["data"] == row["data"])]
        part = part[(part["time"] <= row["time"]) & (part["optimal_gap_lost"] == 0)]
        assert row["best_value"] == part["optimal_gap"].min()
        assert row["best_time"] <= row["time"]
    assert tables.against_baselines(None, found).empty
    early = tables.against_baselines(results.baselines.assign(time=-1.0), found)
    assert early["best_method"].eq("").all()


def test_many_comparisons_are_cut_to_the_strongest_rivals(judgement, results, found, tmp_path):
    figures = pd.concat([judgement.figures] * 12, ignore_index=True)
    figures = figures.assign(counted=True, best_rival=figures["rival"] == "NLASG")
    assert len(figures) > tables.MOST
    many = synthetic.Judgement(judgement.verdicts, figures)
    tables.write(results, found, many, tmp_path)
    short = pd.read_csv(tmp_path / "comparisons.csv")
    assert set(short["rival"]) == {"NLASG"}
    whole = gzip.decompress((tmp_path / "comparisons-all.csv.gz").read_bytes())
    assert len(pd.read_csv(io.BytesIO(whole))) == len(figures)


def test_tables_do_without_cells_and_baselines(small, tmp_path):
    averaged = averages.points(small.traces)
    bare = synthetic.Results(small.traces, pd.DataFrame(), pd.DataFrame(), {})
    written = tables.write(bare, averaged, None, tmp_path)
    assert [path.name for path in written] == ["final.csv", "areas.csv"]


def test_the_summary_shows_claims_and_two_figures(results, judgement, tmp_path):
    names = ["E1-time.png", "E2-samples.png", "E2-time.png", "E2-time.pdf", "E4-time.png"]
    text = summary.markdown(results.info, judgement, [tmp_path / name for name in names], tmp_path)
    assert text.count("![") == 2
    assert "](E2-time.png)" in text
    assert "](E4-time.png)" in text
    assert "| C3 |" in text
    assert "**does not hold**" in text
    assert results.info["command"] in text
    assert summary.markdown({}, None, [], tmp_path).startswith("# Results")


def test_the_summary_keeps_its_table_whole(tmp_path):
    odd = synthetic.Verdict("C1", "a | b\nc", "holds", "x|y", [])
    text = summary.markdown({}, synthetic.Judgement([odd], pd.DataFrame()), [], tmp_path)
    assert r"| C1 | a \| b c | **holds** | x\|y |" in text


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    files.store(tmp_path / "a.txt", "one")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        files.store(tmp_path / "a.txt", "two")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "one"
