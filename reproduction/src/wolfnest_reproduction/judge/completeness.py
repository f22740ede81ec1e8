"""What a verdict rests on: what was tested, what is missing, not independent, or lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from wolfnest_reproduction.judge.claims import ALIKE, Claim, Contest
from wolfnest_reproduction.judge.comparisons import Comparison
from wolfnest_reproduction.judge.curves import Curve, Curves
from wolfnest_reproduction.judge.verdict import Counts, Note

# What a claim speaks of and a run does not have: its verdict is incomplete.
LACKING = (
    NOT_RUN := "not run",
    MISSING := "missing",
    NOTHING_TO_COMPARE := "nothing to compare",
    ONE_AXIS := "one axis",
    UNFINISHED := "unfinished",
)
ALIKE_ONLY, ALIKE_DECIDE = "alike, no other", "alike, decide"
BATCH, CLOCK, DIVERGED = "batch", "clock", "diverged"

Rows = Mapping[Contest, Sequence[Comparison]]


def notes(claim: Claim, rows: Rows, curves: Curves, unfinished: int) -> list[Note]:
    """What goes with a verdict, each once."""
    found = []
    for contest, those in rows.items():
        found += [
            *_missing(claim, contest, those, curves),
            *_alike(contest, those),
            *_batch(contest, curves),
        ]
    found += [*_clock(rows), *_diverged(claim, curves)]
    if unfinished:
        found.append(Note(UNFINISHED, {"cells": unfinished}))
    return [note for place, note in enumerate(found) if note not in found[:place]]


def unfinished(info: Mapping[str, Any], cells: pd.DataFrame | None) -> int:
    """Cells that were neither finished nor failed, of a run that says which it has."""
    there = set(cells["id"]) if cells is not None and "id" in cells else set()
    failed = {failure["id"] for failure in info.get("failures") or ()}
    return len(set(info.get("cells") or ()) - there - failed)


def tested_on(rows: Iterable[Comparison]) -> list[str]:
    """The data sets of some comparisons."""
    return list(dict.fromkeys(row.pair.group.data for row in rows))


def absent(claim: Claim, data: Sequence[str]) -> list[str]:
    """The data sets of a claim that are not among these."""
    return [name for name in claim.data if name not in data]


def _missing(
    claim: Claim, contest: Contest, rows: Sequence[Comparison], curves: Curves
) -> Iterator[Note]:
    experiment = {"experiment": contest.experiment}
    groups = [of for group, of in curves.items() if group.experiment == contest.experiment]
    if not groups:
        yield Note(NOT_RUN, experiment)
        return
    measured = [{name for curve in of.values() for name in curve.criteria} for of in groups]
    wanted = [(contest.methods + contest.rivals, groups), (claim.criteria, measured)]
    for names, there in wanted:
        without = {name: sum(name not in of for of in there) for name in sorted(set(names))}
        if any(without.values()):
            lacking = {name: count for name, count in without.items() if count}
            yield Note(MISSING, {**experiment, "names": lacking, "groups": len(groups)})
    if not rows:
        yield Note(NOTHING_TO_COMPARE, {**experiment, "part": contest.name})
        return
    elsewhere = {group.data for group in curves}
    if data := [name for name in absent(claim, tested_on(rows)) if name in elsewhere]:
        names = dict.fromkeys(data, len(groups))
        yield Note(MISSING, {**experiment, "names": names, "groups": len(groups)})
    if len({row.by_time for row in rows}) < 2:
        yield Note(ONE_AXIS, experiment)


def _alike(contest: Contest, rows: Sequence[Comparison]) -> Iterator[Note]:
    """Industry-10 and Industry-12 count as one piece of evidence: do they carry the verdict?"""
    if not set(ALIKE) <= set(tested_on(rows)):
        return
    others = [row for row in rows if row.pair.group.data not in ALIKE]
    with_them, without = (Counts.of(contest, those).outcome for those in (rows, others))
    facts: dict[str, Any] = {"data": list(ALIKE)}
    if not others:
        yield Note(ALIKE_ONLY, facts)
    elif with_them != without:
        facts |= {"others": tested_on(others), "part": contest.name, "outcome": without}
        yield Note(ALIKE_DECIDE, facts)


def _batch(contest: Contest, curves: Curves) -> Iterator[Note]:
    found = {curve.batch for name, curve in _run(contest, curves) if name in contest.methods}
    if contest.batch is not None and found - {contest.batch}:
        yield Note(BATCH, {"experiment": contest.experiment, "batches": sorted(found)})


def _run(contest: Contest, curves: Curves) -> Iterator[tuple[str, Curve]]:
    """The curves of the experiment of a contest, by method."""
    for group, of in curves.items():
        if group.experiment == contest.experiment:
            yield from of.items()


def _clock(rows: Rows) -> Iterator[Note]:
    """How many comparisons only the clock leaves open."""
    counted = [row for those in rows.values() for row in those if row.counted and row.by_time]
    if unsure := sum(row.left_open_by_the_clock for row in counted):
        yield Note(CLOCK, {"open": unsure, "comparisons": len(counted)})


def _diverged(claim: Claim, curves: Curves) -> Iterator[Note]:
    """Runs by method: how many were lost, and how many there were."""
    cells = {
        id(curve): (name, curve.lost.any(axis=0))
        for contest in claim.contests
        for name, curve in _run(contest, curves)
        if name in contest.methods + contest.rivals
    }
    runs: dict[str, list[int]] = {}
    for name, lost in cells.values():
        count = runs.setdefault(name, [0, 0])
        count[0] += int(lost.sum())
        count[1] += lost.size
    if lost := {name: count for name, count in runs.items() if count[0]}:
        yield Note(DIVERGED, {"runs": lost})
