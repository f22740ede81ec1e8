"""Two methods of a group against each other: the comparisons on which all verdicts rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from wolfnest_reproduction.define.entrants import SHARED, entrant
from wolfnest_reproduction.judge.bootstrap import OPEN, Interval, bounds
from wolfnest_reproduction.judge.curves import Curve, Curves, Group, infinite


class Measure(NamedTuple):
    """What is compared: the values where the first of two curves ends, or at a share of that; or
    the means of the log10-curves up to there."""

    name: str
    axis: str
    share: float = 1.0
    over_course: bool = False


MEASURES = (
    AT_TIME := Measure("at equal time", "time"),
    HALF_TIME := Measure("at half the equal time", "time", share=0.5),
    AT_SAMPLES := Measure("at equal samples", "samples"),
    TIME_AREA := Measure("area under log-curve (time)", "time", over_course=True),
    SAMPLES_AREA := Measure("area under log-curve (samples)", "samples", over_course=True),
)
COUNTED = tuple(measure for measure in MEASURES if measure != HALF_TIME)


class Pair(NamedTuple):
    """A method and a rival, by their labels in the results."""

    group: Group
    method: str
    rival: str


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A pair at one measure and criterion. Below 0 (ratio below 1), the method is better.

    `value` and `rival_value` are geometric means over the seeds; of an area, of the curve from 0
    to `at` and over the seeds. `interval` is that of log10 of their quotient. `time_spread` is the
    larger one of the two cells, `at_edge` whether one of them was tuned to an edge of its grid.
    """

    pair: Pair
    criterion: str
    measure: Measure
    value: float
    rival_value: float
    interval: Interval
    outcome: str
    at: float
    seeds: int
    lost: int
    rival_lost: int
    time_spread: float
    at_edge: bool
    best_rival: bool = False

    @property
    def by_time(self) -> bool:
        return self.measure.axis == "time"

    @property
    def separate(self) -> bool:
        """Whether the method draws a second batch for its gradient."""
        return entrant(self.pair.method).gradient_batch != SHARED

    @property
    def counted(self) -> bool:
        """Whether verdicts rest on it."""
        return self.measure in COUNTED and not self.separate

    @property
    def left_open_by_the_clock(self) -> bool:
        return self.outcome == OPEN != self.interval.outcome

    def row(self) -> dict[str, Any]:
        """All there is to put into columns of a table."""
        return {
            **self.pair.group._asdict(),
            **self.pair._asdict(),
            **vars(self),
            "measure": self.measure.name,
            "ratio": self.interval.ratio,
            "log10_ratio": self.interval.mean,
            "low": self.interval.low,
            "high": self.interval.high,
            "counted": self.counted,
        }


class Duel(NamedTuple):
    """Two curves at one measure: log10 of what they come to, (criteria, seeds that they share)."""

    pair: Pair
    ours: Curve
    theirs: Curve
    measure: Measure
    at: float
    logs: np.ndarray
    rival_logs: np.ndarray


def compare(curves: Curves, pairs: Iterable[Pair]) -> dict[Pair, list[Comparison]]:
    """What every pair comes to, each computed once.

    An outcome at equal time stands only if it is the same with the method slower or faster by the
    spread of the clock.
    """
    found: dict[Pair, list[Comparison]] = {pair: [] for pair in pairs}
    fought = [duel for pair in found for duel in _at_all_paces(pair, curves[pair.group])]
    every = bounds([duel.logs - duel.rival_logs for duel in fought])
    paced: dict[tuple[Pair, Measure], list[tuple[Duel, list[Interval]]]] = {}
    for duel, intervals in zip(fought, every, strict=True):
        paced.setdefault((duel.pair, duel.measure), []).append((duel, intervals))
    for (pair, _), those in paced.items():
        found[pair] += _comparisons(*those[0], [intervals for _, intervals in those])
    return found


def _at_all_paces(pair: Pair, curves: dict[str, Curve]) -> Iterator[Duel]:
    """As measured, then slower and faster. A faster method is the same as a slower rival."""
    yield from duels(pair, curves)
    if spread := max(curves[name].facts.time_spread for name in (pair.method, pair.rival)):
        for pace in (1 + spread, 1 / (1 + spread)):
            yield from duels(pair, curves, pace)


def duels(pair: Pair, curves: dict[str, Curve], pace: float = 1.0) -> Iterator[Duel]:
    """Two methods of a group at all measures; none where they share fewer than two seeds, which
    say nothing about chance.

    With a `pace` other than 1, ours takes that many times as long as it was measured to: only the
    measures that depend on time are given then.
    """
    ours, theirs = curves[pair.method], curves[pair.rival]
    seeds, mine, other = np.intersect1d(ours.seeds, theirs.seeds, return_indices=True)
    for measure in MEASURES if seeds.size > 1 else ():
        end = measure.share * min(pace * ours.end(measure.axis), theirs.end(measure.axis))
        if not end > 0 or (pace != 1 and measure.axis != "time"):  # NaN where not recorded
            continue
        logs = ours.until(measure.axis, end / pace)[measure.over_course][:, mine]
        rival_logs = theirs.until(measure.axis, end)[measure.over_course][:, other]
        yield Duel(pair, ours, theirs, measure, end, logs, rival_logs)


def _comparisons(
    duel: Duel, intervals: list[Interval], paced: list[list[Interval]]
) -> Iterator[Comparison]:
    """One per criterion; `paced` are the intervals at all paces."""
    pair, ours, theirs, measure, at, *logs = duel
    values, rival_values = (10 ** infinite(y.mean(axis=1)) for y in logs)
    lost = ours.lost[:, np.isin(ours.seeds, theirs.seeds)].sum(axis=1)
    rival_lost = theirs.lost[:, np.isin(theirs.seeds, ours.seeds)].sum(axis=1)
    for k, criterion in enumerate(ours.criteria):
        outcomes = {those[k].outcome for those in paced}
        yield Comparison(
            pair,
            criterion,
            measure,
            value=float(values[k]),
            rival_value=float(rival_values[k]),
            interval=intervals[k],
            outcome=outcomes.pop() if len(outcomes) == 1 else OPEN,
            at=at,
            seeds=duel.logs.shape[1],
            lost=int(lost[k]),
            rival_lost=int(rival_lost[k]),
            time_spread=max(ours.facts.time_spread, theirs.facts.time_spread),
            at_edge=ours.facts.at_edge or theirs.facts.at_edge,
        )
