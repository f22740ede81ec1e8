"""The claims on the page: verdicts, counts, what decides them, and the comparisons behind them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from wolfnest.common.formatting import number
from wolfnest.page.markup import Column, Raw, details, escape, join, table, tag
from wolfnest_reproduction.judge.factors import MATCHED, Factor
from wolfnest_reproduction.judge.verdict import ALL, UNTESTED, Measured, Part, Tally
from wolfnest_reproduction.show import comparisons, labels, prose

if TYPE_CHECKING:
    from wolfnest_reproduction.judge.judgement import Judgement, Verdict

INCOMPLETE = "incomplete"


def claims(judgement: Judgement | None) -> Raw:
    """How to read a verdict, one card per claim, then all comparisons."""
    if judgement is None:
        return tag("p", "The claims were not judged.", class_="quiet")
    figures = judgement.figures
    cards = [
        _card(one, figures["experiment"][figures["claim"] == one.claim] if len(figures) else [])
        for one in judgement.verdicts
    ]
    reading = tag("ul", *(tag("li", sentence) for sentence in prose.READING))
    rule = (tag("p", _plain(part)) for part in judgement.rule.split("\n\n"))
    parts = [
        details("How to read a verdict", reading, is_open=True),
        *cards,
        details("The rule in full", *rule),
    ]
    if len(figures):
        parts.append(_all(len(comparisons.listed(figures)), len(figures)))
    return join(parts)


def badge(verdict: Verdict) -> Raw:
    """The verdict as a coloured word, and whether something is missing."""
    mark = labels.BADGES.get(verdict.verdict, "?")
    kind = verdict.verdict.replace(" ", "-")
    return tag("span", f"{mark} {answer(verdict)}", class_=f"badge {kind}")


def answer(verdict: Verdict) -> str:
    """The verdict in words: "partly, incomplete"."""
    lacking = verdict.incomplete and verdict.verdict != UNTESTED
    return f"{verdict.verdict}, {INCOMPLETE}" if lacking else verdict.verdict


def wholes(verdict: Verdict) -> list[Part]:
    """The parts of a claim, each on all data sets and criteria."""
    return [part for part in verdict.parts if part.data == part.criterion == ALL]


def notes(verdict: Verdict) -> str:
    """What the reason of a verdict says beside the counts of its parts."""
    reason = verdict.reason
    for part in wholes(verdict):
        reason = reason.replace(f"{part}.", "")
    return " ".join(reason.split())


def tally(counts: Tally) -> Raw:
    """A bar and the three counts."""
    if not counts.total:
        return escape("–")
    return join([bar(counts), f" {counts.better:,} / {counts.open:,} / {counts.worse:,}"], "")


def bar(counts: Tally) -> Raw:
    """The shares of better, open and worse, side by side."""
    pieces = (
        Raw(f'<i class="{kind}" style="width:{100 * getattr(counts, kind) / counts.total:.4g}%">'
            "</i>")
        for kind in ("better", "open", "worse")
    )  # fmt: skip
    return tag("span", join(pieces, ""), class_="tally", aria_hidden="true")


def _card(verdict: Verdict, experiments: Iterable[str]) -> Raw:
    name = verdict.claim
    parts = [tag("header", badge(verdict), tag("h3", f"{name}. {verdict.text}"))]
    tested = [part for part in wholes(verdict) if part.verdict != UNTESTED]
    if tested:
        parts.append(tag("ul", *map(_counts, tested), class_="bars"))
    parts.append(tag("p", notes(verdict), class_="quiet"))
    if verdict.explanation or verdict.factors:
        parts.append(details("What decides it", *_deciding(verdict)))
    finer = [part for part in verdict.parts if part.data != ALL or part.criterion != ALL]
    if finer:
        parts.append(details("By data set and criterion", _parts(finer)))
    links = (
        tag("a", f"Curves of {experiment}", href=f"#e={quote(str(experiment))}")
        for experiment in dict.fromkeys(experiments)
    )
    parts.append(tag("p", join(links, " · ")))
    return tag("article", join(parts), class_="claim", id=f"claim-{name}")


def _counts(part: Part) -> Raw:
    """A part of a claim: its bar, its verdict, and the same counts by axis and rival."""
    finer = {
        "by time": part.by_time,
        "by samples": part.by_samples,
        "against the best rival": part.best,
        "best against best": part.family,
    }
    told = (f"{name} {count}" for name, count in finer.items() if count is not None)
    name, counts = part.part[:1].upper() + part.part[1:], part.comparisons
    words = f" {counts.better:,} better, {counts.open:,} open, {counts.worse:,} worse"
    return tag(
        "li",
        join([f"{name}: ", tag("b", part.verdict)], ""),
        tag("div", bar(counts), words),
        tag("div", f"Better {', '.join(told)}.", class_="quiet"),
    )


def _deciding(verdict: Verdict) -> Iterable[Raw]:
    columns = [
        Column("Circumstance", "keep"), Column("Level"), Column("Better / open / worse", "keep")
    ]  # fmt: skip
    if verdict.explanation:
        yield tag("p", verdict.explanation)
    for part, factors in itertools.groupby(verdict.factors, key=lambda one: one.part):
        rows = [
            ["" if place else name, _level(factor), tally(factor.comparisons)]
            for name, levels in itertools.groupby(factors, key=lambda one: one.factor)
            for place, factor in enumerate(levels)
        ]
        yield join([tag("h4", part), table(columns, rows, f"What decides {part}")])
    if verdict.factors:
        yield tag("p", MATCHED, class_="quiet")


def _level(factor: Factor) -> str:
    return labels.CRITERIA.get(factor.level, factor.level) or "none"


def _parts(parts: Sequence[Part]) -> Raw:
    measures = list(dict.fromkeys(name for part in parts for name in part.measures))
    columns = [
        Column("Part", "wide"), Column("Data set", "keep"), Column("Criterion", "keep"),
        Column("Verdict", "keep"), Column("Better / open / worse", "keep"),
        Column("Better against the best rival", "n"), Column("best against best", "n"),
        *(Column(f"Better {name}", "n") for name in measures),
    ]  # fmt: skip
    rows = [
        [
            part.part, part.data, labels.CRITERIA.get(part.criterion, part.criterion), part.verdict,
            tally(part.comparisons), _share(part.best), _share(part.family),
            *(_measured(part.measures.get(name)) for name in measures),
        ]
        for part in parts
    ]  # fmt: skip
    note = "“×”: median ratio of the method’s value to the rival’s; below 1, the method is lower."
    grid = table(columns, rows, "Figures behind the verdict")
    return join([grid, tag("p", note, class_="quiet")])


def _share(count: Tally | None) -> str:
    return "–" if count is None or not count.total else str(count)


def _measured(measured: Measured | None) -> str:
    if measured is None:
        return "–"
    return f"{measured.comparisons} (×{number(measured.median_ratio)})"


def _all(listed: int, total: int) -> Raw:
    note = (
        f"{listed:,} of {total:,} comparisons are listed here; all of them are in "
        "tables/comparisons-all.csv.gz beside this page."
    )
    return details(
        "All comparisons behind the verdicts",
        tag("p", note if listed < total else "", class_="quiet"),
        Raw('<div id="compare"></div>'),
    )


def _plain(text: str) -> str:
    """Markdown emphasis dropped, lines joined."""
    return " ".join(text.replace("*", "").split())
