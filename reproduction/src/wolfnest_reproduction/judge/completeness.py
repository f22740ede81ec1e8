"""What a verdict rests on, in words: data, missing pieces, lost runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wolfnest_reproduction.judge.claims import ALIKE, Claim, Contest
from wolfnest_reproduction.judge.pairwise import Comparison, Curves
from wolfnest_reproduction.judge.verdict import Part

Rows = dict[Contest, list[Comparison]]


def notes(claim: Claim, rows: Rows, curves: Curves) -> list[str]:
    """Sentences that go with a verdict: what was tested, missing, not independent, lost."""
    found = [claim.reading if any(rows.values()) else "", _tested_on(claim, _all(rows))]
    for contest, those in rows.items():
        found += _missing(claim, contest, those, curves)
        found.append(_alike(claim, contest, those))
        found.append(_batch(contest, curves))
    found += [_clock(_all(rows)), _lost(claim, curves)]
    return [note for note in dict.fromkeys(found) if note]


def complete(claim: Claim, rows: Rows, curves: Curves) -> bool:
    """Whether every method, rival, criterion and data set of the claim is there."""
    return not any(
        any(_missing(claim, contest, those, curves)) or _absent_data(claim, those)
        for contest, those in rows.items()
    )


def _all(rows: Rows) -> list[Comparison]:
    return [row for those in rows.values() for row in those]


def _absent_data(claim: Claim, rows: Sequence[Comparison]) -> list[str]:
    there = {row.data for row in rows}
    return [name for name in claim.data if name not in there]


def _tested_on(claim: Claim, rows: Sequence[Comparison]) -> str:
    data = list(dict.fromkeys(row.data for row in rows))
    if not data:
        return ""
    absent = _absent_data(claim, rows)
    seeds = {row.seeds for row in rows}
    counts = f"{min(seeds)}" if len(seeds) == 1 else f"{min(seeds)} to {max(seeds)}"
    place = f", in place of {listed(claim.data)}" if set(absent) == set(claim.data) != set() else ""
    without = f", without {listed(absent)}" if absent and not place else ""
    return f"Tested on {listed(data)}{place}{without} with {counts} seeds."


def _missing(
    claim: Claim, contest: Contest, rows: Sequence[Comparison], curves: Curves
) -> Iterable[str]:
    groups = [of for group, of in curves.items() if group.experiment == contest.experiment]
    if not groups:
        yield f"{contest.experiment} was not run."
        return
    names = dict.fromkeys(contest.methods + contest.rivals)
    yield _absent(contest, names, [set(of) for of in groups])
    measured = [{name for curve in of.values() for name in curve.criteria} for of in groups]
    yield _absent(contest, claim.criteria, measured)
    elsewhere = {group.data for group in curves} & set(claim.data)
    absent = [name for name in _absent_data(claim, rows) if name in elsewhere]
    if rows and absent:
        yield f"Missing in {contest.experiment}: {listed(absent)}."
    if not rows:
        yield (
            f"{contest.experiment} has nothing to compare for {contest.name}: no method and rival "
            "with two seeds, an axis and a criterion in common."
        )
    elif any(not any(row.by_time is axis for row in rows) for axis in (True, False)):
        yield f"In {contest.experiment}, times or samples were not recorded."


def _absent(contest: Contest, names: Iterable[str], groups: list[set[str]]) -> str:
    """Which names no group has, and which only some have."""
    counts = {name: sum(name not in of for of in groups) for name in names}
    told = [
        name if count == len(groups) else f"{name} (in {count} of {len(groups)} groups)"
        for name, count in counts.items()
        if count
    ]
    return f"Missing in {contest.experiment}: {listed(sorted(told))}." if told else ""


def _alike(claim: Claim, contest: Contest, rows: Sequence[Comparison]) -> str:
    """Industry-10 and Industry-12 count as one piece of evidence: do they carry the verdict?"""
    if not set(ALIKE) <= {row.data for row in rows}:
        return ""
    fact = f"{listed(ALIKE)} share their optimal assets and are not independent evidence"
    others = [row for row in rows if row.data not in ALIKE]
    with_them, without = (Part.of(claim.name, contest, those).verdict for those in (rows, others))
    if not others:
        return f"{fact}, and there is no other."
    if with_them == without:
        return ""
    rest = listed(dict.fromkeys(row.data for row in others))
    return f"{fact}: on {rest} alone, the verdict on {contest.name} is: {without}."


def _batch(contest: Contest, curves: Curves) -> str:
    found = {
        curve.batch
        for group, of in curves.items()
        if group.experiment == contest.experiment
        for method, curve in of.items()
        if method in contest.methods
    }
    if contest.batch is None or not found or found == {contest.batch}:
        return ""
    return f"{contest.experiment} ran with batch {listed(map(str, sorted(found)))}."


def _clock(rows: Sequence[Comparison]) -> str:
    """How many comparisons only the clock leaves open."""
    counted = [row for row in rows if row.counted and row.by_time]
    unsure = sum(row.left_open_by_the_clock for row in counted)
    if not unsure:
        return ""
    return (
        f"The spread of the clock leaves {unsure:,} of {len(counted):,} comparisons by time open."
    )


def _lost(claim: Claim, curves: Curves) -> str:
    cells = {
        (group, method): curve.lost.any(axis=0)
        for group, of in curves.items()
        for method, curve in of.items()
        for contest in claim.contests
        if group.experiment == contest.experiment and method in contest.methods + contest.rivals
    }
    counts: dict[str, tuple[int, int]] = {}
    for (_, method), lost in cells.items():
        before = counts.get(method, (0, 0))
        counts[method] = before[0] + int(lost.sum()), before[1] + lost.size
    told = [f"{name} {lost:,} of {runs:,}" for name, (lost, runs) in counts.items() if lost]
    return f"Runs that diverged: {listed(told)}." if told else ""


def listed(names: Iterable[str]) -> str:
    """
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    names = list(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
