"""What decides a claim: how its outcome changes from one circumstance to another.

Comparisons differ in many circumstances at once. The levels of a factor are therefore counted over
comparisons that have their like at every level: the same but for this factor.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from wolfnest_reproduction.define.entrants import entrant
from wolfnest_reproduction.judge.comparisons import AT_SAMPLES, SAMPLES_AREA, Comparison
from wolfnest_reproduction.judge.tally import Tally

AXIS, COURSE, HORIZON, SETTING = "time or samples", "end or course", "horizon", "setting"
BATCHES, EDGE = "gradient batches", "tuned settings"
DATA, CRITERION, METHOD, RIVAL = "data", "criterion", "method", "rival"
PAIR = "pair"  # where every method has rivals of its own
# The circumstances that may be named as the deciding one; the others say where.
CIRCUMSTANCES = (AXIS, COURSE, HORIZON, SETTING, BATCHES, EDGE)

Rows = Sequence[Comparison]
LEVELS: dict[str, Callable[[Comparison], str]] = {
    AXIS: lambda row: "by time" if row.by_time else "by samples",
    COURSE: lambda row: "over the course" if row.measure.over_course else "at the end",
    HORIZON: lambda row: f"at horizon {row.pair.group.horizon:,}",
    SETTING: lambda row: (
        f"with {row.pair.group.setting}" if row.pair.group.setting else "without a setting"
    ),
    DATA: lambda row: row.pair.group.data,
    CRITERION: lambda row: row.criterion,
    METHOD: lambda row: row.pair.method,
    RIVAL: lambda row: row.pair.rival,
    EDGE: lambda row: (
        "with a setting at the edge of its grid"
        if row.at_edge
        else "with all settings inside their grids"
    ),
    PAIR: lambda row: f"{row.pair.method} against {row.pair.rival}",
}
# In what matched comparisons may differ beside the factor itself. Whether a setting ends at an edge
# depends on the cell: the nearest there is to its like is the same pair on another data set.
FREE = {EDGE: (DATA, PAIR), PAIR: (METHOD, RIVAL, EDGE)}


class Factor(NamedTuple):
    """A circumstance, and the comparisons under each of its levels, counted."""

    name: str
    levels: dict[str, Tally]

    @property
    def change(self) -> float:
        """How far the shares of better comparisons lie apart."""
        shares = [tally.share for tally in self.levels.values()]
        return max(shares) - min(shares)


def factors(rows: Rows) -> list[Factor]:
    """All circumstances of a part of a claim that can be told apart from the others."""
    counted = [row for row in rows if row.counted]
    found = [_matched(name, counted) for name in LEVELS if name != PAIR]
    found.append(_batches(rows))
    if not any(factor.levels for factor in found if factor.name in (METHOD, RIVAL)):
        found.append(_matched(PAIR, counted))
    return [factor for factor in found if factor.levels]


def _matched(name: str, rows: Rows) -> Factor:
    """The levels over comparisons that agree in all other factors; {} if there are none.

    Where a level has several that agree, every one is paired with every one of the other levels:
    all levels are counted over equally many.
    """
    level, free = LEVELS[name], FREE.get(name, (EDGE, PAIR))
    others = [other for factor, other in LEVELS.items() if factor not in (name, *free)]
    blocks: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for row in rows:
        block = blocks.setdefault(tuple(other(row) for other in others), {})
        block.setdefault(level(row), []).append(row.outcome)
    names = list(dict.fromkeys(level(row) for row in rows))
    matches = [
        match
        for block in blocks.values()
        if len(names) > 1 and len(block) == len(names)
        for match in itertools.product(*(block[name] for name in names))
    ]
    columns = zip(*matches, strict=True)
    return Factor(name, dict(zip(names, map(Tally.of, columns), strict=False)))


def _batches(rows: Rows) -> Factor:
    """Shared against separate gradient batches, at equal samples, in the same comparisons."""
    sampled = [row for row in rows if row.measure in (AT_SAMPLES, SAMPLES_AREA)]
    apart = {_by_name(row): row.outcome for row in sampled if row.separate}
    shared = [row for row in sampled if row.counted and _by_name(row) in apart]
    twins = Tally.of(apart[_by_name(row)] for row in shared)
    levels = {
        "with shared batches": Tally.of(row.outcome for row in shared),
        "with separate batches": twins,
    }
    return Factor(BATCHES, levels if shared else {})


def _by_name(row: Comparison) -> tuple:
    names = entrant(row.pair.method).name, entrant(row.pair.rival).name
    return (row.pair.group, row.criterion, row.measure, *names)


def deciding(factors: Sequence[Factor]) -> Factor | None:
    """The circumstance with which the share of better comparisons changes most, if there is one."""
    by_name = {factor.name: factor for factor in factors}
    found = [by_name[name] for name in CIRCUMSTANCES if name in by_name]
    return max(found, key=lambda factor: factor.change, default=None)
