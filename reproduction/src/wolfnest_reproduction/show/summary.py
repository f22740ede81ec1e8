"""The result in a few sentences, and as a page of Markdown for a README or a documentation page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wolfnest.common.formatting import timing
from wolfnest_reproduction.judge.judgement import Judgement
from wolfnest_reproduction.run.store import Results
from wolfnest_reproduction.show import (
    baseline_curves,
    labels,
    provenance,
    sentences,
    verdict_text,
)
from wolfnest_reproduction.show.averages import Frame
from wolfnest_reproduction.show.sentences import listed

KEY = ("E2", "E4")


def short(results: Results, found: Frame, judgement: Judgement | None) -> list[str]:
    """What came out: the claims, what stands beside them, and doing without sampling."""
    told: list[str] = []
    if judgement is not None and judgement.verdicts:
        told = [sentences.verdicts(judgement)]
        told += [sentences.lower(*form) for form in sentences.forms(judgement.beside)]
    return [*told, *_exact(baseline_curves.against(results.baselines, found))]


def markdown(
    results: Results,
    found: Frame,
    judgement: Judgement | None,
    figures: list[Path],
    folder: Path,
) -> str:
    """Warnings, sentences, claims as a table, two figures, the command."""
    info = results.info or {}
    blocks = ["# Results", *(f"> {text}" for text in provenance.warnings(info, results.cells))]
    told = short(results, found, judgement)
    if told:
        blocks.append("\n".join(f"- {sentence}" for sentence in told))
    if judgement is not None and judgement.verdicts:
        blocks += ["## Claims", *verdict_text.short(judgement)]
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
