"""The verdicts as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from wolfnest.experiments.comparisons import HALF_TIME, MEASURES
from wolfnest.experiments.verdicts import ALL, UNTESTED, Part, Tally

if TYPE_CHECKING:
    from wolfnest.experiments.claims import Verdict

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
COUNTED = tuple(measure for measure in MEASURES if measure != HALF_TIME)


def page(verdicts: Sequence[Verdict], rule: str) -> str:
    summary = grid(
        ["claim", "in words", "verdict"],
        ([one.claim, one.text, f"**{one.verdict}**"] for one in verdicts),
    )
    sections = ["# Which claims hold", summary, *map(_section, verdicts), "## The rule", rule]
    return "\n\n".join(sections) + "\n"


def _section(verdict: Verdict) -> str:
    blocks = [f"## {verdict.claim}: {verdict.verdict}", verdict.text, verdict.reason]
    if verdict.explanation:
        blocks.append(f"**What decides it.** {verdict.explanation}")
    for name in dict.fromkeys(part.part for part in verdict.parts if part.verdict != UNTESTED):
        head = ["data", "criterion", "verdict", "better", "against the best rival", *COUNTED]
        cells = [_part(part) for part in verdict.parts if part.part == name]
        factors = [
            [factor.factor, factor.level or "none", _share(factor.comparisons)]
            for factor in verdict.factors
            if factor.part == name
        ]
        blocks += [f"### {verdict.claim}, {name}", grid(head, cells)]
        blocks += [MEDIANS, grid(["factor", "level", "better"], factors)]
    return "\n\n".join(blocks)


def _part(part: Part) -> list[str]:
    measures = [part.measures.get(measure) for measure in COUNTED]
    return [
        part.data,
        CRITERIA.get(part.criterion, part.criterion),
        part.verdict,
        str(part.comparisons),
        str(part.best),
        *(f"{one.comparisons} (×{one.median_ratio:.3g})" if one else "" for one in measures),
    ]


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
