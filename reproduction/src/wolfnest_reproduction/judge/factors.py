"""What decides a claim: how its outcome changes from one circumstance to another.

Comparisons differ in many circumstances at once. The levels of a factor are therefore counted over
comparisons that have their like at every level: the same but for this factor.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from wolfnest_reproduction.define.entrants import SEPARATE, entrant
from wolfnest_reproduction.judge.curves import Group
from wolfnest_reproduction.judge.duels import AT_SAMPLES, SAMPLES_AREA, TIME_AREA
from wolfnest_reproduction.judge.pairwise import Comparison
from wolfnest_reproduction.judge.verdict import Tally, tally

AXIS, COURSE, HORIZON, SETTING = "time or samples", "end or course", "horizon", "setting"
BATCHES, EDGE = "gradient batches", "tuned settings"
DATA, CRITERION, METHOD, RIVAL = "data", "criterion", "method", "rival"
PAIR = "pair"  # where every method has rivals of its own
# The circumstances that an explanation may name as the deciding one; the others say where.
CIRCUMSTANCES = (AXIS, COURSE, HORIZON, SETTING, BATCHES, EDGE)
# Who meets whom, and what the lowest and the highest share of them are called.
SIDES = {
    RIVAL: ("hardest", "easiest"),
    METHOD: ("weakest", "strongest"),
    PAIR: ("weakest", "strongest"),
}
NOTABLE = 0.1  # shares that differ by less decide nothing
NARROWER = {
    BATCHES: " (the same comparisons, at equal samples)",
    EDGE: " (the same methods on other data sets)",
}
MATCHED = "Each is counted over comparisons that agree in everything else."

Edges = set[tuple[Group, str]]
Level = Callable[[Comparison], str]

LEVELS: dict[str, Level] = {
    AXIS: lambda row: "by time" if row.by_time else "by samples",
    COURSE: lambda row: (
        "over the course" if row.measure in (TIME_AREA, SAMPLES_AREA) else "at the end"
    ),
    HORIZON: lambda row: f"at horizon {row.horizon:,}",
    SETTING: lambda row: f"with {row.setting}" if row.setting else "without a setting",
    DATA: lambda row: row.data,
    CRITERION: lambda row: row.criterion,
    METHOD: lambda row: row.method,
    RIVAL: lambda row: row.rival,
}


class Factor(NamedTuple):
    """The comparisons of a part under one level of a factor, counted."""

    part: str
    factor: str
    level: str
    comparisons: Tally


def factors(part: str, rows: Sequence[Comparison], edges: Edges) -> list[Factor]:
    """The explanation table of a part; `edges` are the cells tuned to an edge of their grid."""
    counted = [row for row in rows if row.counted]
    table = []
    for factor, level in LEVELS.items():
        others = [other for name, other in LEVELS.items() if name != factor]
        table += _matched(part, factor, counted, level, others)
    # Whether a setting ends at an edge depends on the cell. The nearest there is to its like is the
    # same pair of methods on another data set.
    others = [other for name, other in LEVELS.items() if name != DATA]
    table += [*_matched(part, EDGE, counted, _edge(edges), others), *_batches(part, rows)]
    if not any(row.factor in (METHOD, RIVAL) for row in table):
        others = [other for name, other in LEVELS.items() if name not in (METHOD, RIVAL)]
        table += _matched(part, PAIR, counted, _pair, others)
    return table


def _pair(row: Comparison) -> str:
    return f"{row.method} against {row.rival}"


def _edge(edges: Edges) -> Level:
    return lambda row: (
        "with a setting at the edge of its grid"
        if edges & {(row.group, row.method), (row.group, row.rival)}
        else "with all settings inside their grids"
    )


def _matched(
    part: str, factor: str, rows: Sequence[Comparison], level: Level, others: Sequence[Level]
) -> list[Factor]:
    """The levels of a factor over comparisons that agree in all `others`; [] if there are none.

    Where a level has several that agree, every one is paired with every one of the other levels:
    all levels are counted over equally many.
    """
    blocks: dict[tuple[str, ...], dict[str, list[Comparison]]] = {}
    for row in rows:
        block = blocks.setdefault(tuple(other(row) for other in others), {})
        block.setdefault(level(row), []).append(row)
    names = list(dict.fromkeys(level(row) for row in rows))
    pairs = [
        pair
        for block in blocks.values()
        if len(names) > 1 and len(block) == len(names)
        for pair in itertools.product(*(block[name] for name in names))
    ]
    if not pairs:
        return []
    columns = zip(*pairs, strict=True)
    return [
        Factor(part, factor, name, tally(column))
        for name, column in zip(names, columns, strict=True)
    ]


def _batches(part: str, rows: Sequence[Comparison]) -> list[Factor]:
    """Shared against separate gradient batches, at equal samples, in the same comparisons."""
    sampled = [row for row in rows if row.measure in (AT_SAMPLES, SAMPLES_AREA)]
    apart = [row for row in sampled if entrant(row.method).gradient_batch == SEPARATE]
    separate = {_by_name(row): row for row in apart}
    shared = [row for row in sampled if row.counted and _by_name(row) in separate]
    if not shared:
        return []
    twins = [separate[_by_name(row)] for row in shared]
    return [
        Factor(part, BATCHES, "with shared batches", tally(shared)),
        Factor(part, BATCHES, "with separate batches", tally(twins)),
    ]


def _by_name(row: Comparison) -> tuple:
    names = entrant(row.method).name, entrant(row.rival).name
    return (row.group, row.criterion, row.measure, *names)


def explain(part: str, table: Sequence[Factor]) -> str:
    """One sentence: the counts under every circumstance, which one matters most, and who wins."""
    found = {
        name: rows
        for name in (*CIRCUMSTANCES, *SIDES)
        if (rows := [row for row in table if (row.part, row.factor) == (part, name)])
    }
    told = [_counts(rows, name) for name, rows in found.items() if name in CIRCUMSTANCES]
    if not told:
        return ""
    return (
        f"{part[:1].upper()}{part[1:]}: better "
        + "; ".join(told)
        + f". {MATCHED} {_deciding(found)}{_extremes(found)}"
    )


def _counts(rows: Sequence[Factor], name: str) -> str:
    suffix = NARROWER.get(name, "")
    return ", ".join(f"{row.level} in {row.comparisons}" for row in rows) + suffix


def _deciding(found: dict[str, list[Factor]]) -> str:
    spread = {
        name: max(shares) - min(shares)
        for name, rows in found.items()
        if name in CIRCUMSTANCES
        for shares in [[row.comparisons.share for row in rows]]
    }
    most = max(spread, key=lambda name: spread[name])
    if spread[most] < NOTABLE:
        return f"None of these changes the share by {NOTABLE:.0%} or more."
    return f"What changes the share most is {most} ({spread[most]:.0%})."


def _extremes(found: dict[str, list[Factor]]) -> str:
    """Against whom the share is lowest and highest, and of which method or pair."""
    told = ""
    for name, (low, high) in SIDES.items():
        rows = sorted(found.get(name, ()), key=lambda row: row.comparisons.share)
        if rows and rows[0].comparisons.share < rows[-1].comparisons.share:
            told += (
                f" The {low} {name} is {rows[0].level} ({rows[0].comparisons}), the {high} "
                f"{rows[-1].level} ({rows[-1].comparisons})."
            )
    return told
