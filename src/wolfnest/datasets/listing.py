"""The data sets on this machine as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wolfnest.datasets.loading import Found

NOTHING = (
    "No data sets were found. Name a folder with --data or the environment variable "
    "WOLFNEST_DATA, fetch the paper's with --download, or install skfolio, which brings the S&P "
    "500 set."
)

PAPER = (
    "The paper's industry portfolios are not among them: name their folder with --data or "
    "WOLFNEST_DATA, or fetch them with 'wolfnest data --download'."
)


def listing(found: Iterable[Found]) -> RenderableType:
    """One line per data set, and below them what is wrong with those that cannot be read, and
    where to get the paper's if there are only others.

    >>> str(listing([]))[:27]
    'No data sets were found. Na'
    """
    found = list(found)
    if not found:
        return Text(NOTHING)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("name", "rows", "columns", "from", "to", "file"):
        number = name in ("rows", "columns")
        table.add_column(name, justify="right" if number else "left", overflow="fold")
    for each in found:
        if not each.problem:
            counts = (f"{each.rows:,}", f"{each.columns:,}")
            row = (each.name, *counts, each.first, each.last, each.file)
            table.add_row(*map(Text, row))
    problems = [Text(f"{each.name}: {each.problem}") for each in found if each.problem]
    if not table.row_count:
        return Group(*problems)
    hint = [] if any(each.name.startswith("industry") for each in found) else [Text(PAPER)]
    return Group(table, *problems, *hint)
