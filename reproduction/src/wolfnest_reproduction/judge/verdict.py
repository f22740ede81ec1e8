"""From comparisons to verdicts: the rule, and what it is applied to."""

from __future__ import annotations

import dataclasses
import inspect
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wolfnest_reproduction.judge.claims import Contest
from wolfnest_reproduction.judge.duels import HALF_TIME, MEASURES
from wolfnest_reproduction.judge.pairwise import Comparison

HOLDS, PARTLY, FAILS, UNTESTED = "holds", "partly", "does not hold", "not tested"
MOST, HALF = 0.95, 0.5
ALL = "all"


class Tally(NamedTuple):
    """How many comparisons ended which way.

    >>> str(Tally(better=9, worse=1, open=2)), Tally(9, 1, 2).share
    ('9 of 12', 0.75)
    """

    better: int
    worse: int
    open: int

    @property
    def total(self) -> int:
        return self.better + self.worse + self.open

    @property
    def share(self) -> float:
        return self.better / self.total if self.total else float("nan")

    def __str__(self) -> str:
        return f"{self.better:,} of {self.total:,}"


def tally(rows: Iterable[Comparison]) -> Tally:
    counts = Counter(row.outcome for row in rows)
    return Tally(counts["better"], counts["worse"], counts["open"])


def decide(by_time: Tally, by_samples: Tally) -> str:
    """A comparison sets one method against one rival on one data set, setting, horizon and
    criterion, with one of four measures: the value at equal time (the longest that both ran), the
    value at equal samples (the common budget), and the mean of the log10-curve up to there, over
    time and over samples. Its figure is the mean over the seeds, paired by number, of log10 of
    the ratio of the two values. It is *better* (*worse*) where the 95 % bootstrap interval of that
    mean lies below (above) 0, and *open* elsewhere. A comparison by time is also open where this
    would change if one of the two methods took longer by the spread of its clock: the range of the
    middle half of repeated timings relative to their median, the larger one of the two methods.

    A part of a claim *holds* if at least 95 % of its comparisons by time are better, and at least
    95 % of those by samples. It *does not hold* if fewer than half of all are better. In between
    it holds *partly*. Open ones count as not better, so few seeds make claims fail; methods that
    share fewer than two seeds are not compared. Every method meets every rival; how it fares
    against the best rival of each comparison (the one against which it does worst) is reported
    beside it.

    A claim *holds* if all its parts hold, and *does not hold* if none of them holds even partly.
    It is *not tested* if there is a part without comparisons. Else it holds *partly*. Where
    methods, rivals, criteria or data sets of which it speaks are missing, it is *incomplete*, and
    holds partly at most.

    The settings of every method were chosen by one score, on other random numbers: the mean of
    log10 of the Frank-Wolfe gap over the samples. Time, objective and gradient mapping had no say.
    N, the number of inner steps of the v2 methods, takes time but no samples: a larger N was taken
    only if it lowered this score by more than 0.01 for each step from 10 over 50 to 100. Their β
    is 1 throughout, while NLASG and LiNASA+ICG tune theirs, and the rivals that take projected
    steps tune the length of these, which plays the same part. Times are those of single runs and
    leave out tuning, compilation and the criteria.

    A run that diverged counts as infinitely bad at every measure; two of them tie. Values below
    1e-9 of the value at the start (1e-18 for the gradient mapping, a squared norm) count as that
    much. The objective is measured by its optimal gap, which counts as no less than the minimum is
    known to. The intervals cover the randomness of the runs. Industry-10 and Industry-12 share
    their optimal assets: they are not independent evidence.
    """
    both = Tally(*(a + b for a, b in zip(by_time, by_samples, strict=True)))
    if not both.total:
        return UNTESTED
    if both.share < HALF:
        return FAILS
    held = all(one.share >= MOST for one in (by_time, by_samples) if one.total)
    return HOLDS if held else PARTLY


RULE = inspect.cleandoc(decide.__doc__ or "")


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
class Part:
    """A part of a claim, on one data set and criterion or on all, and its comparisons counted.

    `best` counts those against the best rival only, `family` those of the method that does best
    against its best rival: the best of the one side against the best of the other. None where the
    methods of the part have different rivals.
    """

    claim: str
    part: str
    data: str
    criterion: str
    verdict: str
    comparisons: Tally
    best: Tally
    family: Tally | None
    by_time: Tally
    by_samples: Tally
    measures: dict[str, Measured]

    @classmethod
    def of(
        cls,
        claim: str,
        contest: Contest,
        rows: Sequence[Comparison],
        data: str = ALL,
        criterion: str = ALL,
    ) -> Part:
        rows = [
            row
            for row in rows
            if row.counted and data in (ALL, row.data) and criterion in (ALL, row.criterion)
        ]
        by_time = tally(row for row in rows if row.by_time)
        by_samples = tally(row for row in rows if not row.by_time)
        measures = {}
        for measure in MEASURES:
            those = [row for row in rows if row.measure == measure]
            if those and measure != HALF_TIME:
                ratio = statistics.median(row.ratio for row in those)
                measures[measure] = Measured(tally(those), ratio)
        return cls(
            claim,
            contest.name,
            data,
            criterion,
            decide(by_time, by_samples),
            tally(rows),
            tally(row for row in rows if row.best_rival),
            tally(_best_of_family(rows)) if contest.is_family else None,
            by_time,
            by_samples,
            measures,
        )

    def __str__(self) -> str:
        name = self.part[:1].upper() + self.part[1:]
        if self.verdict == UNTESTED:
            return f"{name}: not tested"
        return (
            f"{name}: better in {self.comparisons} comparisons (worse in "
            f"{self.comparisons.worse:,}), against the best rival in {self.best}"
            + (f", the best of them against the best rival in {self.family}" if self.family else "")
            + f"; by time {self.by_time}, by samples {self.by_samples}"
        )


def parts(claim: str, contest: Contest, rows: Sequence[Comparison]) -> list[Part]:
    """A part of a claim as a whole, then on every data set with every criterion."""
    cells = dict.fromkeys((row.data, row.criterion) for row in rows)
    return [
        Part.of(claim, contest, rows),
        *(Part.of(claim, contest, rows, data, criterion) for data, criterion in cells),
    ]


def _best_of_family(rows: Iterable[Comparison]) -> Iterable[Comparison]:
    """Of every group, criterion and measure, the method that does best against its best rival."""
    best: dict[tuple, Comparison] = {}
    for row in rows:
        key = row.group, row.criterion, row.measure
        if row.best_rival and (key not in best or row.log10_ratio < best[key].log10_ratio):
            best[key] = row
    return best.values()
