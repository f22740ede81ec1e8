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
    """log10 of what two curves come to at one measure: (criteria, seeds that they share)."""

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
    fought = [(pair, duel) for pair in found for duel in _duels(*_of(pair, curves))]
    every = bounds([duel.logs - duel.rival_logs for _, duel in fought])
    paced: dict[tuple[Pair, Measure], list[tuple[Duel, list[Interval]]]] = {}
    for (pair, duel), rows in zip(fought, every, strict=True):
        paced.setdefault((pair, duel.measure), []).append((duel, rows))
    for (pair, _), duels in paced.items():
        found[pair] += _comparisons(pair, *_of(pair, curves), duels)
    return found


def _of(pair: Pair, curves: Curves) -> tuple[Curve, Curve]:
    return curves[pair.group][pair.method], curves[pair.group][pair.rival]


def _spread(ours: Curve, theirs: Curve) -> float:
    return max(ours.facts.time_spread, theirs.facts.time_spread)


def _duels(ours: Curve, theirs: Curve) -> Iterator[Duel]:
    """As measured, then slower and faster. A faster method is the same as a slower rival."""
    yield from duels(ours, theirs)
    if spread := _spread(ours, theirs):
        for pace in (1 + spread, 1 / (1 + spread)):
            yield from duels(ours, theirs, pace)


def duels(ours: Curve, theirs: Curve, pace: float = 1.0) -> list[Duel]:
    """Two methods of a group at all measures; [] where they share fewer than two seeds, which say
    nothing about chance.

    With a `pace` other than 1, ours takes that many times as long as it was measured to: only the
    measures that depend on time are given then.
    """
    seeds, mine, other = np.intersect1d(ours.seeds, theirs.seeds, return_indices=True)
    found = []
    for measure in MEASURES if seeds.size > 1 else ():
        end = measure.share * min(pace * ours.end(measure.axis), theirs.end(measure.axis))
        if not end > 0 or (pace != 1 and measure.axis != "time"):  # NaN where not recorded
            continue
        logs = ours.until(measure.axis, end / pace)[measure.over_course][:, mine]
        rival_logs = theirs.until(measure.axis, end)[measure.over_course][:, other]
        found.append(Duel(measure, end, logs, rival_logs))
    return found


def _comparisons(
    pair: Pair, ours: Curve, theirs: Curve, duels: list[tuple[Duel, list[Interval]]]
) -> Iterator[Comparison]:
    """One per criterion, from the duels at one measure: the first is that of the measured pace."""
    (measure, at, logs, rival_logs), intervals = duels[0]
    values, rival_values = ((10 ** infinite(y.mean(axis=1))).tolist() for y in (logs, rival_logs))
    _, mine, other = np.intersect1d(ours.seeds, theirs.seeds, return_indices=True)
    for k, criterion in enumerate(ours.criteria):
        outcomes = {paced[k].outcome for _, paced in duels}
        yield Comparison(
            pair,
            criterion,
            measure,
            value=values[k],
            rival_value=rival_values[k],
            interval=intervals[k],
            outcome=outcomes.pop() if len(outcomes) == 1 else OPEN,
            at=at,
            seeds=logs.shape[1],
            lost=int(ours.lost[k, mine].sum()),
            rival_lost=int(theirs.lost[k, other].sum()),
            time_spread=_spread(ours, theirs),
            at_edge=ours.facts.at_edge or theirs.facts.at_edge,
        )
