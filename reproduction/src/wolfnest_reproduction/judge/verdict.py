"""From comparisons to verdicts: the rule, what it is applied to, and all that a verdict says."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from wolfnest_reproduction.judge.claims import Claim, Contest
from wolfnest_reproduction.judge.comparisons import COUNTED, Comparison
from wolfnest_reproduction.judge.factors import Factor
from wolfnest_reproduction.judge.tally import Tally

HOLDS, PARTLY, FAILS, UNTESTED = "holds", "partly", "does not hold", "not tested"
MOST, HALF = 0.95, 0.5
ALL = "all"


def decide(by_time: Tally, by_samples: Tally) -> str:
    """The verdict on a part of a claim, from its comparisons by time and by samples.

    It holds if at least 95 % of both are better, and does not hold if fewer than half of all are;
    in between it holds partly. Open comparisons count as not better.

    >>> decide(Tally(95, 5, 0), Tally(96, 0, 4)), decide(Tally(1, 0, 9), Tally(5, 5, 0))
    ('holds', 'does not hold')
    """
    both = Tally(*(a + b for a, b in zip(by_time, by_samples, strict=True)))
    if not both.total:
        return UNTESTED
    if both.share < HALF:
        return FAILS
    held = all(one.share >= MOST for one in (by_time, by_samples) if one.total)
    return HOLDS if held else PARTLY


def combine(verdicts: Sequence[str]) -> str:
    """The verdict on a claim from those on its parts, by the same rule.

    >>> combine(["holds", "does not hold"]), combine(["holds", "not tested"])
    ('partly', 'not tested')
    """
    if not verdicts or UNTESTED in verdicts:
        return UNTESTED
    return verdicts[0] if len(set(verdicts)) == 1 else PARTLY


class Measured(NamedTuple):
    """The comparisons with one measure: their count, and the median ratio of the two values."""

    comparisons: Tally
    median_ratio: float


@dataclasses.dataclass(frozen=True)
class Counts:
    """The comparisons of a part of a claim, counted: on one data set and criterion, or on all.

    `best_rival` counts those against the best rival only, `best_against_best` those of the method
    that does best against its best rival; None where the methods of the part have different rivals.
    """

    data: str
    criterion: str
    outcome: str
    comparisons: Tally
    best_rival: Tally
    best_against_best: Tally | None
    by_time: Tally
    by_samples: Tally
    measures: dict[str, Measured]

    @classmethod
    def of(
        cls, contest: Contest, rows: Iterable[Comparison], data: str = ALL, criterion: str = ALL
    ) -> Counts:
        rows = [row for row in rows if row.counted]
        by_time = _tally(row for row in rows if row.by_time)
        by_samples = _tally(row for row in rows if not row.by_time)
        by_measure = {one: [row for row in rows if row.measure == one] for one in COUNTED}
        return cls(
            data,
            criterion,
            decide(by_time, by_samples),
            _tally(rows),
            _tally(row for row in rows if row.best_rival),
            _tally(_best_of_family(rows)) if contest.is_family else None,
            by_time,
            by_samples,
            {
                measure.name: Measured(
                    _tally(those), statistics.median(row.interval.ratio for row in those)
                )
                for measure, those in by_measure.items()
                if those
            },
        )


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a claim: its comparisons as a whole, then by data set and criterion, and what
    decides how they end."""

    name: str
    whole: Counts
    finer: list[Counts]
    factors: list[Factor]

    @property
    def outcome(self) -> str:
        return self.whole.outcome


class Note(NamedTuple):
    """Something to know about a verdict: a code of `completeness`, and its facts by name."""

    code: str
    facts: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The answer to one claim.

    `outcome` is "holds", "partly", "does not hold" or "not tested". `data` are the data sets on
    which it was tested, `absent` those of the claim on which it was not, `seeds` the fewest and the
    most that two methods shared. `incomplete` if something that the claim speaks of is missing: it
    then holds partly at most.
    """

    claim: Claim
    outcome: str
    parts: list[Part]
    data: list[str]
    absent: list[str]
    seeds: tuple[int, int] | None
    notes: list[Note]
    incomplete: bool


def _tally(rows: Iterable[Comparison]) -> Tally:
    return Tally.of(row.outcome for row in rows)


def _best_of_family(rows: Iterable[Comparison]) -> Iterable[Comparison]:
    """Of every group, criterion and measure, the method that does best against its best rival."""
    best: dict[tuple, Comparison] = {}
    for row in rows:
        key = row.pair.group, row.criterion, row.measure
        if row.best_rival and (key not in best or row.interval.mean < best[key].interval.mean):
            best[key] = row
    return best.values()
