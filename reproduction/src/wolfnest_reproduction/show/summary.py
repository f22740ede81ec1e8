"""The result in a few sentences, and as a page of Markdown for a README or a documentation page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wolfnest.common.formatting import timing
from wolfnest_reproduction.judge.claims import CLAIMS
from wolfnest_reproduction.judge.completeness import listed
from wolfnest_reproduction.judge.verdict import UNTESTED, Part, Tally
from wolfnest_reproduction.show import (
    averages,
    baseline_curves,
    beside,
    labels,
    provenance,
    verdict_page,
)
from wolfnest_reproduction.show.averages import Frame
from wolfnest_reproduction.show.verdict_text import grid

if TYPE_CHECKING:
    from wolfnest_reproduction.judge.judgement import Judgement, Verdict

KEY = ("E2", "E4")
LEGEND = (
    "“Better” counts comparisons of one method with one rival on one data set and criterion, at "
    "equal time and at equal samples; “against the best rival” only the hardest rival of each, "
    "“best against best” only the best of the claim’s methods against that rival."
)


def sentences(results: averages.Results, found: Frame, judgement: Judgement | None) -> list[str]:
    """What came out: the claims, what stands beside them, and doing without sampling."""
    told = []
    if judgement is not None and judgement.verdicts:
        told.append(_claims(judgement.verdicts))
        told += beside.sentences(judgement.beside)
    return [*told, *_exact(baseline_curves.against(results.baselines, found))]


def markdown(
    results: averages.Results,
    found: Frame,
    judgement: Judgement | None,
    figures: list[Path],
    folder: Path,
) -> str:
    """Warnings, sentences, claims as a table, two figures, the command."""
    info = results.info or {}
    blocks = ["# Results", *(f"> {text}" for text in provenance.warnings(info, results.cells))]
    told = sentences(results, found, judgement)
    if told:
        blocks.append("\n".join(f"- {sentence}" for sentence in told))
    if judgement is not None and judgement.verdicts:
        blocks += ["## Claims", _table(judgement.verdicts), LEGEND]
        blocks.append(
            "\n".join(f"- **{v.claim}**: {verdict_page.notes(v)}" for v in judgement.verdicts)
        )
    blocks += [
        f"![{path.stem}]({path.relative_to(folder).as_posix()})" for path in key_figures(figures)
    ]
    data = info.get("data") or {}
    if data:
        blocks.append("Data: " + ", ".join(map(str, data)) + ".")
    if info.get("command"):
        blocks.append(f"Made by:\n\n    {info['command']}")
        blocks += [info["note"]] if info.get("note") else []
    blocks.append(
        "The page `index.html` has all curves, tuned parameters and costs; `tables/` has the "
        "figures behind it."
    )
    return "\n\n".join(blocks) + "\n"


def key_figures(figures: list[Path]) -> list[Path]:
    """The first figure of E2 and of E4, or of what there is; against time where possible."""
    images = [path for path in figures if path.suffix == ".png"]
    images.sort(key=lambda path: not path.stem.endswith("-time"))
    found = [next((p for p in images if p.stem.startswith(f"{name}-")), None) for name in KEY]
    chosen = [path for path in found if path is not None]
    chosen += [path for path in images if path not in chosen]
    return chosen[:2]


def _claims(found: Sequence[Verdict]) -> str:
    """
    >>> from types import SimpleNamespace as Verdict
    >>> _claims([Verdict(claim="C1", verdict="holds", incomplete=False),
    ...     Verdict(claim="C2", verdict="partly", incomplete=True)])
    'The paper’s claims: holds: C1 (faster than the rivals on matrices); partly, incomplete: C2 \
(faster than the rivals on mean-variance).'
    """
    titles = {claim.name: claim.title for claim in CLAIMS}
    answers: dict[str, list[str]] = {}
    for one in found:
        name = f"{one.claim} ({titles[one.claim]})" if one.claim in titles else one.claim
        answers.setdefault(verdict_page.answer(one), []).append(name)
    told = "; ".join(f"{answer}: {listed(names)}" for answer, names in answers.items())
    return f"The paper’s claims: {told}."


def _exact(rows: Frame) -> Iterable[str]:
    """How long the fastest solver takes, and for how long sampling is ahead, by experiment."""
    if rows.empty:
        return
    for experiment, part in rows.groupby("experiment", sort=False):
        problems = part.groupby(["data", "setting"], sort=False)
        solved, leads = problems["solved"].min(), problems["ahead_until"].first()
        open_ended, early = leads == float("inf"), (leads < float("inf")) & (leads != solved)
        told = _cases(
            (f"is solved on all data in {_span(solved)}", solved.notna()),
            (f"is not solved in {_span(problems['time'].max()[solved.isna()])}", solved.isna()),
        )
        ahead = _cases(
            ("ahead until then", leads == solved),
            (f"ahead for the first {_span(leads[early])}", early),
            ("ahead all the time", open_ended),
            ("never ahead", leads.isna()),
        )
        title = labels.experiment(str(experiment)).title
        yield (
            f"Without sampling, {experiment} ({title}) {told}; sampling methods, their tuning not "
            f"counted, are {ahead}."
        )


def _cases(*cases: tuple[str, Any]) -> str:
    """What is the case on some problems, and on how many unless on all of them."""
    return listed(
        text if which.all() else f"{text} (on {int(which.sum())} of {len(which)} problems)"
        for text, which in cases
        if which.any()
    )


def _span(times: Any) -> str:
    """From the shortest to the longest.

    >>> import pandas as pd
    >>> _span(pd.Series([0.002, 0.001])), _span(pd.Series([0.25, None]))
    ('1 ms to 2 ms', '250 ms')
    """
    low, high = timing(float(times.min())), timing(float(times.max()))
    return low if low == high else f"{low} to {high}"


def _table(found: Sequence[Verdict]) -> str:
    head = ["claim", "in words", "verdict", "part", "better", "against the best rival"]
    rows = []
    for one in found:
        for place, part in enumerate(verdict_page.wholes(one)):
            first = (
                [one.claim, one.text, f"**{verdict_page.answer(one)}**"] if place == 0 else [""] * 3
            )
            rows.append([_cell(text) for text in (*first, part.part, *_counts(part))])
    return grid([*head, "best against best"], rows)


def _counts(part: Part) -> list[str]:
    if part.verdict == UNTESTED:
        return ["not tested", "", ""]
    shown: list[Tally | None] = [part.comparisons, part.best, part.family]
    return ["" if one is None else str(one) for one in shown]


def _cell(text: object) -> str:
    return " ".join(str(text).split())
