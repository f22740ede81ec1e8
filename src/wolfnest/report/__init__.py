"""From the results of a reproduction to figures, tables and one page that needs no network.

`write` does all of it; the parts can be used alone: `averages.points` averages traces over seeds,
`figures.draw` draws one figure against any axis, `page.build` makes the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wolfnest.report import averages, figures, page, summary, tables
from wolfnest.report.files import store

if TYPE_CHECKING:
    from wolfnest.report.averages import Results

__all__ = ["averages", "figures", "page", "tables", "write"]

AXES = ("time", "samples")


def write(
    results: Results,
    folder: str | Path,
    judgement: Any = None,
    *,
    axes: Iterable[str] = AXES,
    formats: Iterable[str] = figures.FORMATS,
) -> Path:
    """Write `index.html`, `summary.md`, `figures/` and `tables/` into a folder; return the page.

    `results` is what `wolfnest.experiments.load` reads; `judgement` are the verdicts on the claims
    (computed from the results if not given). `axes` are what figures are drawn against: some of
    "time", "step", "samples", "lmo"; with no `formats`, no figures are drawn. The page has all
    axes. The same results give the same bytes. Figures to which an earlier page in that folder
    links, and which are not drawn again, are removed.
    """
    folder = Path(folder)
    found = averages.points(results.traces)
    if judgement is None:
        from wolfnest.experiments.claims import judge

        judgement = judge(results)
    kinds = tuple(formats)
    former = page.linked(folder)
    drawn = figures.write(found, folder / "figures", axes, kinds) if kinds else []
    tables.write(results, found, judgement, folder / "tables")
    for stale in former - set(drawn):
        stale.unlink(missing_ok=True)
    store(folder / "summary.md", summary.markdown(results.info or {}, judgement, drawn, folder))
    return store(folder / "index.html", page.build(results, found, judgement, drawn, folder))
