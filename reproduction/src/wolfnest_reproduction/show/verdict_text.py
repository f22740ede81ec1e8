"""The verdicts as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from wolfnest_reproduction.judge.duels import (
    AT_SAMPLES,
    AT_TIME,
    BETTER,
    HALF_TIME,
    MEASURES,
    OPEN,
    WORSE,
)
from wolfnest_reproduction.judge.factors import MATCHED
from wolfnest_reproduction.judge.verdict import ALL, UNTESTED, Part, Tally

if TYPE_CHECKING:
    import pandas as pd

    from wolfnest_reproduction.judge.judgement import Verdict

CRITERIA = {
    "optimal_gap": "objective (optimal gap)",
    "frank_wolfe_gap": "Frank-Wolfe gap",
    "gradient_mapping": "gradient mapping",
    ALL: ALL,
}
MEDIANS = (
    "Behind the count of a measure, in brackets: the median ratio of the method's value to the "
    "rival's; below 1, the method is lower."
)
ASIDE = (
    "Forms of the paper's methods with separate gradient batches against the same methods with "
    "shared ones, and the automatic choice, which is not tuned, against every method of the paper. "
    "Better / open / worse, by the same intervals; none of it enters a verdict."
)
COUNTED = tuple(measure for measure in MEASURES if measure != HALF_TIME)


def page(verdicts: Sequence[Verdict], rule: str, aside: pd.DataFrame) -> str:
    summary = grid(
        ["claim", "in words", "verdict"],
        ([one.claim, one.text, f"**{one.verdict}**{_addition(one)}"] for one in verdicts),
    )
    sections = ["# Which claims hold", summary, *map(_section, verdicts)]
    if len(aside):
        sections += ["## Beside the claims", ASIDE, _beside(aside)]
    return "\n\n".join([*sections, "## The rule", rule]) + "\n"


def _addition(verdict: Verdict) -> str:
    return " (incomplete)" if verdict.incomplete and verdict.verdict != UNTESTED else ""


def _section(verdict: Verdict) -> str:
    title = f"## {verdict.claim}: {verdict.verdict}{_addition(verdict)}"
    blocks = [title, verdict.text, verdict.reason]
    if verdict.explanation:
        blocks.append(f"**What decides it.** {verdict.explanation}")
    for name in dict.fromkeys(part.part for part in verdict.parts if part.verdict != UNTESTED):
        head = ["data", "criterion", "verdict", "better", "against the best rival"]
        head += ["the best of them against the best rival", *COUNTED]
        cells = [_part(part) for part in verdict.parts if part.part == name]
        factors = [
            [factor.factor, CRITERIA.get(factor.level, factor.level), _share(factor.comparisons)]
            for factor in verdict.factors
            if factor.part == name
        ]
        blocks += [f"### {verdict.claim}, {name}", grid(head, cells)]
        blocks += [MEDIANS, grid(["factor", "level", "better"], factors), MATCHED]
    return "\n\n".join(blocks)


def _part(part: Part) -> list[str]:
    measures = [part.measures.get(measure) for measure in COUNTED]
    return [
        part.data,
        CRITERIA.get(part.criterion, part.criterion),
        part.verdict,
        str(part.comparisons),
        str(part.best),
        "" if part.family is None else str(part.family),
        *(f"{one.comparisons} (×{one.median_ratio:.3g})" if one else "" for one in measures),
    ]


def _beside(aside: pd.DataFrame) -> str:
    """How often each form was lower, by experiment, data set and criterion."""
    keys = ["form", "experiment", "data", "criterion"]
    rows = []
    for key, part in aside.groupby(keys, sort=False):
        form, experiment, data, criterion = map(str, key)  # pyright: ignore[reportArgumentType]
        counts = [_outcomes(part[part["measure"] == name]) for name in (AT_SAMPLES, AT_TIME)]
        rows.append([form, experiment, data, CRITERIA.get(criterion, criterion), *counts])
    return grid([*keys, AT_SAMPLES, AT_TIME], rows)


def _outcomes(rows: Any) -> str:
    found = rows["outcome"].tolist()
    return " / ".join(str(found.count(name)) for name in (BETTER, OPEN, WORSE))


def _share(count: Tally) -> str:
    return f"{count} ({count.share:.0%})"


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown.

    >>> print(grid(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [head, ["---"] * len(head), *rows]
    texts = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]
    return "\n".join([texts[0], texts[1].replace(" ", ""), *texts[2:]])
