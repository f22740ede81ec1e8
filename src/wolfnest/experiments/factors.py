"""What decides a claim: how its outcome changes from one circumstance to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from wolfnest.experiments.comparisons import AT_SAMPLES, SAMPLES_AREA, TIME_AREA, Comparison
from wolfnest.experiments.curves import Group
from wolfnest.experiments.statements import SEPARATE
from wolfnest.experiments.verdicts import Tally, tally

AXIS, COURSE, HORIZON, SETTING = "time or samples", "end or course", "horizon", "setting"
BATCHES, EDGE = "gradient batches", "tuned settings"
DATA, CRITERION, METHOD, RIVAL = "data", "criterion", "method", "rival"
# The circumstances that an explanation may name as the deciding one; the others say where.
CIRCUMSTANCES = (AXIS, COURSE, HORIZON, SETTING, BATCHES, EDGE)
NOTABLE = 0.1  # shares that differ by less decide nothing

Edges = set[tuple[Group, str]]


class Factor(NamedTuple):
    """The comparisons of a part under one level of a factor, counted."""

    part: str
    factor: str
    level: str
    comparisons: Tally


def factors(part: str, rows: Sequence[Comparison], edges: Edges) -> list[Factor]:
    """The explanation table of a part; `edges` are the cells tuned to an edge of their grid."""
    counted = [row for row in rows if row.counted]
    levels: dict[str, Callable[[Comparison], str]] = {
        AXIS: lambda row: "by time" if row.by_time else "by samples",
        COURSE: lambda row: (
            "over the course" if row.measure in (TIME_AREA, SAMPLES_AREA) else "at the end"
        ),
        HORIZON: lambda row: f"at horizon {row.horizon:,}",
        SETTING: lambda row: f"with {row.setting}" if row.setting else "",
        EDGE: lambda row: (
            "with a setting at the edge of its grid"
            if edges & {(row.group, row.method), (row.group, row.rival)}
            else "with all settings inside their grids"
        ),
        DATA: lambda row: row.data,
        CRITERION: lambda row: row.criterion,
        METHOD: lambda row: row.method,
        RIVAL: lambda row: row.rival,
    }
    table = []
    for factor, level in levels.items():
        found: dict[str, list[Comparison]] = {}
        for row in counted:
            found.setdefault(level(row), []).append(row)
        table += [Factor(part, factor, name, tally(those)) for name, those in found.items()]
    return table + _batches(part, rows)


def _batches(part: str, rows: Sequence[Comparison]) -> list[Factor]:
    """Shared against separate gradient batches, at equal samples, in the same comparisons."""
    sampled = [row for row in rows if row.measure in (AT_SAMPLES, SAMPLES_AREA)]
    separate = {_without_suffix(row): row for row in sampled if row.method.endswith(SEPARATE)}
    shared = [row for row in sampled if row.counted and _without_suffix(row) in separate]
    if not shared:
        return []
    twins = [separate[_without_suffix(row)] for row in shared]
    return [
        Factor(part, BATCHES, "with shared batches", tally(shared)),
        Factor(part, BATCHES, "with separate batches", tally(twins)),
    ]


def _without_suffix(row: Comparison) -> tuple:
    names = row.method.removesuffix(SEPARATE), row.rival.removesuffix(SEPARATE)
    return (row.group, row.criterion, row.measure, *names)


def explain(part: str, table: Sequence[Factor]) -> str:
    """One sentence: the counts under every circumstance, which one matters most, and who wins."""
    found = {
        name: [row for row in table if row.part == part and row.factor == name and row.level]
        for name in (*CIRCUMSTANCES, RIVAL, METHOD)
    }
    found = {name: rows for name, rows in found.items() if len(rows) > 1}
    told = [_counts(rows, name) for name, rows in found.items() if name in CIRCUMSTANCES]
    if not told:
        return ""
    return (
        f"{part[:1].upper()}{part[1:]}: better "
        + "; ".join(told)
        + f". {_deciding(found)}{_extremes(found)}"
    )


def _counts(rows: Sequence[Factor], name: str) -> str:
    suffix = " (the same comparisons, at equal samples)" if name == BATCHES else ""
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
    """Against whom the share is lowest and highest, and of which method."""
    told = ""
    for name, low, high in ((RIVAL, "hardest", "easiest"), (METHOD, "weakest", "strongest")):
        rows = sorted(found.get(name, ()), key=lambda row: row.comparisons.share)
        if rows and rows[0].comparisons.share < rows[-1].comparisons.share:
            told += (
                f" The {low} {name} is {rows[0].level} ({rows[0].comparisons}), the {high} "
                f"{rows[-1].level} ({rows[-1].comparisons})."
            )
    return told
