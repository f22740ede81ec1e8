"""One self-contained HTML page: template, style and script as package files, data filled in."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from wolfnest.report import (
    averages,
    beside,
    comparisons,
    exact,
    prose,
    running,
    sections,
    summary,
    verdicts,
)
from wolfnest.report.averages import Frame
from wolfnest.report.markup import definitions, escape
from wolfnest.report.packing import script
from wolfnest.report.payload import payload

if TYPE_CHECKING:
    from wolfnest.experiments.claims import Judgement

TITLE = "Projection-free methods for nested stochastic objectives: the paper’s claims, rerun"
GENERATOR = '<meta name="generator" content="wolfnest">'
SCRIPTS = ("scales", "chart", "controls", "legend", "values", "lists")


def build(
    results: averages.Results,
    found: Frame,
    judgement: Judgement | None = None,
    figures: list[Path] | None = None,
    folder: Path | None = None,
) -> str:
    """The page as text. `found` are the averages of `averages.points`."""
    info = results.info or {}
    code = program(*(asset(f"{name}.js") for name in SCRIPTS))
    return Template(asset("page.html")).substitute(
        title=escape(TITLE),
        subtitle=escape(_subtitle(info, found)),
        warning=running.boxes(info, results.cells),
        css=asset("page.css"),
        script=code,
        script_hash=fingerprint(code),
        lead=sections.lead(),
        short=sections.short(summary.sentences(results, found, judgement)),
        experiments=sections.experiments(found),
        claims=verdicts.claims(judgement),
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


def asset(name: str) -> str:
    """A file of the package.

    >>> asset("page.html")[:15]
    '<!DOCTYPE html>'
    """
    return resources.files("wolfnest.report").joinpath("assets", name).read_text(encoding="utf-8")


def program(*scripts: str) -> str:
    """All scripts as one, out of reach of anything else."""
    parts = "\n".join(scripts)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def linked(folder: Path) -> set[Path]:
    """The figures to which the page in a folder links, if there is one."""
    path = folder / "index.html"
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    if GENERATOR not in text:
        return set()
    return {folder / name for name in re.findall(r'href="(figures/[A-Za-z0-9.-]+)"', text)}


def fingerprint(code: str) -> str:
    """What the page's security policy knows its script by: no other script runs."""
    return "sha256-" + base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()


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
