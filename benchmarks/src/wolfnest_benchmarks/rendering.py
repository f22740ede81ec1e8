"""Tables of a row for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from wolfnest.common import tables
from wolfnest.common.formatting import duration, number, short
from wolfnest_benchmarks.results import Result, Table
from wolfnest_benchmarks.row import Row


def listing(rows: Iterable[Row]) -> RichTable:
    """The rows that there are."""
    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("row", "name", "what is measured", "goal"):
        shown.add_column(heading)
    for row in rows:
        shown.add_row(str(row.number), row.name, row.title, row.goal)
    return shown


def show(console: Console, table: Table) -> None:
    """A table with its note, and what was skipped."""
    shown = RichTable(title=table.title, box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for place, heading in enumerate(table.columns):
        shown.add_column(heading, justify="right" if place else "left")
    for line in table.cells:
        shown.add_row(*map(number, line))
    console.print(shown)
    if table.note:
        console.print(table.note, style="dim")
    for reason in table.skipped:
        console.print(f"skipped: {reason}", style="yellow", markup=False)
    console.print()


def markdown(table: Table) -> str:
    """The table as Markdown.

    >>> print(markdown(Table("Loops", ("loop", "µs"), [("ours", 7.5)], "One core.")))
    ### Loops
    <BLANKLINE>
    | loop | µs |
    |---|---:|
    | ours | 7.5 |
    <BLANKLINE>
    One core.
    <BLANKLINE>
    """
    first, *rest = table.columns
    body = tables.markdown([first, *(tables.Column(each, "n") for each in rest)], table.cells)
    parts = [f"### {table.title}", body, table.note, *(f"Skipped: {s}." for s in table.skipped)]
    return "\n".join(f"{part}\n" for part in parts if part)


def section(row: Row, result: Result) -> str:
    """A section of Markdown: goal, tables, cost of the row."""
    where = ", ".join(f"{name} {value}" for name, value in result.machine.items())
    facts = f"peak memory {short(result.peak_bytes)}B, {duration(result.seconds)}; {where}."
    asked = f" Measured with `{' '.join(result.own)}`." if result.own else ""
    head = f"## Row {row.number}: {row.title}\n\nGoal: {row.goal}.{asked}\n"
    return "\n".join([head, *map(markdown, result.tables), f"{facts}\n"])
