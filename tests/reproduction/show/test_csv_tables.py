"""Aggregate tables and the summary."""

import gzip
import io
import json

import judged
import numpy as np
import pandas as pd
import pytest
import synthetic

from wolfnest.common import files
from wolfnest.common.formatting import timing
from wolfnest_reproduction.judge.judgement import Judgement
from wolfnest_reproduction.show import (
    averages,
    baseline_curves,
    csv_tables,
    summary,
    verdict_tables,
)


@pytest.fixture(scope="module")
def found(results):
    return averages.points(results.traces)


def read(site, name):
    return pd.read_csv(site / "tables" / f"{name}.csv", keep_default_na=False, na_values=[""])


def test_all_tables_are_written(site):
    names = {path.name for path in (site / "tables").iterdir()}
    assert names == {
        f"{name}.csv"
        for name in (
            *("final", "areas", "tuned", "costs", "baselines"),
            *("claims", "parts", "factors", "comparisons", "beside"),
        )
    }


def test_final_values_have_mean_and_interval(site, found):
    table = read(site, "final")
    last = found.groupby(averages.CELL, sort=False).tail(1)
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
    table = csv_tables.areas(pd.DataFrame(rows)).set_index(["method", "criterion", "axis"])
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


def test_many_comparisons_are_cut_to_the_strongest_rivals(judgement, results, found, tmp_path):
    figures = pd.concat([judgement.figures] * 12, ignore_index=True)
    figures = figures.assign(counted=True, best_rival=figures["rival"] == "NLASG")
    assert len(figures) > verdict_tables.MOST
    many = Judgement(judgement.verdicts, figures, judgement.beside)
    csv_tables.write(results, found, many, tmp_path)
    short = pd.read_csv(tmp_path / "comparisons.csv")
    assert set(short["rival"]) == {"NLASG"}
    whole = gzip.decompress((tmp_path / "comparisons-all.csv.gz").read_bytes())
    assert len(pd.read_csv(io.BytesIO(whole))) == len(figures)


def test_tables_do_without_cells_and_baselines(small, tmp_path):
    averaged = averages.points(small.traces)
    bare = synthetic.Results(small.traces, pd.DataFrame(), pd.DataFrame(), {})
    written = csv_tables.write(bare, averaged, None, tmp_path)
    assert [path.name for path in written] == ["final.csv", "areas.csv"]


def test_claims_are_counted_in_tables(site, judgement):
    claims, parts, factors = (read(site, name) for name in ("claims", "parts", "factors"))
    assert claims["incomplete"].tolist() == [False, True, False, False, False]
    first = parts.iloc[0]
    assert (first["better"], first["open"], first["worse"]) == (14, 7, 11)
    assert (first["best_rival_better"], first["best_against_best_better"]) == (4, 2)
    assert len(parts) == sum(
        1 + len(part.finer) for one in judgement.verdicts for part in one.parts
    )
    assert (factors["better"] + factors["open"] + factors["worse"]).iloc[:2].tolist() == [16, 16]


def test_what_stands_beside_the_claims_is_a_table_of_its_own(site, judgement):
    table = read(site, "beside")
    assert len(table) == len(judgement.beside)
    assert set(table["form"]) == {"separate batches", "automatic choice"}
    assert table["outcome"].tolist() == judgement.beside["outcome"].tolist()


def test_claims_of_an_earlier_report_do_not_stay(small, judgement, tmp_path):
    averaged = averages.points(small.traces)
    csv_tables.write(small, averaged, judgement, tmp_path)
    csv_tables.write(small, averaged, judged.nothing(), tmp_path)
    names = {path.stem for path in tmp_path.iterdir()}
    assert not names & {"claims", "parts", "factors", "comparisons", "beside"}


def lines(text, start):
    return [line for line in text.splitlines() if line.startswith(start)]


def test_the_summary_shows_claims_and_two_figures(results, found, judgement, tmp_path):
    names = ["E1-time.png", "E2-samples.png", "E2-time.png", "E2-time.pdf", "E4-time.png"]
    paths = [tmp_path / name for name in names]
    text = summary.markdown(results, found, judgement, paths, tmp_path)
    assert text.count("![") == 2
    assert "](E2-time.png)" in text
    assert "](E4-time.png)" in text
    assert "**does not hold**" in text
    (second,) = lines(text, "| C2 |")
    assert "**partly, incomplete** | ours against rivals | 14 of 32 | 4 of 8 | 2 of 3 |" in second
    assert results.info["command"] in text
    assert results.info["note"] in text
    bare = synthetic.Results(results.traces, pd.DataFrame(), pd.DataFrame(), {})
    assert summary.markdown(bare, found, None, [], tmp_path).startswith("# Results")


def test_the_summary_says_what_came_out_in_sentences(results, found, judgement):
    told = summary.short(results, found, judgement)
    assert told[0] == (
        "The paper’s claims: holds: C1 (faster than the rivals on matrices); partly, incomplete: "
        "C2 (faster than the rivals on mean-variance); does not hold: C3 (faster than the rivals "
        "on mean-deviation); not tested: C4 (snapshots and stages pay); partly: C5 (PMVR for large "
        "batches, PMM for small ones)."
    )
    aside = judgement.beside
    for sentence, form in zip(told[1:3], ("separate batches", "automatic choice"), strict=True):
        for measure in ("at equal samples", "at equal time"):
            rows = aside[(aside["form"] == form) & (aside["measure"] == measure)]
            better = int((rows["outcome"] == "better").sum())
            worse = int((rows["outcome"] == "worse").sum())
            assert f"{measure} in {better} of {len(rows)} comparisons (higher in {worse};" in (
                sentence
            )
    assert [sentence[:60] for sentence in told[3:]] == [
        "Without sampling, E2 (Mean-variance portfolio) is solved on ",
        "Without sampling, E3 (Mean-deviation portfolio) is solved on",
    ]
    leads = baseline_curves.against(results.baselines, found).groupby("experiment")["ahead_until"]
    for sentence, (_, lead) in zip(told[3:], leads, strict=True):
        low, high = timing(lead.min()), timing(lead.max())
        assert "in 20 ms; sampling methods, their tuning not counted, are ahead for" in sentence
        assert sentence.endswith(f"the first {low} to {high}." if low < high else f"first {low}.")


def test_the_summary_tells_solved_from_unsolved_and_never_ahead_from_always():
    rows = pd.DataFrame(
        {"experiment": ["E1", "E1", "E3", "E3"], "data": ["a", "b", "a", "b"], "setting": "",
         "time": [3.0, 4.0, 1.0, 2.0], "solved": [np.nan, 4.0, 1.0, 2.0],
         "ahead_until": [np.inf, np.nan, 1.0, 2.0]}
    )  # fmt: skip
    first, second = summary._exact(rows)
    assert "is solved on all data in 4 s (on 1 of 2 problems) and is not solved in 3 s (on" in first
    assert "ahead all the time (on 1 of 2 problems) and never ahead (on 1 of 2" in first
    assert second.endswith("in 1 s to 2 s; sampling methods, their tuning not counted, are ahead "
                           "until then.")  # fmt: skip


def test_the_summary_keeps_its_table_whole(results, found, tmp_path):
    odd = Judgement(
        [judged.verdict("C1", "holds", "a | b\nc")],
        judged.nothing().figures,
        judged.nothing().beside,
    )
    text = summary.markdown(results, found, odd, [], tmp_path)
    (line,) = lines(text, "| C1")
    assert r"| C1 | a \| b c | **holds** |" in line


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    files.store(tmp_path / "a.txt", "one")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(files.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        files.store(tmp_path / "a.txt", "two")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "one"
