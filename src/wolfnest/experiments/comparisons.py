"""Every comparison behind the claims: two methods, one group, one criterion, one measure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from wolfnest.experiments.bootstrap import intervals
from wolfnest.experiments.curves import Curve, Group, infinite
from wolfnest.experiments.statements import CLAIMS, SEPARATE, Claim, Contest

MEASURES = (
    AT_TIME := "at equal time",
    HALF_TIME := "at half the equal time",
    AT_SAMPLES := "at equal samples",
    TIME_AREA := "area under log-curve (time)",
    SAMPLES_AREA := "area under log-curve (samples)",
)
AXIS_MEASURES = {"time": (AT_TIME, TIME_AREA), "samples": (AT_SAMPLES, SAMPLES_AREA)}
IN_TIME = (AT_TIME, HALF_TIME, TIME_AREA)

Curves = dict[Group, dict[str, Curve]]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A row of the figures. Below 0 (ratio below 1), the method is better than the rival.

    `value` and `rival_value` are geometric means over the seeds; of an area, of the curve from 0
    to `at` and over the seeds. `ratio` is their quotient, `low` and `high` bound its log10.
    `counted` are the comparisons on which verdicts rest.
    """

    claim: str
    part: str
    experiment: str
    data: str
    setting: str
    horizon: int
    criterion: str
    measure: str
    method: str
    rival: str
    value: float
    rival_value: float
    ratio: float
    low: float
    high: float
    outcome: str
    log10_ratio: float
    at: float
    seeds: int
    lost: int
    rival_lost: int
    best_rival: bool
    counted: bool

    @property
    def group(self) -> Group:
        return Group(self.experiment, self.data, self.setting, self.horizon)

    @property
    def by_time(self) -> bool:
        return self.measure in IN_TIME


class Meeting(NamedTuple):
    """Two methods of a group, for a part of a claim."""

    claim: Claim
    contest: Contest
    group: Group
    method: str
    rival: str

    @property
    def pair(self) -> tuple[Group, str, str]:
        return self.group, self.method, self.rival


class Duel(NamedTuple):
    """Two methods at one measure; every entry but the first has one row per criterion."""

    at: float
    difference: np.ndarray  # of the log10 values, seed by seed
    values: list[float]
    rival_values: list[float]
    lost: list[int]
    rival_lost: list[int]


class Interval(NamedTuple):
    mean: float
    low: float
    high: float

    @property
    def ratio(self) -> float:
        return 10.0**self.mean

    @property
    def outcome(self) -> str:
        return "better" if self.high < 0 else "worse" if self.low > 0 else "open"


def duel(ours: Curve, theirs: Curve) -> dict[str, Duel]:
    """Two methods of a group at all measures; {} where they share no seed."""
    seeds, mine, other = np.intersect1d(ours.seeds, theirs.seeds, return_indices=True)
    lost = ours.lost[:, mine].sum(axis=1).tolist(), theirs.lost[:, other].sum(axis=1).tolist()
    found: dict[str, Duel] = {}

    def add(measure: str, at: float, logs: np.ndarray, rival_logs: np.ndarray) -> None:
        logs, rival_logs = logs[:, mine], rival_logs[:, other]
        values, rival_values = (10 ** infinite(y.mean(axis=1)) for y in (logs, rival_logs))
        found[measure] = Duel(at, logs - rival_logs, values.tolist(), rival_values.tolist(), *lost)

    for axis, measures in AXIS_MEASURES.items():
        end = min(ours.end(axis), theirs.end(axis))
        if not seeds.size or not end > 0:  # NaN where not recorded
            continue
        at_end, area = zip(ours.until(axis, end), theirs.until(axis, end), strict=True)
        add(measures[0], end, *at_end)
        add(measures[1], end, *area)
        if axis == "time":
            half = end / 2
            add(HALF_TIME, half, ours.until(axis, half)[0], theirs.until(axis, half)[0])
    return {measure: found[measure] for measure in MEASURES if measure in found}


def compare(curves: Curves, claims: tuple[Claim, ...] = CLAIMS) -> list[Comparison]:
    """All comparisons that the claims ask for and the curves allow."""
    meetings = [
        Meeting(claim, contest, *pair)
        for claim in claims
        for contest in claim.contests
        for pair in _pairs(contest, curves)
    ]
    duels = {
        (group, method, rival): duel(curves[group][method], curves[group][rival])
        for group, method, rival in dict.fromkeys(meeting.pair for meeting in meetings)
    }
    bounds = _bounds(duels)
    rows = [
        _row(meeting, criterion, measure, found, place, bounds[(*meeting.pair, measure)][place])
        for meeting in meetings
        for measure, found in duels[meeting.pair].items()
        for place, criterion in enumerate(curves[meeting.group][meeting.method].criteria)
        if criterion in meeting.claim.criteria
    ]
    return _with_best_rivals(rows)


def _pairs(contest: Contest, curves: Curves) -> Iterator[tuple[Group, str, str]]:
    """Who meets whom: the methods of the contest, then their forms with separate batches.

    A form with separate batches meets the rival's form with separate batches where there is one.
    """
    for group, methods in curves.items():
        if group.experiment != contest.experiment:
            continue
        for suffix in ("", SEPARATE):
            for method, rivals in contest.pairs:
                for rival in rivals:
                    names = method + suffix, rival + suffix if rival + suffix in methods else rival
                    if set(names) <= set(methods):
                        yield group, *names


def _bounds(
    duels: dict[tuple[Group, str, str], dict[str, Duel]],
) -> dict[tuple[Group, str, str, str], list[Interval]]:
    """Intervals of all duels, those with the same number of seeds in one go."""
    by_seeds: dict[int, list[tuple[tuple[Group, str, str, str], np.ndarray]]] = {}
    for key, measures in duels.items():
        for measure, found in measures.items():
            seeds = found.difference.shape[1]
            by_seeds.setdefault(seeds, []).append(((*key, measure), found.difference))
    bounds: dict[tuple[Group, str, str, str], list[Interval]] = {}
    for members in by_seeds.values():
        stacked = np.concatenate([difference for _, difference in members])
        figures = np.stack(intervals(stacked.T), axis=1)
        rows = (Interval(*map(float, row)) for row in infinite(figures))
        for key, difference in members:
            bounds[key] = [next(rows) for _ in difference]
    return bounds


def _row(
    meeting: Meeting, criterion: str, measure: str, found: Duel, place: int, interval: Interval
) -> Comparison:
    return Comparison(
        meeting.claim.name,
        meeting.contest.name,
        *meeting.group,
        criterion,
        measure,
        meeting.method,
        meeting.rival,
        found.values[place],
        found.rival_values[place],
        interval.ratio,
        interval.low,
        interval.high,
        interval.outcome,
        interval.mean,
        found.at,
        found.difference.shape[1],
        found.lost[place],
        found.rival_lost[place],
        best_rival=False,
        counted=measure != HALF_TIME and not meeting.method.endswith(SEPARATE),
    )


def _with_best_rivals(rows: list[Comparison]) -> list[Comparison]:
    """Marks, for every method at every measure, the rival against which it does worst."""
    best: dict[tuple, int] = {}
    for place, row in enumerate(rows):
        key = (row.claim, row.part, row.group, row.criterion, row.measure, row.method)
        if key not in best or row.log10_ratio > rows[best[key]].log10_ratio:
            best[key] = place
    marked = set(best.values())
    return [
        dataclasses.replace(row, best_rival=True) if place in marked else row
        for place, row in enumerate(rows)
    ]
