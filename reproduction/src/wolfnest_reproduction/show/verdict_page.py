"""What the page's templates need of the verdicts beside their fields: words, tables, bars."""

from __future__ import annotations

from typing import Any, NamedTuple

from wolfnest.common.formatting import UNKNOWN, number
from wolfnest.common.tables import Column, Grid
from wolfnest.page.template import asset, safe
from wolfnest_reproduction.judge import beside
from wolfnest_reproduction.judge.claims import Claim
from wolfnest_reproduction.judge.judgement import Judgement
from wolfnest_reproduction.judge.tally import Tally
from wolfnest_reproduction.judge.verdict import UNTESTED, Part, Verdict
from wolfnest_reproduction.show import labels, sentences, verdict_tables
from wolfnest_reproduction.show.averages import Frame

FORMS = {
    beside.APART: "Separate gradient batches",
    beside.CHOICE: "The automatic choice",
}
PACKAGE = "wolfnest_reproduction.show"
ENDS = "Better / open / worse"


class Card(NamedTuple):
    """A claim on the page; `tested` are its parts that were."""

    claim: Claim
    outcome: str
    badge: str
    tested: list[Part]
    notes: str
    explanation: str
    factors: dict[str, Grid]
    finer: Grid
    experiments: list[str]


class Form(NamedTuple):
    """A form of methods beside the claims, counted by method, and by data set and criterion."""

    title: str
    sentence: str
    whole: Grid
    finer: Grid


def claims(judgement: Judgement) -> dict[str, Any]:
    """What `claims.html` names."""
    return {
        "cards": [_card(one, judgement.figures) for one in judgement.verdicts],
        "matched": sentences.MATCHED,
        "rule": asset("rule", PACKAGE, "md").split("\n\n"),
        "comparisons": len(judgement.figures),
        "listed": len(verdict_tables.comparisons(judgement)),
    }


def _card(verdict: Verdict, figures: Frame) -> Card:
    tested = [part for part in verdict.parts if part.outcome != UNTESTED]
    return Card(
        verdict.claim,
        verdict.outcome,
        f"{labels.BADGES[verdict.outcome]} {sentences.answer(verdict)}",
        tested,
        sentences.notes(verdict),
        sentences.explanation(verdict),
        {part.name: _factors(part) for part in verdict.parts if part.factors},
        _finer(verdict),
        list(dict.fromkeys(figures["experiment"][figures["claim"] == verdict.claim.name])),
    )


def _factors(part: Part) -> Grid:
    columns = [Column("Circumstance", "keep"), Column("Level"), Column(ENDS, "keep")]
    rows = [
        ["" if place else factor.name, labels.CRITERIA.get(level, level), ends(tally)]
        for factor in part.factors
        for place, (level, tally) in enumerate(factor.levels.items())
    ]
    return Grid(columns, rows)


def _finer(verdict: Verdict) -> Grid:
    every = [(part, counts) for part in verdict.parts for counts in part.finer]
    measures = list(dict.fromkeys(name for _, counts in every for name in counts.measures))
    columns = [
        Column("Part", "wide"), Column("Data set", "keep"), Column("Criterion", "keep"),
        Column("Verdict", "keep"), Column(ENDS, "keep"),
        Column("Better against the best rival", "n"), Column("best against best", "n"),
        *(Column(f"Better {name}", "n") for name in measures),
    ]  # fmt: skip
    rows = []
    for part, counts in every:
        found = [counts.measures.get(name) for name in measures]
        ratios = (f"{m.comparisons} (×{number(m.median_ratio)})" if m else UNKNOWN for m in found)
        best = (counts.best_rival, counts.best_against_best)
        rows.append(
            [
                part.name, counts.data, labels.CRITERIA.get(counts.criterion, counts.criterion),
                counts.outcome, ends(counts.comparisons),
                *(str(tally) if tally and tally.total else UNKNOWN for tally in best), *ratios,
            ]
        )  # fmt: skip
    return Grid(columns, rows)


def forms(judgement: Judgement) -> list[Form]:
    """What `beside.html` names."""
    by_method = {"experiment": "Experiment", "rival": "Against"}
    by_data = {"experiment": "Experiment", "data": "Data set", "criterion": "Criterion"}
    told = sentences.beside(judgement.beside)
    return [
        Form(FORMS[form], sentence, _counted(rows, by_method), _counted(rows, by_data))
        for (form, rows), sentence in zip(sentences.forms(judgement.beside), told, strict=True)
    ]


def _counted(rows: Frame, keys: dict[str, str]) -> Grid:
    """How often a form was lower, in groups of the named columns."""
    columns = [Column(title, "keep") for title in keys.values()]
    for measure in beside.MEASURES:
        columns += [Column(f"{ENDS} {measure.name}", "keep"), Column("×", "n")]
    body = []
    for key, part in rows.groupby(list(keys), sort=False):
        cells = [labels.CRITERIA.get(name, name) for name in key]
        for one in beside.count(part).values():
            cells += [ends(one.outcomes), one.ratio]
        body.append(cells)
    return Grid(columns, body)


def ends(tally: Tally) -> Any:
    """A bar and the three counts."""
    if not tally.total:
        return UNKNOWN
    return safe(f"{bar(tally)} {tally.better:,} / {tally.open:,} / {tally.worse:,}")


def bar(tally: Tally) -> Any:
    """The shares of better, open and worse, side by side."""
    counts = {"better": tally.better, "open": tally.open, "worse": tally.worse}
    pieces = (
        f'<i class="{kind}" style="width:{100 * count / tally.total:.4g}%"></i>'
        for kind, count in counts.items()
    )
    return safe(f'<span class="tally" aria-hidden="true">{"".join(pieces)}</span>')
