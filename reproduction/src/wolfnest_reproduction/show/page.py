"""One self-contained HTML page: template, style and script as package files, data filled in."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from wolfnest.page.assembly import asset, fingerprint, program
from wolfnest.page.markup import definitions, escape
from wolfnest.page.packing import script
from wolfnest_reproduction.show import (
    averages,
    beside,
    comparisons,
    exact,
    prose,
    running,
    sections,
    summary,
    verdict_page,
)
from wolfnest_reproduction.show.averages import Frame
from wolfnest_reproduction.show.payload import payload

if TYPE_CHECKING:
    from wolfnest_reproduction.judge.judgement import Judgement

TITLE = "Projection-free methods for nested stochastic objectives: the paper’s claims, rerun"
GENERATOR = '<meta name="generator" content="wolfnest">'
SHARED = ("scales", "chart")
OWN = ("controls", "legend", "values", "lists")


def build(
    results: averages.Results,
    found: Frame,
    judgement: Judgement | None = None,
    figures: list[Path] | None = None,
    folder: Path | None = None,
) -> str:
    """The page as text. `found` are the averages of `averages.points`."""
    info = results.info or {}
    shared, own = ([asset(f"{name}.js") for name in SHARED], [_own(f"{name}.js") for name in OWN])
    code = program(*shared, *own)
    return Template(_own("page.html")).substitute(
        title=escape(TITLE),
        subtitle=escape(_subtitle(info, found)),
        warning=running.boxes(info, results.cells),
        css=asset("page.css"),
        script=code,
        script_hash=fingerprint(code),
        lead=sections.lead(),
        short=sections.short(summary.sentences(results, found, judgement)),
        experiments=sections.experiments(found),
        claims=verdict_page.claims(judgement),
        beside=beside.section(judgement.beside if judgement else ()),
        curve=escape(prose.CURVE),
        average=escape(prose.AVERAGE),
        glossary=definitions(prose.GLOSSARY),
        methods=sections.methods(found),
        baselines=sections.baselines(results, found),
        cost=sections.cost(results.cells),
        tuning=sections.tuning(results.cells),
        data=sections.data(info),
        run=running.section(info, results.cells, figures or [], folder or Path()),
        payload=script(payload(found, exact.solvers(results.baselines, found))),
        comparisons=script(comparisons.columns(judgement.figures if judgement else ())),
    )


def _own(name: str) -> str:
    return asset(name, "wolfnest_reproduction.show")


def linked(folder: Path) -> set[Path]:
    """The figures to which the page in a folder links, if there is one."""
    path = folder / "index.html"
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    if GENERATOR not in text:
        return set()
    return {folder / name for name in re.findall(r'href="(figures/[A-Za-z0-9.-]+)"', text)}


def _subtitle(info: Any, found: Frame) -> str:
    experiments = list(dict.fromkeys(found["experiment"]))
    data = list(dict.fromkeys(found["data"]))
    cells = found.groupby(averages.CELL, observed=True)["seeds"].first()
    when = str(info.get("finished") or info.get("started") or "")[:10]
    parts = [
        f"Experiments {', '.join(experiments)}",
        f"data: {', '.join(data)}",
        f"{int(cells.sum()):,} runs",
        when,
    ]
    return " · ".join(part for part in parts if part)
