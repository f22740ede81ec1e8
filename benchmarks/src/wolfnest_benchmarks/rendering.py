"""Tables of a row for the terminal and for Markdown, and results as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from wolfnest.common.formatting import duration
from wolfnest_benchmarks.row import Cell, Row, Spread, Table, text


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
        shown.add_row(*map(text, line))
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
    | --- | ---: |
    | ours | 7.5 |
    <BLANKLINE>
    One core.
    <BLANKLINE>
    """
    rule = ["---"] + ["---:"] * (len(table.columns) - 1)
    lines = [table.columns, rule, *(map(text, line) for line in table.cells)]
    body = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    parts = [f"### {table.title}\n", body]
    parts += [
        f"{note}\n" for note in (table.note, *(f"Skipped: {s}." for s in table.skipped)) if note
    ]
    return "\n".join(parts)


def report(row: Row, result: Mapping[str, Any]) -> str:
    """A section of Markdown: goal, tables, cost of the row."""
    facts = [f"peak memory {result['peak_bytes'] / 2**20:,.0f} MiB", duration(result["seconds"])]
    where = ", ".join(f"{name} {value}" for name, value in result["machine"].items())
    head = f"## Row {row.number}: {row.title}\n\nGoal: {row.goal}\n"
    tables = [markdown(table) for table in result["tables"]]
    return "\n".join([head, *tables, f"{', '.join(facts)}; {where}.\n"])


def as_json(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result with its tables as plain data.

    >>> line = [("ours", Spread(7.5, 0.1))]
    >>> as_json({"tables": [Table("", ("loop", "µs"), line)]})["tables"][0]["cells"]
    [['ours', {'median': 7.5, 'half': 0.1}]]
    """
    tables = [
        dataclasses.asdict(table) | {"cells": [[_plain(c) for c in line] for line in table.cells]}
        for table in result["tables"]
    ]
    return {**result, "tables": tables}


def from_json(result: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `as_json`."""
    tables = [
        Table(
            title=found["title"],
            columns=tuple(found["columns"]),
            cells=[[_cell(c) for c in line] for line in found["cells"]],
            note=found["note"],
            skipped=tuple(found["skipped"]),
        )
        for found in result["tables"]
    ]
    return {**result, "tables": tables}


def _plain(cell: Cell) -> Any:
    return dataclasses.asdict(cell) if isinstance(cell, Spread) else cell


def _cell(cell: Any) -> Cell:
    return Spread(**cell) if isinstance(cell, dict) else cell
