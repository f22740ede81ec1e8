"""Verdicts in words: every sentence about a claim is made here, from the fields of its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wolfnest.common.formatting import number
from wolfnest_reproduction.judge import completeness, factors
from wolfnest_reproduction.judge.beside import APART, CHOICE, FORMS, count
from wolfnest_reproduction.judge.factors import Factor
from wolfnest_reproduction.judge.judgement import Judgement
from wolfnest_reproduction.judge.verdict import HOLDS, UNTESTED, Note, Part, Verdict

NOTES = {
    completeness.NOT_RUN: "{experiment} was not run.",
    completeness.MISSING: "Missing in {experiment}: {names}.",
    completeness.NOTHING_TO_COMPARE: "{experiment} has nothing to compare for {part}: no method "
    "and rival with two seeds, an axis and a criterion in common.",
    completeness.ONE_AXIS: "In {experiment}, times or samples were not recorded.",
    completeness.ALIKE_ONLY: "{data} share their optimal assets and are not independent evidence, "
    "and there is no other.",
    completeness.ALIKE_DECIDE: "{data} share their optimal assets and are not independent "
    "evidence: on {others} alone, the verdict on {part} is: {outcome}.",
    completeness.BATCH: "{experiment} ran with batch {batches}.",
    completeness.CLOCK: "The spread of the clock leaves {open:,} of {comparisons:,} comparisons by "
    "time open.",
    completeness.DIVERGED: "Runs that diverged: {runs}.",
    completeness.UNFINISHED: "The run is not finished: {cells:,} of its cells are still to come.",
}
NOTABLE = 0.1  # shares that differ by less decide nothing
NARROWER = {
    factors.BATCHES: " (the same comparisons, at equal samples)",
    factors.EDGE: " (the same methods on other data sets)",
}
MATCHED = "Each is counted over comparisons that agree in everything else."
# Who meets whom, and what the lowest and the highest share of them are called.
SIDES = {
    factors.RIVAL: ("hardest", "easiest"),
    factors.METHOD: ("weakest", "strongest"),
    factors.PAIR: ("weakest", "strongest"),
}
# What is said of a form beside the claims: who is lower than whom.
LOWER = {
    APART: "Separate gradient batches are lower than the paper’s shared ones",
    CHOICE: "The automatic choice, which is not tuned, is lower than a tuned method of the paper",
}


def plain(judgement: Judgement) -> str:
    """The verdicts for a terminal, one per line."""
    return "\n".join(f"{one.claim.name} {one.outcome}: {reason(one)}" for one in judgement.verdicts)


def verdicts(judgement: Judgement) -> str:
    """All answers in one sentence."""
    answers: dict[str, list[str]] = {}
    for one in judgement.verdicts:
        answers.setdefault(answer(one), []).append(f"{one.claim.name} ({one.claim.title})")
    told = "; ".join(f"{answer}: {listed(names)}" for answer, names in answers.items())
    return f"The paper’s claims: {told}."


def is_lacking(verdict: Verdict) -> bool:
    """Whether to say that it is incomplete: what was not tested is that anyway."""
    return verdict.incomplete and verdict.outcome != UNTESTED


def answer(verdict: Verdict) -> str:
    """The verdict in words: "partly, incomplete"."""
    return f"{verdict.outcome}, incomplete" if is_lacking(verdict) else verdict.outcome


def reason(verdict: Verdict) -> str:
    """What a verdict rests on, counted, and what there is to know about it."""
    return " ".join([*_incomplete(verdict), *map(_counted, verdict.parts), *_noted(verdict)])


def notes(verdict: Verdict) -> str:
    """The reason without the counts of the parts."""
    return " ".join([*_incomplete(verdict), *_noted(verdict)])


def _incomplete(verdict: Verdict) -> list[str]:
    return ["Incomplete."] if is_lacking(verdict) else []


def _counted(part: Part) -> str:
    counts = part.whole
    if part.outcome == UNTESTED:
        return f"{capital(part.name)}: not tested."
    family = counts.best_against_best
    return (
        f"{capital(part.name)}: better in {counts.comparisons} comparisons (worse in "
        f"{counts.comparisons.worse:,}), against the best rival in {counts.best_rival}"
        + (f", the best of them against the best rival in {family}" if family else "")
        + f"; by time {counts.by_time}, by samples {counts.by_samples}."
    )


def _noted(verdict: Verdict) -> list[str]:
    tested = [verdict.claim.reading, _tested(verdict)] if verdict.data else []
    return [*filter(None, tested), *map(_note, verdict.notes)]


def _tested(verdict: Verdict) -> str:
    fewest, most = verdict.seeds or (0, 0)
    seeds = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    absent = ""
    if verdict.absent:
        other = len(verdict.absent) == len(verdict.claim.data)
        absent = f", {'in place of' if other else 'without'} {listed(verdict.absent)}"
    return f"Tested on {listed(verdict.data)}{absent} with {seeds} seeds."


def _note(note: Note) -> str:
    facts = dict(note.facts)
    if note.code == completeness.MISSING:
        facts["names"] = [
            name if count == facts["groups"] else f"{name} (in {count} of {facts['groups']} groups)"
            for name, count in facts["names"].items()
        ]
    if note.code == completeness.DIVERGED:
        facts["runs"] = [
            f"{name} {lost:,} of {all:,}" for name, (lost, all) in facts["runs"].items()
        ]
    shown = {name: listed(fact) if isinstance(fact, list) else fact for name, fact in facts.items()}
    return NOTES[note.code].format(**shown)


def explanation(verdict: Verdict) -> str:
    """What decides the parts that do not simply hold."""
    told = (_explained(part) for part in verdict.parts if part.outcome not in (HOLDS, UNTESTED))
    return " ".join(filter(None, told))


def _explained(part: Part) -> str:
    """The counts under every circumstance, which one matters most, and who wins."""
    found = {factor.name: factor for factor in part.factors}
    told = [
        ", ".join(f"{level} in {tally}" for level, tally in found[name].levels.items())
        + NARROWER.get(name, "")
        for name in factors.CIRCUMSTANCES
        if name in found
    ]
    most = factors.deciding(part.factors)
    if most is None:
        return ""
    what = f"What changes the share most is {most.name} ({most.change:.0%})."
    if most.change < NOTABLE:
        what = f"None of these changes the share by {NOTABLE:.0%} or more."
    return f"{capital(part.name)}: better {'; '.join(told)}. {MATCHED} {what}{_extremes(found)}"


def _extremes(found: Mapping[str, Factor]) -> str:
    """Against whom the share is lowest and highest, and of which method or pair."""
    told = ""
    for name, (low, high) in SIDES.items():
        if name not in found or not found[name].change:
            continue
        levels = sorted(found[name].levels.items(), key=lambda level: level[1].share)
        (worst, fewest), (best, most) = levels[0], levels[-1]
        told += f" The {low} {name} is {worst} ({fewest}), the {high} {best} ({most})."
    return told


def lower(form: str, rows: Any) -> str:
    """How often a form beside the claims was lower than the paper's."""
    told = [
        f"{measure} in {one.outcomes} comparisons (higher in {one.outcomes.worse:,}; "
        f"median ratio {number(one.ratio)})"
        for measure, one in count(rows).items()
        if one.outcomes.total
    ]
    return f"{LOWER[form]} {' and '.join(told)}."


def forms(aside: Any) -> Iterable[tuple[str, Any]]:
    """The forms that were run, each with its rows of the table."""
    for form in FORMS:
        rows = aside[aside["form"] == form]
        if len(rows):
            yield form, rows


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def listed(names: Iterable[object]) -> str:
    """
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = map(str, names)
    return f"{', '.join(first)} and {last}" if first else last
