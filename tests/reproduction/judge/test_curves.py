"""Curves against what can be worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from claim_frames import cell

from wolfnest_reproduction.judge import curves
from wolfnest_reproduction.judge.claims import CRITERIA
from wolfnest_reproduction.judge.curves import Facts


def read(*frames):
    (group,) = curves.read(pd.concat(frames), CRITERIA).values()
    return group


@pytest.mark.parametrize("end", [0.05, 0.5, 0.77, 1.0, 1.3])
def test_values_and_areas_are_those_of_the_interpolated_log_curve(end):
    frame = cell("SMVR", 0, noise=1.0, log10=lambda share: -3 * share**0.5, seeds=4)
    frame["time"] += 0.1 * (1 + frame["seed"])  # every seed has its own clock; none starts at 0
    value, mean = read(frame)["SMVR"].until("time", end)
    grid = np.linspace(0, end, 200_001)
    for seed, rows in frame.groupby("seed"):
        dense = np.interp(grid, rows["time"], np.log10(rows["frank_wolfe_gap"]))
        assert value[1, seed] == pytest.approx(dense[-1], abs=1e-12)
        assert mean[1, seed] == pytest.approx(np.trapezoid(dense, grid) / end, abs=1e-6)


def test_values_below_the_floor_count_as_the_floor():
    frame = cell("SMVR", 2, noise=0.0)
    frame.loc[frame["step"] == 20, ["optimal_gap", "gradient_mapping"]] = -1e-20, 0.0
    ends = read(frame)["SMVR"].values[:, :, -1]
    assert ends[0] == pytest.approx(np.log10(0.1 * 1e-9))
    assert ends[2] == pytest.approx(np.log10(0.1 * 1e-18))


def test_the_optimal_gap_counts_as_no_less_than_the_minimum_is_known_to():
    frame = cell("SMVR", 2, noise=0.0)
    (group,) = curves.read(frame, CRITERIA)
    (methods,) = curves.read(frame, CRITERIA, {(group, "SMVR"): Facts(certificate=0.01)}).values()
    ends = methods["SMVR"].values[:, :, -1]
    assert ends[0] == pytest.approx(-2)
    assert ends[1:] == pytest.approx(-3)


def test_a_criterion_that_nobody_has_is_left_out_and_missing_columns_are_no_error():
    frame = cell("SMVR", 2).assign(optimal_gap=np.nan).drop(columns=["time", "status"])
    curve = read(frame)["SMVR"]
    assert curve.criteria == ("frank_wolfe_gap", "gradient_mapping")
    assert np.isnan(curve.end("time"))
    assert curve.end("samples") == 1000


def test_short_runs_hold_their_last_value_and_the_order_of_rows_does_not_matter():
    frame = cell("SMVR", 2, noise=0.0)
    short = frame[(frame["seed"] != 3) | (frame["step"] <= 10)]
    curve = read(short.sample(frac=1, random_state=0))["SMVR"]
    value, _ = curve.until("samples", 1000)
    assert value[1, 3] == pytest.approx(-1 - 1)  # half of the two decades
    assert value[1, 4] == pytest.approx(-1 - 2)
    assert curve.end("samples") == 1000
