"""From the results of a reproduction to figures, tables and one page that needs no network.

`write` does all of it; the parts can be used alone: `averages.points` averages traces over seeds,
`figures.draw` draws one figure against any axis, `reproduction_page.build` makes the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wolfnest.common.files import store
from wolfnest_reproduction.judge.judgement import Judgement, judge
from wolfnest_reproduction.run.store import Results, write_json
from wolfnest_reproduction.show import (
    averages,
    baseline_curves,
    csv_tables,
    figures,
    provenance,
    reproduction_page,
    summary,
    verdict_text,
)

__all__ = ["averages", "csv_tables", "figures", "reproduction_page", "write"]

AXES = ("time", "samples")


def write(
    results: Results,
    folder: str | Path,
    judgement: Judgement | None = None,
    *,
    axes: Iterable[str] = AXES,
    formats: Iterable[str] = figures.FORMATS,
) -> Path:
    """Write `index.html`, `summary.md`, `claims.md`, `figures/` and `tables/` into a folder; return
    the page.

    `results` is what `wolfnest_reproduction.load` reads; `judgement` are the verdicts on the claims
    (computed from the results if not given). `axes` are what figures are drawn against: some of
    "time", "step", "samples", "lmo"; with no `formats`, no figures are drawn. The page has all
    axes. The same results give the same bytes. Figures to which an earlier page in that folder
    links, and which are not drawn again, are removed.

    The folder may be that of the results or another one, which then gets a `run.json` without
    tracebacks, so that it says how its results were made, and no single runs.
    """
    folder = Path(folder)
    found = averages.points(results.traces)
    judgement = judge(results) if judgement is None else judgement
    kinds = tuple(formats)
    former = reproduction_page.linked(folder)
    solvers = baseline_curves.read(results.baselines, found)
    drawn = figures.write(found, folder / "figures", axes, kinds, solvers) if kinds else []
    csv_tables.write(results, found, judgement, folder / "tables")
    for stale in former - set(drawn):
        stale.unlink(missing_ok=True)
    store(folder / "summary.md", summary.markdown(results, found, judgement, drawn, folder))
    store(folder / "claims.md", verdict_text.page(judgement))
    if results.info and (results.folder is None or results.folder.resolve() != folder.resolve()):
        write_json(folder / "run.json", provenance.public(results.info))
    page = reproduction_page.build(results, found, judgement, drawn, folder)
    return store(folder / "index.html", page)
