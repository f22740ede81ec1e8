"""Tables as Markdown and as HTML: the one place that writes them."""

from __future__ import annotations

import html as _html
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from wolfnest.common.formatting import number


class Column(NamedTuple):
    """A column of a table: its title and how its cells are set."""

    title: str
    kind: str = ""
    """"n": a number, to the right; "keep": never broken; "wide": long text."""


class Grid(NamedTuple):
    """A table: `markdown(*grid)` and `html(*grid)` write it."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]


def markdown(columns: Iterable[Column | str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown; columns of numbers are set to the right.

    >>> print(markdown(["loop", Column("µs", "n")], [["ours", 7.5], ["a | b", None]]))
    | loop | µs |
    |---|---:|
    | ours | 7.5 |
    | a \\| b | – |
    """
    columns = _columns(columns)
    rule = "|".join("---:" if column.kind == "n" else "---" for column in columns)
    head, *body = (_line(cells, columns) for cells in ([c.title for c in columns], *rows))
    return "\n".join([head, f"|{rule}|", *body])


def html(columns: Iterable[Column | str], rows: Iterable[Sequence[Any]], *, id: str = "") -> str:
    """A table in HTML. Cells are escaped, unless they are HTML that knows it is (`__html__`).

    >>> print(html(["a", Column("b", "n")], [["<", 1234]]))
    <table><thead><tr><th scope="col">a</th><th class="n" scope="col">b</th></tr></thead>
    <tbody><tr><td>&lt;</td><td class="n">1,234</td></tr></tbody></table>
    """
    columns = _columns(columns)
    kinds = [f' class="{column.kind}"' if column.kind else "" for column in columns]
    head = "".join(
        f'<th{kind} scope="col">{_safe(column.title)}</th>'
        for kind, column in zip(kinds, columns, strict=True)
    )
    body = "\n".join(
        f"<tr>{''.join(f'<td{k}>{_safe(c)}</td>' for k, c in zip(kinds, row, strict=True))}</tr>"
        for row in rows
    )
    name = f' id="{_html.escape(id)}"' if id else ""
    return f"<table{name}><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def _columns(columns: Iterable[Column | str]) -> list[Column]:
    return [Column(column) if isinstance(column, str) else column for column in columns]


def _line(cells: Sequence[Any], columns: Sequence[Column]) -> str:
    """A line of Markdown: breaks and bars in a cell would end it."""
    texts = (
        " ".join(number(cell).replace("|", r"\|").split())
        for cell, _ in zip(cells, columns, strict=True)
    )
    return f"| {' | '.join(texts)} |"


def _safe(cell: Any) -> str:
    if hasattr(cell, "__html__"):
        return cell.__html__()
    return _html.escape(number(cell)).replace("\n", "<br>")
