"""Single comparisons against what can be worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from claim_frames import cell

from wolfnest_reproduction.judge import curves
from wolfnest_reproduction.judge.claims import CRITERIA, ours_first
from wolfnest_reproduction.judge.comparisons import (
    AT_SAMPLES,
    AT_TIME,
    HALF_TIME,
    SAMPLES_AREA,
    TIME_AREA,
    compare,
)
from wolfnest_reproduction.judge.curves import Facts, Group
from wolfnest_reproduction.judge.judgement import pairs, with_best_rivals


def one(rows, measure, method="PMVR-v1", rival="SMVR", criterion="frank_wolfe_gap"):
    (found,) = [
        row
        for row in rows
        if (row.pair[1:], row.measure, row.criterion) == ((method, rival), measure, criterion)
    ]
    return found


def compared(*frames, **spreads):
    group = Group("E2", "Industry-17", "λ=1", 400)
    known = {
        (group, name.replace("_", "-")): Facts(time_spread=spread)
        for name, spread in spreads.items()
    }
    found = curves.read(pd.concat(frames), CRITERIA, known)
    met = compare(found, pairs(ours_first("E2"), found))
    return with_best_rivals([row for rows in met.values() for row in rows])


def test_equal_time_is_the_longest_that_both_ran():
    rows = compared(
        cell("PMVR-v1", 3, noise=0.0, seconds=0.5), cell("SMVR", 2, noise=0.0, seconds=2.0)
    )
    end, half, area = (one(rows, measure) for measure in (AT_TIME, HALF_TIME, TIME_AREA))
    assert (end.at, half.at, area.at) == (0.5, 0.25, 0.5)
    assert end.value == pytest.approx(0.1 * 1e-3)
    assert end.rival_value == pytest.approx(0.1 * 10**-0.5)
    assert end.interval.ratio == pytest.approx(10**-2.5)
    assert half.interval.ratio == pytest.approx(10**-1.25)
    assert area.interval.ratio == pytest.approx(10**-1.25)
    samples = one(rows, AT_SAMPLES), one(rows, SAMPLES_AREA)
    assert [row.interval.ratio for row in samples] == pytest.approx([10**-1, 10**-0.5])
    assert {row.outcome for row in rows} == {"better"}
    assert [row.counted for row in (end, half, area)] == [True, False, True]


@pytest.mark.parametrize(("spread", "outcome"), [(0.0, "better"), (0.04, "better"), (0.1, "open")])
@pytest.mark.parametrize("whose", ["PMVR_v1", "SMVR"])
def test_the_clock_may_leave_a_comparison_open(whose, spread, outcome):
    # Both fall by two decades, ours in 1 s and the rival in 1.06 s.
    ours, theirs = cell("PMVR-v1", 2, noise=0.001), cell("SMVR", 2, noise=0.001, seconds=1.06)
    rows = compared(ours, theirs, **{whose: spread})
    for measure in (AT_TIME, HALF_TIME, TIME_AREA):
        row = one(rows, measure)
        assert (row.outcome, row.time_spread) == (outcome, spread)
        assert row.interval.high < 0  # the interval is that of the times as they were measured
        assert row.left_open_by_the_clock == (outcome == "open")
    assert one(rows, AT_SAMPLES).outcome == "open"  # the same at equal samples
    assert not one(rows, AT_SAMPLES).left_open_by_the_clock


def test_the_clock_does_not_touch_samples_nor_clear_wins():
    ours, theirs = cell("PMVR-v1", 3), cell("SMVR", 2)
    rows = compared(ours, theirs, SMVR=0.3)
    assert {row.outcome for row in rows} == {"better"}
    assert {row.outcome for row in compared(ours, theirs, SMVR=0.9)} == {"better", "open"}


def test_seeds_are_paired_by_number():
    luck = {"noise": 1.0, "records": 5}
    ours, theirs = cell("PMVR-v1", 2.0, **luck), cell("SMVR", 2.0, **luck)
    ours[list(CRITERIA)] = 0.9 * theirs[list(CRITERIA)]  # the same luck, always 10 % better
    assert one(compared(ours, theirs), AT_SAMPLES).outcome == "better"
    shuffled = ours.assign(seed=(ours["seed"] + 1) % 10)
    assert one(compared(shuffled, theirs), AT_SAMPLES).outcome == "open"
    fewer = one(compared(ours, theirs[theirs["seed"] > 5]), AT_SAMPLES)
    assert (fewer.seeds, fewer.outcome) == (4, "better")
    assert not compared(ours, theirs.assign(seed=theirs["seed"] + 100))


def lose(frame, seeds):
    frame = frame.copy()
    frame.loc[frame["seed"].isin(seeds) & (frame["step"] > 15), list(CRITERIA)] = np.nan
    return frame


@pytest.mark.parametrize("how", ["nan", "status"])
def test_a_run_that_diverged_is_infinitely_bad_from_its_start(how):
    ours, theirs = cell("PMVR-v1", 3), cell("SMVR", 2)
    lost = lose(ours, range(10)) if how == "nan" else ours.assign(status="diverged")
    rows = compared(lost, theirs)
    assert {row.outcome for row in rows} == {"worse"}
    assert {(row.value, row.interval.ratio, row.lost) for row in rows} == {(np.inf, np.inf, 10)}
    assert {row.outcome for row in compared(ours, lose(theirs, range(10)))} == {"better"}
    tied = compared(lost, lose(theirs, range(10)))
    assert {(row.outcome, row.interval.ratio, row.interval.low) for row in tied} == {
        ("open", 1.0, 0.0)
    }


def test_one_lost_run_of_ten_leaves_a_comparison_open():
    row = one(compared(lose(cell("PMVR-v1", 3), [4]), cell("SMVR", 2)), AT_SAMPLES)
    assert (row.outcome, row.lost, row.rival_lost) == ("open", 1, 0)
    assert row.interval.high == np.inf
    both = one(compared(lose(cell("PMVR-v1", 3), [4]), lose(cell("SMVR", 2), [4])), AT_SAMPLES)
    assert both.outcome == "better"  # the same seed: a tie, and nine wins


def test_the_best_rival_is_the_one_against_which_a_method_does_worst():
    rows = compared(cell("PMVR-v1", 3), cell("SMVR", 2.5), cell("SCSC", 2), cell("NLASG", 1))
    assert {row.pair.rival for row in rows if row.best_rival} == {"SMVR"}
    assert sum(row.best_rival for row in rows) * 3 == len(rows)
