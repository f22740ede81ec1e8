"""What the page's templates need of verdicts beside their fields and sentences: tables, bars."""

from __future__ import annotations

from typing import Any

from wolfnest.common.formatting import UNKNOWN, number
from wolfnest.common.tables import Column, Grid
from wolfnest.page.template import safe
from wolfnest_reproduction.judge import beside
from wolfnest_reproduction.judge.judgement import Judgement
from wolfnest_reproduction.judge.tally import Tally
from wolfnest_reproduction.judge.verdict import Part, Verdict
from wolfnest_reproduction.show import labels, sentences
from wolfnest_reproduction.show.averages import Frame

FORMS = {
    beside.APART: "Separate gradient batches",
    beside.CHOICE: "The automatic choice",
}
ENDS = "Better / open / worse"


def badge(verdict: Verdict) -> str:
    """The verdict in a word and its mark."""
    return f"{labels.BADGES[verdict.outcome]} {sentences.answer(verdict)}"


def experiments(judgement: Judgement, verdict: Verdict) -> list[str]:
    """Those that have comparisons for a claim."""
    figures: Frame = judgement.figures
    return list(dict.fromkeys(figures["experiment"][figures["claim"] == verdict.claim.name]))


def factors(part: Part) -> Grid:
    """What decides a part of a claim."""
    columns = [Column("Circumstance", "keep"), Column("Level"), Column(ENDS, "keep")]
    rows = [
        ["" if place else factor.name, labels.CRITERIA.get(level, level), ends(tally)]
        for factor in part.factors
        for place, (level, tally) in enumerate(factor.levels.items())
    ]
    return Grid(columns, rows)


def finer(verdict: Verdict) -> Grid:
    """The parts of a claim by data set and criterion."""
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


def counted(rows: Frame, keys: dict[str, str]) -> Grid:
    """How often a form beside the claims was lower, in groups of the named columns."""
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
