"""Solvers without sampling: their curves, where they are drawn, and when sampling is ahead."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
import synthetic

from browsing import NIGHT, PAPER, contrast, unpack
from wolfnest_reproduction.show import (
    averages,
    baseline_curves,
    captions,
    figures,
    legend,
    page_tables,
    payload,
)
from wolfnest_reproduction.show.baseline_curves import Baseline


@pytest.fixture(scope="module")
def found(results):
    return averages.points(results.traces)


@pytest.fixture(scope="module")
def solvers(results, found):
    return baseline_curves.read(results.baselines, found)


def test_every_experiment_with_the_same_problem_has_the_solver(solvers):
    shared = {one.experiments for one in solvers}
    assert shared == {("E2", "E4", "E5"), ("E3",)}
    assert {one.name for one in solvers} == {"exact Frank-Wolfe", "CVXPY (CLARABEL)"}
    assert {one.name for one in solvers if one.is_curve} == {"exact Frank-Wolfe"}


def test_what_was_not_run_has_no_curve(results, found):
    nothing = results.baselines.assign(time=None, curve=None)
    assert baseline_curves.read(nothing, found) == []
    assert baseline_curves.read(None, found) == baseline_curves.read(pd.DataFrame(), found) == []
    table = baseline_curves.against(nothing, found)
    assert table["best_method"].eq("").all()
    assert table["ahead_until"].isna().all()
    assert baseline_curves.against(None, found).empty


def test_the_lowest_sampling_method_by_then_is_found(results, found):
    table = baseline_curves.against(results.baselines, found)
    assert len(table) == len(results.baselines)
    assert "curve" not in table
    same = {"E2": ["E2", "E4", "E5"], "E3": ["E3"]}
    for row in table.to_dict("records"):
        part = found[
            found["experiment"].isin(same[row["experiment"]]) & (found["data"] == row["data"])
        ]
        part = part[(part["time"] <= row["time"]) & (part["optimal_gap_lost"] == 0)]
        assert row["best_value"] == part["optimal_gap"].min()
        best = part[part["optimal_gap"] == row["best_value"]].iloc[0]
        assert (row["best_method"], row["best_experiment"]) == (best["method"], best["experiment"])


def test_solvers_that_stopped_before_are_marked(results, found):
    stopped = results.baselines["solver"] == "exact Frank-Wolfe"
    half = stopped & (results.baselines["data"] == "Industry-17")
    notes = np.where(half, "stopped", np.where(stopped, "solved", results.baselines["note"]))
    given = results.baselines.assign(
        note=notes,
        curve=results.baselines["curve"].where(~stopped),
        optimal_gap=np.where(half, 0.1, 1e-10),
    )
    grid, notes = page_tables.baselines(dataclasses.replace(results, baselines=given), found)
    assert sum(row[3].endswith(", not solved") for row in grid.rows) == half.sum() > 0
    assert "exact Frank-Wolfe: solved, else stopped." in notes


def until(sampled, *solvers, gap="frank_wolfe_gap"):
    """`ahead` of one sampling method given as (time, value) pairs."""
    part = pd.DataFrame(sampled, columns=["time", gap]).assign(**{f"{gap}_lost": 0})
    made = [
        Baseline("", ("E2",), "D", "", np.array(x, float), {gap: np.array(y, float)})
        for x, y in (zip(*pairs, strict=True) for pairs in solvers)
    ]
    return baseline_curves.ahead(part, made, gap)


def test_the_lead_of_sampling_ends_where_a_solver_comes_lower():
    sampled = [(1, 1.0), (2, 0.5), (5, 0.48)]
    assert until(sampled, [(3, 0.9), (4, 0.45), (6, 0.01)]) == 4
    assert until(sampled, [(3, 0.9), (4, 0.45), (6, 0.01)], [(2.5, 0.1)]) == 2.5
    again = [*sampled[:2], (5, 0.4)]
    assert until(again, [(4, 0.45), (6, 0.01)]) == 6


def test_a_lead_may_never_begin_or_never_end():
    assert math.isnan(until([(1, 1.0)], [(0.5, 0.1)]))
    assert until([(1, 1.0), (9, 0.05)], [(2, 0.1)]) == math.inf
    assert math.isnan(until([(1, 1.0)]))
    # what was reached stays reached
    assert until([(1, 0.2), (2, 5.0)], [(3, 0.1)]) == 3


def test_a_solved_problem_ends_the_lead():
    sampled = [(1, 0.5), (9, 1e-12)]
    assert until(sampled, [(2, 1.0), (8, 2e-6)]) == math.inf
    # within the tolerance of what it began with, 1e-6: no matter what comes later
    assert until(sampled, [(2, 1.0), (8, 1e-6)]) == 8
    assert until([(1, 1e-12)], [(2, 1.0), (8, 1e-6)]) == 8
    assert until([(1, 1e-12)], [(2, 1.0), (8, 2e-6)]) == math.inf


def test_problems_are_solved_or_not(results, found):
    times = {"exact Frank-Wolfe": 0.02, "CVXPY (CLARABEL)": 0.1}
    for one in baseline_curves.read(results.baselines, found):
        assert one.solved == times[one.name]
    for one in baseline_curves.read(results.baselines.assign(curve=None, optimal_gap=1e-6), found):
        assert one.solved == math.inf  # the objective is -0.4
    table = baseline_curves.against(results.baselines.assign(curve=None, optimal_gap=1e-6), found)
    assert table["solved"].isna().all()


def test_lost_methods_lead_nowhere():
    part = pd.DataFrame({"time": [1.0], "optimal_gap": [1e-9], "optimal_gap_lost": [1]})
    solver = Baseline("", ("E2",), "D", "", np.array([2.0]), {"optimal_gap": np.array([1.0])})
    assert math.isnan(baseline_curves.ahead(part, [solver], "optimal_gap"))


def test_curves_come_back_from_the_page_as_they_went_in(found, solvers):
    chart = payload.payload(found, solvers)
    names = [one["name"] for one in chart["methods"]]
    assert [one["group"] for one in chart["methods"][-2:]] == ["exact", "exact"]
    for packed, solver in zip(chart["exact"], solvers, strict=True):
        assert names[packed["m"]] == solver.name
        assert packed["e"] == solver.experiments
        np.testing.assert_allclose(unpack(packed["x"]["time"]), solver.time, rtol=1e-3)
        for name in ("optimal_gap", "frank_wolfe_gap"):
            ((logs),) = packed["y"][name]
            np.testing.assert_allclose(10 ** unpack(logs), solver.values[name], rtol=3e-4)
        assert "gradient_mapping" not in packed["y"]


def test_gaps_that_are_rounding_can_be_drawn(results, found):
    rounded = results.baselines.assign(optimal_gap=-1e-17, curve=None)
    values = [one.values["optimal_gap"] for one in baseline_curves.read(rounded, found)]
    assert all((one == baseline_curves.LEAST).all() for one in values)


def test_figures_against_time_have_the_curves_of_their_data(found, solvers):
    part = found[(found["experiment"] == "E4") & (found["horizon"] == 4000)]
    figure = figures.draw(part, "time", "", solvers)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"exact Frank-Wolfe", "CVXPY (CLARABEL)"} <= set(names)
    colour = legend.solver("exact Frank-Wolfe").colour
    for panel, data in ((figure.axes[0], "Industry-10"), (figure.axes[3], "Industry-17")):
        curve, end = (line for line in panel.lines if line.get_color() == colour)
        (wanted,) = [one for one in solvers if one.is_curve and "E4" in one.experiments
                     and one.data == data]  # fmt: skip
        np.testing.assert_allclose(curve.get_ydata(), wanted.values["optimal_gap"])
        np.testing.assert_allclose(curve.get_xdata(), 1e3 * wanted.time)
        assert end.get_xdata()[0] == pytest.approx(100.0)  # the line of CVXPY, in ms
    mapping = figure.axes[2]
    assert colour not in {line.get_color() for line in mapping.lines if len(line.get_xdata())}


def test_solvers_do_not_stretch_the_axes_by_more_than_a_decade(found, solvers):
    part = found[(found["experiment"] == "E2") & (found["horizon"] == 4000)]
    without = figures.draw(part, "time").axes[0]
    with_them = figures.draw(part, "time", "", solvers).axes[0]
    assert with_them.get_xlim() == without.get_xlim()
    deeper = without.get_ylim()[0] / with_them.get_ylim()[0]
    assert 9 < deeper < 15  # a decade, and the margin


def test_figures_against_samples_say_why_they_are_missing(found, solvers):
    part = found[(found["experiment"] == "E2") & (found["horizon"] == 400)]
    figure = figures.draw(part, "samples", "", solvers)
    names = {text.get_text() for text in figure.legends[0].get_texts()}
    assert not names & {"exact Frank-Wolfe", "CVXPY (CLARABEL)"}
    assert "draw no batches" in figure.texts[0].get_text()
    assert "draw no batches" not in figures.draw(part, "samples").texts[0].get_text()


def test_captions_say_when_a_solver_was_done(solvers):
    here = [one for one in solvers if "E2" in one.experiments]
    assert captions.exact(here, "time", " s").endswith("CVXPY (CLARABEL) was done, after 0.1 s.")
    assert captions.exact([], "time") == ""


def test_solvers_stand_out_and_differ_from_all_methods():
    names = sorted({name for cast in synthetic.CAST.values() for name in cast})
    looks = [*map(legend.look, names), *legend.SOLVERS.values(), legend.solver("CVXPY (X)")]
    shapes = [(one.marker, one.filled, one.dash) for one in looks]
    assert len(set(shapes)) == len(shapes)
    for one in looks:
        assert contrast(one.colour, PAPER) >= 3
        assert contrast(one.dark, NIGHT) >= 3
