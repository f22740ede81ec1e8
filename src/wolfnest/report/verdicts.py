"""The claims on the page: verdicts, reasons, counts, and the comparisons behind them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from wolfnest.report import tables, words
from wolfnest.report.markup import Column, Raw, details, escape, join, table, tag

TITLES = {
    "claim": "Claim",
    "experiment": "Experiment",
    "data": "Data set",
    "setting": "Setting",
    "horizon": "Horizon",
    "criterion": "Criterion",
    "measure": "Measured",
    "method": "Method",
    "rival": "Rival",
    "value": "Its value",
    "rival_value": "Rival’s value",
    "ratio": "Ratio",
    "low": "log₁₀ ratio from",
    "high": "to",
    "outcome": "Outcome",
}
NUMBERS = ("value", "rival_value", "ratio", "low", "high")
FILTERS = ("claim", "data", "criterion", "measure", "method", "outcome")


def claims(judgement: Any) -> Raw:
    """One card per claim, then all comparisons."""
    if judgement is None:
        return tag("p", "The claims were not judged.", class_="quiet")
    figures = judgement.figures
    cards = [
        _card(one, figures["experiment"][figures["claim"] == one.claim] if len(figures) else [])
        for one in judgement.verdicts
    ]
    rule = str(getattr(judgement, "rule", "") or "")
    parts = [tag("p", _INTRO, class_="quiet"), *cards]
    if rule:
        paragraphs = (tag("p", _plain(part)) for part in rule.split("\n\n"))
        parts.append(details("How a verdict is computed", *paragraphs))
    if len(judgement.figures):
        chosen = tables.listed(judgement.figures)
        note = (
            f"{len(chosen):,} of {len(judgement.figures):,} comparisons are listed here; all of "
            "them are in tables/comparisons-all.csv.gz beside this page."
        )
        parts.append(
            details(
                "All comparisons behind the verdicts",
                tag("p", note if len(chosen) < len(judgement.figures) else "", class_="quiet"),
                Raw('<div id="compare"></div>'),
            )
        )
    return join(parts)


_INTRO = (
    "Verdicts are computed from the runs, not written by hand. A comparison sets one method of the "
    "paper against one rival on one data set and criterion. Bars and the three numbers beside them "
    "count how they ended: better (solid), open (grey: the difference may be chance), worse "
    "(striped)."
)


def badge(verdict: str) -> Raw:
    mark = words.BADGES.get(verdict, "?")
    return tag("span", f"{mark} {verdict}", class_=f"badge {verdict.replace(' ', '-')}")


def _card(verdict: Any, experiments: Iterable[str]) -> Raw:
    name = str(verdict.claim)
    parts = [
        tag("header", badge(str(verdict.verdict)), tag("h3", f"{name}. {verdict.text}")),
        tag("p", verdict.reason),
    ]
    figures = list(verdict.parts or [])
    wholes = [part for part in figures if getattr(part, "data", "") == "all"]
    bars = (tag("li", tally(part.comparisons), f", {part.part}") for part in wholes)
    if wholes:
        parts.append(tag("ul", join(bars), class_="bars"))
    explanation = str(getattr(verdict, "explanation", "") or "")
    if explanation:
        parts.append(details("What decides it", tag("p", explanation)))
    if figures:
        parts.append(details("Figures, by data set and criterion", _parts(figures)))
    links = (
        tag("a", f"Curves of {experiment}", href=f"#e={quote(str(experiment))}")
        for experiment in dict.fromkeys(experiments)
    )
    parts.append(tag("p", join(links, " · ")))
    return tag("article", join(parts), class_="claim", id=f"claim-{name}")


def _parts(parts: list[Any]) -> Raw:
    if not all(hasattr(part, "comparisons") for part in parts):
        return tag("ul", *(tag("li", str(part)) for part in parts))
    measures = list(dict.fromkeys(name for part in parts for name in part.measures))
    columns = [
        Column("Part"), Column("Data set", "keep"), Column("Criterion", "keep"),
        Column("Verdict", "keep"), Column("Better / open / worse", "keep"),
        Column("Better, strongest rival", "n"),
        *(Column(f"Better {name}", "n") for name in measures),
    ]  # fmt: skip
    rows = [
        [
            part.part, part.data, words.CRITERIA.get(part.criterion, part.criterion), part.verdict,
            tally(part.comparisons), str(part.best),
            *(_measured(part.measures.get(name)) for name in measures),
        ]
        for part in parts
    ]  # fmt: skip
    note = "“×”: median ratio of the method’s value to the rival’s; below 1, the method is lower."
    return join(
        [table(columns, rows, "Figures behind the verdict"), tag("p", note, class_="quiet")]
    )


def _measured(measured: Any) -> str:
    if measured is None:
        return "–"
    return f"{measured.comparisons} (×{words.number(measured.median_ratio)})"


def tally(counts: Any) -> Raw:
    """A bar and the three counts."""
    total = counts.better + counts.open + counts.worse
    if not total:
        return escape("–")
    pieces = (
        Raw(f'<i class="{kind}" style="width:{100 * getattr(counts, kind) / total:.4g}%"></i>')
        for kind in ("better", "open", "worse")
    )
    bar = tag("span", join(pieces, ""), class_="tally", aria_hidden="true")
    return join([bar, f" {counts.better:,} / {counts.open:,} / {counts.worse:,}"], "")


def comparisons(judgement: Any) -> dict[str, Any]:
    """The comparisons as columns, for the page's script: texts as numbers of their level."""
    if judgement is None or not len(judgement.figures):
        return {"rows": 0}
    figures = tables.listed(judgement.figures)
    columns = [name for name in TITLES if name in figures]
    cells: list[list[Any]] = []
    levels: list[list[str] | None] = []
    for name in columns:
        if name in NUMBERS:
            cells.append([_number(value) for value in figures[name].tolist()])
            levels.append(None)
            continue
        texts = [words.CRITERIA.get(str(value), str(value)) for value in figures[name].tolist()]
        order = list(dict.fromkeys(texts))
        place = {text: k for k, text in enumerate(order)}
        cells.append([place[text] for text in texts])
        levels.append(order)
    return {
        "rows": len(figures),
        "columns": columns,
        "titles": [TITLES[name] for name in columns],
        "filters": [name for name in FILTERS if name in columns],
        "levels": levels,
        "cells": cells,
    }


def _number(value: Any) -> float | int | str | None:
    real = float(value)
    if real != real:
        return None
    if real in (float("inf"), float("-inf")):
        return "∞" if real > 0 else "-∞"
    short = float(f"{real:.3g}")
    return int(short) if short.is_integer() and abs(short) < 1e6 else short


def _plain(text: str) -> str:
    """Markdown emphasis dropped, lines joined."""
    return " ".join(text.replace("*", "").split())
