"""One self-contained HTML page on a reproduction: what its template names, filled in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wolfnest.methods.cards import CARDS
from wolfnest.page.template import render
from wolfnest_reproduction.judge.judgement import Judgement
from wolfnest_reproduction.run.store import Results
from wolfnest_reproduction.show import (
    averages,
    baseline_curves,
    labels,
    page_tables,
    provenance,
    sentences,
    summary,
    verdict_page,
    verdict_tables,
)
from wolfnest_reproduction.show.averages import Frame
from wolfnest_reproduction.show.payload import payload

TITLE = "Projection-free methods for nested stochastic objectives: the paper’s claims, rerun"
GENERATOR = '<meta name="generator" content="wolfnest">'


def build(
    results: Results,
    found: Frame,
    judgement: Judgement | None = None,
    figures: Sequence[Path] = (),
    folder: Path | None = None,
) -> str:
    """The page as text. `found` are those of `averages.points`; `figures` lie in `folder`."""
    info = results.info or {}
    return render(
        "wolfnest_reproduction.show",
        "report",
        scripts=["values", "legend", "comparisons", "controls"],
        payload={
            "payload": payload(found, baseline_curves.read(results.baselines, found)),
            "comparisons": verdict_tables.columns(judgement),
        },
        title=TITLE,
        subtitle=_subtitle(info, found),
        warnings=provenance.warnings(info, results.cells),
        reference=CARDS["PMVR-v1"].reference,
        sentences=summary.short(results, found, judgement),
        experiment=labels.experiment,
        experiments=labels.described(found["experiment"]),
        judgement=judgement,
        words=sentences,
        page=verdict_page,
        baselines=page_tables.baselines(results, found),
        methods=page_tables.methods(found),
        costs=page_tables.costs(results.cells),
        tuned=page_tables.tuned(results.cells),
        data=info.get("data") or {},
        info=info,
        sessions=provenance.sessions_table(info),
        failures=provenance.failures(info),
        environment=provenance.environment(info, results.cells),
        figures=[path.relative_to(folder or path.parent).as_posix() for path in figures],
    )


def linked(folder: Path) -> set[Path]:
    """The figures to which the page in a folder links, if there is one."""
    path = folder / "index.html"
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    if GENERATOR not in text:
        return set()
    return {folder / name for name in re.findall(r'href="(figures/[A-Za-z0-9.-]+)"', text)}


def _subtitle(info: Any, found: Frame) -> str:
    runs = found.groupby(averages.CELL, observed=True)["seeds"].first().sum()
    parts = [
        f"Experiments {', '.join(dict.fromkeys(found['experiment']))}",
        f"data: {', '.join(dict.fromkeys(found['data']))}",
        f"{int(runs):,} runs",
        str(info.get("finished") or info.get("started") or "")[:10],
    ]
    return " · ".join(part for part in parts if part)
