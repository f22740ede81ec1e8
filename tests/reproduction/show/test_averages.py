"""Averages over seeds against plain loops; lost runs; what is refused."""

import numpy as np
import pytest
from scipy import stats

from wolfnest_reproduction.show import averages, axis_limits


def row(found, **where):
    for key, value in where.items():
        found = found[found[key] == value]
    assert len(found) == 1
    return found.iloc[0]


CELL = {"experiment": "E3", "data": "Industry-17", "method": "SMVR", "horizon": 400}


def values(results, criterion, step):
    part = results.traces
    for key, value in {**CELL, "step": step}.items():
        part = part[part[key] == value]
    return part[criterion].to_numpy()


@pytest.mark.parametrize("criterion", ["optimal_gap", "frank_wolfe_gap", "gradient_mapping"])
def test_mean_and_interval_of_logarithms(results, criterion):
    logs = np.log(values(results, criterion, 400))
    low, high = stats.t.interval(0.95, len(logs) - 1, logs.mean(), stats.sem(logs))
    found = row(averages.points(results.traces), **CELL, step=400)
    assert found[criterion] == pytest.approx(np.exp(logs.mean()))
    assert found[f"{criterion}_low"] == pytest.approx(np.exp(low))
    assert found[f"{criterion}_high"] == pytest.approx(np.exp(high))
    assert found[f"{criterion}_lost"] == 0


def test_the_objective_is_averaged_as_it_is(results):
    plain = values(results, "objective", 400)
    low, high = stats.t.interval(0.95, len(plain) - 1, plain.mean(), stats.sem(plain))
    found = row(averages.points(results.traces), **CELL, step=400)
    assert found["objective"] == pytest.approx(plain.mean())
    assert found["objective_low"] == pytest.approx(low)
    assert found["objective_high"] == pytest.approx(high)


def test_axes_are_means_and_rows_do_not_depend_on_order(results):
    found = averages.points(results.traces)
    one = row(found, **CELL, step=400)
    assert one["time"] == pytest.approx(values(results, "time", 400).mean())
    assert one["samples"] == 400 * 256
    shuffled = results.traces.sample(frac=1, random_state=1)
    again = averages.points(shuffled)
    assert again[averages.CELL].equals(found[averages.CELL])
    np.testing.assert_allclose(again["optimal_gap"], found["optimal_gap"], rtol=1e-12)


def test_lost_runs_are_left_out_and_counted(results):
    found = averages.points(results.traces)
    lost = found[(found["experiment"] == "E2") & (found["method"] == "Nested-SPIDER")]
    assert set(lost["optimal_gap_lost"]) == {0, 1}
    assert np.isfinite(lost["optimal_gap"]).all()
    assert lost.groupby(averages.CELL, sort=False).tail(1)["optimal_gap_lost"].eq(1).all()


def test_no_run_left_gives_no_value(small):
    traces = small.traces.copy()
    traces.loc[traces["method"] == "SCSC", "optimal_gap"] = np.inf
    found = averages.points(traces)
    gone = found[found["method"] == "SCSC"]
    assert gone["optimal_gap"].isna().all()
    assert gone["optimal_gap_lost"].eq(3).all()


def test_one_seed_has_no_interval(small):
    found = averages.points(small.traces[small.traces["seed"] == 0])
    assert np.isfinite(found["optimal_gap"]).all()
    assert found["optimal_gap_high"].isna().all()


def test_zero_counts_as_the_floor(small):
    traces = small.traces.copy()
    traces.loc[traces["step"] > 0, ["optimal_gap", "gradient_mapping"]] = -1e-17
    found = averages.points(traces)
    later = found[found["step"] > 0]
    start = found["optimal_gap"].iloc[0]
    np.testing.assert_allclose(later["optimal_gap"], 1e-9 * start, rtol=1e-6)
    np.testing.assert_allclose(later["gradient_mapping"], 1e-18 * start**2, rtol=1e-6)


def test_missing_settings_are_no_setting(small):
    found = averages.points(small.traces.assign(setting=None))
    assert set(found["setting"]) == {""}


def test_missing_columns_are_named(small):
    with pytest.raises(ValueError, match=r"without the columns lmo, objective\..*reproduce"):
        averages.points(small.traces.drop(columns=["lmo", "objective"]))
    with pytest.raises(ValueError, match="without rows"):
        averages.points(small.traces.head(0))


def test_an_axis_shows_what_is_comparable():
    assert axis_limits.right([]) == 1.0
    assert axis_limits.right([0.0]) == 1.0
    low, high = axis_limits.vertical(
        [np.array([1.0, 1e-3]), np.array([1.0, 1e9])], logarithmic=True
    )
    assert low < 1e-3
    assert 10 < high < 100
    low, high = axis_limits.vertical(
        [np.array([1.0, 0.0]), np.array([1.0, 1e9])], logarithmic=False
    )
    assert low < 0
    assert 2 < high < 3
    assert axis_limits.vertical([np.array([np.nan])], logarithmic=True) is None
    assert axis_limits.vertical([np.array([1.0])], logarithmic=True) == (0.5, 2.0)
