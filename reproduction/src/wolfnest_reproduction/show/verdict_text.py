"""The verdicts in Markdown: a page of their own, and short for the summary."""

from __future__ import annotations

from collections.abc import Iterable

from wolfnest.common.tables import markdown
from wolfnest.page.template import asset
from wolfnest_reproduction.judge.beside import MEASURES, count
from wolfnest_reproduction.judge.comparisons import COUNTED
from wolfnest_reproduction.judge.judgement import Judgement
from wolfnest_reproduction.judge.verdict import UNTESTED, Counts, Part, Verdict
from wolfnest_reproduction.show import sentences
from wolfnest_reproduction.show.averages import Frame

CRITERIA = {
    "optimal_gap": "objective (optimal gap)",
    "frank_wolfe_gap": "Frank-Wolfe gap",
    "gradient_mapping": "gradient mapping",
}
MEDIANS = (
    "Behind the count of a measure, in brackets: the median ratio of the method's value to the "
    "rival's; below 1, the method is lower."
)
LEGEND = (
    "“Better” counts comparisons of one method with one rival on one data set and criterion, at "
    "equal time and at equal samples; “against the best rival” only the hardest rival of each, "
    "“best against best” only the best of the claim’s methods against that rival."
)
ASIDE = (
    "Forms of the paper's methods with separate gradient batches against the same methods with "
    "shared ones, and the automatic choice, which is not tuned, against every method of the paper. "
    "Better / open / worse, by the same intervals; none of it enters a verdict."
)


def page(judgement: Judgement) -> str:
    """The verdicts, what they rest on, and the rule."""
    rows = [[one.claim.name, one.claim.text, _answer(one, "**")] for one in judgement.verdicts]
    blocks = ["# Which claims hold", markdown(["claim", "in words", "verdict"], rows)]
    for verdict in judgement.verdicts:
        blocks += _section(verdict)
    if len(judgement.beside):
        blocks += ["## Beside the claims", ASIDE, _beside(judgement.beside)]
    return "\n\n".join([*blocks, "## The rule", asset("rule", "wolfnest_reproduction.show", "md")])


def short(judgement: Judgement) -> list[str]:
    """The parts of every claim in one table, and what there is to know about them."""
    head = ["claim", "in words", "verdict", "part", "better", "against the best rival"]
    rows = []
    for one in judgement.verdicts:
        first = [one.claim.name, one.claim.text, f"**{sentences.answer(one)}**"]
        for part in one.parts:
            counts = [UNTESTED, "", ""] if part.outcome == UNTESTED else _tallies(part.whole)
            rows.append([*first, part.name, *counts])
            first = [""] * 3
    told = [f"- **{one.claim.name}**: {sentences.notes(one)}" for one in judgement.verdicts]
    return [markdown([*head, "best against best"], rows), LEGEND, "\n".join(told)]


def _answer(verdict: Verdict, mark: str = "") -> str:
    addition = " (incomplete)" if sentences.is_lacking(verdict) else ""
    return f"{mark}{verdict.outcome}{mark}{addition}"


def _section(verdict: Verdict) -> Iterable[str]:
    yield f"## {verdict.claim.name}: {_answer(verdict)}"
    yield verdict.claim.text
    yield sentences.reason(verdict)
    if explanation := sentences.explanation(verdict):
        yield f"**What decides it.** {explanation}"
    for part in verdict.parts:
        if part.outcome != UNTESTED:
            yield f"### {verdict.claim.name}, {part.name}"
            yield from _part(part)


def _part(part: Part) -> Iterable[str]:
    head = ["data", "criterion", "verdict", "better", "against the best rival"]
    head += ["the best of them against the best rival", *(measure.name for measure in COUNTED)]
    yield markdown(head, map(_counts, (part.whole, *part.finer)))
    yield MEDIANS
    levels = [
        [factor.name, CRITERIA.get(level, level), f"{tally} ({tally.share:.0%})"]
        for factor in part.factors
        for level, tally in factor.levels.items()
    ]
    yield markdown(["factor", "level", "better"], levels)
    yield sentences.MATCHED


def _tallies(counts: Counts) -> list[str]:
    shown = (counts.comparisons, counts.best_rival, counts.best_against_best)
    return ["" if tally is None else str(tally) for tally in shown]


def _counts(counts: Counts) -> list[str]:
    measures = [counts.measures.get(measure.name) for measure in COUNTED]
    return [
        counts.data,
        CRITERIA.get(counts.criterion, counts.criterion),
        counts.outcome,
        *_tallies(counts),
        *(f"{one.comparisons} (×{one.median_ratio:.3g})" if one else "" for one in measures),
    ]


def _beside(aside: Frame) -> str:
    """How often each form was lower, by experiment, data set and criterion."""
    keys = ["form", "experiment", "data", "criterion"]
    rows = []
    for (*names, criterion), part in aside.groupby(keys, sort=False):
        tallies = [one.outcomes for one in count(part).values()]
        ends = (f"{tally.better} / {tally.open} / {tally.worse}" for tally in tallies)
        rows.append([*names, CRITERIA.get(criterion, criterion), *ends])
    return markdown([*keys, *(measure.name for measure in MEASURES)], rows)
