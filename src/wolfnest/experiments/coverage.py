"""What a verdict rests on, in words: data, missing pieces, lost runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wolfnest.experiments.comparisons import Comparison, Curves
from wolfnest.experiments.statements import ALIKE, Claim, Contest
from wolfnest.experiments.verdicts import verdict_on


def notes(claim: Claim, rows: dict[Contest, list[Comparison]], curves: Curves) -> list[str]:
    """Sentences that go with a verdict: what was tested, missing, not independent, lost."""
    found = [_tested_on(claim, [row for those in rows.values() for row in those])]
    for contest, those in rows.items():
        found += _missing(claim, contest, those, curves)
        found.append(_alike(contest, those))
        found.append(_batch(contest, curves))
    found.append(_lost(claim, curves))
    return [note for note in dict.fromkeys(found) if note]


def _tested_on(claim: Claim, rows: Sequence[Comparison]) -> str:
    data = list(dict.fromkeys(row.data for row in rows))
    if not data:
        return ""
    absent = [name for name in claim.data if name not in data]
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
    if not rows:
        yield (
            f"{contest.experiment} has nothing to compare for {contest.name}: no method and rival "
            "with a seed, an axis and a criterion in common."
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
    return f"Missing in {contest.experiment}: {listed(told)}." if told else ""


def _alike(contest: Contest, rows: Sequence[Comparison]) -> str:
    """Industry-10 and Industry-12 count as one piece of evidence: do they carry the verdict?"""
    if not set(ALIKE) <= {row.data for row in rows}:
        return ""
    fact = f"{listed(ALIKE)} share their optimal assets and are not independent evidence"
    others = [row for row in rows if row.data not in ALIKE]
    with_them, without = verdict_on(rows), verdict_on(others)
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
