"""Every comparison behind the claims: two methods, one group, one criterion, one measure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from wolfnest_reproduction.define.entrants import SEPARATE, SHARED, Entrant, entrant
from wolfnest_reproduction.judge.claims import CLAIMS, Claim, Contest
from wolfnest_reproduction.judge.curves import Curve, Group
from wolfnest_reproduction.judge.duels import HALF_TIME, IN_TIME, OPEN, Duel, Interval, bounds, duel

Curves = dict[Group, dict[str, Curve]]
# Relative spread of the time of a whole run, by cell; what is not there counts as 0.
Spreads = Mapping[tuple[Group, str], float]
Pair = tuple[Group, str, str]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A row of the figures. Below 0 (ratio below 1), the method is better than the rival.

    `value` and `rival_value` are geometric means over the seeds; of an area, of the curve from 0
    to `at` and over the seeds. `ratio` is their quotient, `low` and `high` bound its log10.
    `time_spread` is the larger one of the two cells. `counted` are the comparisons on which
    verdicts rest.
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
    time_spread: float
    best_rival: bool
    counted: bool

    @property
    def group(self) -> Group:
        return Group(self.experiment, self.data, self.setting, self.horizon)

    @property
    def by_time(self) -> bool:
        return self.measure in IN_TIME

    @property
    def left_open_by_the_clock(self) -> bool:
        interval = Interval(self.log10_ratio, self.low, self.high)
        return self.outcome == OPEN != interval.outcome


class Met(NamedTuple):
    """Two methods at one measure and criterion, wherever they met."""

    measure: str
    criterion: str
    duel: Duel
    place: int
    interval: Interval
    outcome: str


class Meeting(NamedTuple):
    """Two methods of a group, for a part of a claim."""

    claim: Claim
    contest: Contest
    pair: Pair


def compare(
    curves: Curves, claims: tuple[Claim, ...] = CLAIMS, spreads: Spreads | None = None
) -> list[Comparison]:
    """All comparisons that the claims ask for and the curves allow."""
    spreads = spreads or {}
    meetings = [
        Meeting(claim, contest, pair)
        for claim in claims
        for contest in claim.contests
        for pair in _pairs(contest, curves)
    ]
    found = meet(curves, [meeting.pair for meeting in meetings], spreads)
    rows = [
        _row(meeting, met, spread(meeting.pair, spreads))
        for meeting in meetings
        for met in found[meeting.pair]
        if met.criterion in meeting.claim.criteria
    ]
    return _with_best_rivals(rows)


def meet(curves: Curves, pairs: Sequence[Pair], spreads: Spreads) -> dict[Pair, list[Met]]:
    """What every pair comes to, each computed once.

    An outcome at equal time stands only if it is the same with the method slower or faster by the
    spread of the clock.
    """
    paces = {pair: _paces(spread(pair, spreads)) for pair in dict.fromkeys(pairs)}
    duels = {
        (pair, pace): duel(curves[pair[0]][pair[1]], curves[pair[0]][pair[2]], pace)
        for pair, those in paces.items()
        for pace in those
    }
    made = bounds(duels)
    found: dict[Pair, list[Met]] = {}
    for pair, those in paces.items():
        found[pair] = []
        for measure, one in duels[pair, 1.0].items():
            every = [made[(pair, pace), measure] for pace in those if measure in duels[pair, pace]]
            for place, criterion in enumerate(curves[pair[0]][pair[1]].criteria):
                outcomes = {intervals[place].outcome for intervals in every}
                outcome = outcomes.pop() if len(outcomes) == 1 else OPEN
                interval = every[0][place]
                found[pair].append(Met(measure, criterion, one, place, interval, outcome))
    return found


def spread(pair: Pair, spreads: Spreads) -> float:
    """The larger one of two cells."""
    group, *methods = pair
    return max(spreads.get((group, method), 0.0) for method in methods)


def _paces(spread: float) -> tuple[float, ...]:
    """As measured, slower, faster. A faster method is the same as a slower rival."""
    return (1.0, 1 + spread, 1 / (1 + spread)) if spread > 0 else (1.0,)


def _pairs(contest: Contest, curves: Curves) -> Iterator[Pair]:
    """Who meets whom: the methods of the contest, then their forms with separate batches.

    A form with separate batches meets the rival's form with separate batches where there is one.
    """
    for group, methods in curves.items():
        if group.experiment != contest.experiment:
            continue
        for batch in (SHARED, SEPARATE):
            for method, rivals in contest.pairs:
                for rival in rivals:
                    ours, theirs = (Entrant(name, batch).label for name in (method, rival))
                    names = ours, theirs if theirs in methods else rival
                    if set(names) <= set(methods):
                        yield group, *names


def _row(meeting: Meeting, met: Met, time_spread: float) -> Comparison:
    group, method, rival = meeting.pair
    found, place, interval = met.duel, met.place, met.interval
    return Comparison(
        meeting.claim.name,
        meeting.contest.name,
        *group,
        met.criterion,
        met.measure,
        method,
        rival,
        found.values[place],
        found.rival_values[place],
        interval.ratio,
        interval.low,
        interval.high,
        met.outcome,
        interval.mean,
        found.at,
        found.difference.shape[1],
        found.lost[place],
        found.rival_lost[place],
        time_spread,
        best_rival=False,
        counted=met.measure != HALF_TIME and entrant(method).gradient_batch == SHARED,
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
