"""Two methods of a group: their values at every measure, and the intervals of their ratios."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

import numpy as np

from wolfnest_reproduction.judge.bootstrap import intervals
from wolfnest_reproduction.judge.curves import Curve, infinite

MEASURES = (
    AT_TIME := "at equal time",
    HALF_TIME := "at half the equal time",
    AT_SAMPLES := "at equal samples",
    TIME_AREA := "area under log-curve (time)",
    SAMPLES_AREA := "area under log-curve (samples)",
)
AXIS_MEASURES = {"time": (AT_TIME, TIME_AREA), "samples": (AT_SAMPLES, SAMPLES_AREA)}
IN_TIME = (AT_TIME, HALF_TIME, TIME_AREA)
BETTER, WORSE, OPEN = "better", "worse", "open"

Key = TypeVar("Key", bound=Hashable)


class Duel(NamedTuple):
    """Two methods at one measure; every entry but the first has one row per criterion."""

    at: float
    difference: np.ndarray  # of the log10 values, seed by seed
    values: list[float]
    rival_values: list[float]
    lost: list[int]
    rival_lost: list[int]


class Interval(NamedTuple):
    """The mean of log10 of a ratio, and its bounds. Below 0, the method is better."""

    mean: float
    low: float
    high: float

    @property
    def ratio(self) -> float:
        return 10.0**self.mean

    @property
    def outcome(self) -> str:
        return BETTER if self.high < 0 else WORSE if self.low > 0 else OPEN


def duel(ours: Curve, theirs: Curve, pace: float = 1.0) -> dict[str, Duel]:
    """Two methods of a group at all measures; {} where they share fewer than two seeds, which say
    nothing about chance.

    With a `pace` other than 1, ours takes that many times as long as it was measured to: only the
    measures that depend on time are given then.
    """
    seeds, mine, other = np.intersect1d(ours.seeds, theirs.seeds, return_indices=True)
    lost = ours.lost[:, mine].sum(axis=1).tolist(), theirs.lost[:, other].sum(axis=1).tolist()
    found: dict[str, Duel] = {}

    def add(measure: str, at: float, logs: np.ndarray, rival_logs: np.ndarray) -> None:
        logs, rival_logs = logs[:, mine], rival_logs[:, other]
        values, rival_values = (10 ** infinite(y.mean(axis=1)) for y in (logs, rival_logs))
        found[measure] = Duel(at, logs - rival_logs, values.tolist(), rival_values.tolist(), *lost)

    for axis, measures in AXIS_MEASURES.items():
        if axis != "time" and pace != 1:
            continue
        end = min(pace * ours.end(axis), theirs.end(axis))
        if seeds.size < 2 or not end > 0:  # NaN where not recorded
            continue
        own = end / pace
        at_end, area = zip(ours.until(axis, own), theirs.until(axis, end), strict=True)
        add(measures[0], end, *at_end)
        add(measures[1], end, *area)
        if axis == "time":
            add(HALF_TIME, end / 2, ours.until(axis, own / 2)[0], theirs.until(axis, end / 2)[0])
    return {measure: found[measure] for measure in MEASURES if measure in found}


def bounds(duels: Mapping[Key, Mapping[str, Duel]]) -> dict[tuple[Key, str], list[Interval]]:
    """Intervals of all duels by key and measure, those with the same number of seeds in one go."""
    by_seeds: dict[int, list[tuple[tuple[Key, str], np.ndarray]]] = {}
    for key, measures in duels.items():
        for measure, found in measures.items():
            seeds = found.difference.shape[1]
            by_seeds.setdefault(seeds, []).append(((key, measure), found.difference))
    made: dict[tuple[Key, str], list[Interval]] = {}
    for members in by_seeds.values():
        stacked = np.concatenate([difference for _, difference in members])
        figures = np.stack(intervals(stacked.T), axis=1)
        rows = (Interval(*map(float, row)) for row in infinite(figures))
        for place, difference in members:
            made[place] = [next(rows) for _ in difference]
    return made
