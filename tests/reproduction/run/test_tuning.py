"""Tuning: the same number of trials for everyone, on grids and then around the best."""

import json
import math

import numpy as np
import pytest

import wolfnest as wn
from wolfnest_reproduction.define import experiments
from wolfnest_reproduction.define.cells import cells_of
from wolfnest_reproduction.define.grids import Axis, grid
from wolfnest_reproduction.run.tuning import area, tune

pytestmark = pytest.mark.usefixtures("home")

FULL = {
    cell.method: cell
    for cell in cells_of(list(experiments.EXPERIMENTS), experiments.FULL, {})
    + [
        cell
        for name in ("E2", "E3", "E4", "E5")
        for cell in cells_of([name], experiments.FULL, {"made up": wn.datasets.factor_model(50, 3)})
    ]
}


def counted(score, *axes, total=0):
    seen = []

    def noted(settings):
        seen.append(tuple(settings.values()))
        return score(*settings.values())

    names = "ab"[: len(axes)]
    return tune(noted, dict(zip(names, axes, strict=True)), total), seen


def test_every_method_has_the_paper_s_25_settings_and_as_many_trials():
    tuned = [cell for cell in FULL.values() if cell.entrant.name is not None]
    assert len(tuned) == len(FULL) - 1
    for cell in tuned:
        sizes = [len(axis.values) for name, axis in cell.grid.items() if name != "inner"]
        assert sizes == [5, 5]
        assert cell.trials == experiments.FULL.trials > 25
        assert experiments.FULL.tuning_seeds >= cell.tuning_seeds


def test_methods_that_are_compared_are_tuned_with_the_same_seeds():
    data = {"made up": wn.datasets.factor_model(50, 3)}
    groups = {}
    for cell in cells_of(list(experiments.EXPERIMENTS), experiments.FULL, data):
        key = (cell.experiment, cell.data, cell.setting, cell.horizon)
        tuning = (cell.tuning_seeds, cell.tuning_records, cell.trials, cell.seeds)
        groups.setdefault(key, set()).add(tuning)
    assert groups
    assert all(len(tunings) == 1 for tunings in groups.values())


def test_the_grids_are_the_paper_s():
    ours = grid("PMVR-v1")
    assert ours["eta"].values == (0.001, 0.005, 0.01, 0.05, 0.1)
    assert ours["alpha"].values == (0.01, 0.03, 0.05, 0.1, 0.3)
    assert grid("SMVR")["lr"].values == ours["eta"].values
    assert grid("SwPMFS-v2")["inner"].ladder == (10, 50, 100)
    assert "inner" not in ours
    assert list(grid("A-TSCGD", levels=1)) == ["lr"]
    with pytest.raises(ValueError, match="no grid for SCGS"):
        grid("SCGS")


@pytest.mark.parametrize("name", sorted({cell.entrant.name for cell in FULL.values()} - {None}))
def test_every_value_of_every_grid_is_a_setting_of_its_method(name):
    for parameter, axis in grid(name).items():
        ladder = (*axis.below[::-1], *axis.values, *axis.above)
        assert list(ladder) == sorted(set(ladder))
        for value in ladder:
            wn.method(name, **{parameter: value})
        if axis.limit is not None:
            assert ladder[-1] == axis.limit


def test_a_best_value_inside_ends_the_search():
    found, seen = counted(lambda a, b: abs(a - 2) + abs(b - 2), Axis((1, 2, 3)), Axis((1, 2, 3)))
    assert found.settings == {"a": 2, "b": 2}
    assert (found.runs, len(seen), len(set(seen))) == (9, 9, 9)
    assert found.extended == found.at_edge == []


def test_an_end_that_wins_is_passed():
    axes = Axis((2, 3), below=(1,), above=(4, 5, 6), whole=True), Axis((1, 2, 3), whole=True)
    found, seen = counted(lambda a, b: abs(a - 5) + abs(b - 2), *axes, total=99)
    assert found.settings == {"a": 5, "b": 2}
    assert found.extended == [{"a": 4}, {"a": 5}, {"a": 6}]
    assert found.runs == len(seen) == len(set(seen))
    assert found.grid == {"a": [2, 3, 4, 5, 6], "b": [1, 2, 3]}
    assert found.at_edge == []


def test_what_is_left_goes_between_the_values():
    smooth = lambda a, b: math.log(a / 0.02) ** 2 + math.log(b / 0.2) ** 2
    axes = Axis((0.01, 0.1, 1.0), limit=1.0), Axis((0.01, 0.1, 1.0), limit=1.0)
    found, seen = counted(smooth, *axes, total=40)
    assert found.settings["a"] == pytest.approx(0.02, rel=0.2)
    assert found.settings["b"] == pytest.approx(0.2, rel=0.2)
    assert found.runs == len(seen) == len(set(seen)) <= 40
    assert found.extended == found.at_edge == []


@pytest.mark.parametrize("total", [5, 9, 14, 20])
def test_everyone_gets_the_same_number_of_trials(total):
    axis = Axis((0.1, 1, 10), below=(0.01,), above=(100, 1000))
    for score in (lambda a, b: a + b, lambda a, b: -a * b, lambda a, b: math.sin(7 * a + b)):
        found, seen = counted(score, axis, axis, total=total)
        assert found.runs == len(seen) == max(9, total)


def test_the_last_value_that_there_is_to_try_is_an_edge():
    axis = Axis((1, 2), below=(0.5,), above=(3, 4, 5), whole=True)
    found, _ = counted(lambda a, b: -a - b, axis, axis, total=99)
    assert (found.settings, found.at_edge) == ({"a": 5, "b": 5}, ["a", "b"])


def test_the_largest_possible_value_is_no_edge():
    found, _ = counted(lambda a: -a, Axis((0.1, 0.5), above=(1.0,), limit=1.0), total=9)
    assert (found.settings, found.at_edge) == ({"a": 1.0}, [])


def test_runs_that_diverge_never_win_and_are_null_in_json():
    scores = {1: math.nan, 2: math.inf, 3: 5.0}
    found, _ = counted(lambda a: scores[a], Axis((1, 2, 3)))
    assert found.settings == {"a": 3}
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert record["scores"] == [[{"a": 1}, None], [{"a": 2}, None], [{"a": 3}, 5.0]]


def test_where_all_diverge_nothing_is_extended():
    found, seen = counted(lambda a: math.nan, Axis((1, 2), below=(0.5,), above=(3,)), total=9)
    assert len(seen) == 2
    assert found.record()["score"] is None


def test_the_area_is_the_mean_log_gap_over_the_whole_budget():
    samples = np.array([100, 200, 400])
    gaps = np.array([[1.0, 0.1, 0.01], [1.0, 1.0, 1.0]])
    # 0 up to 100, then -0.5 and -1.5 on average, then -2 until 800
    one = (-0.5 * 100 - 1.5 * 200 - 2 * 400) / 800
    assert area(samples, gaps, 800) == pytest.approx(one / 2)
    assert area(samples, np.array([[1.0, np.nan, 0.01]]), 800) == math.inf
    assert area(samples, np.zeros((1, 3)), 800) == -16


def test_a_value_that_takes_time_must_earn_it() -> None:
    axis = Axis((10,), above=(50, 100), whole=True, price=0.01)
    hair, _ = counted(lambda n: -0.0001 * n, axis, total=9)
    assert hair.settings == {"a": 10}
    gain, _ = counted(lambda n: -0.001 * n, axis, total=9)
    assert gain.settings == {"a": 100}
    assert gain.score == -0.1, "scores are stored without the price"
