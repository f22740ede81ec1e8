"""HTML from data: everything that goes in is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from wolfnest.common import tables
from wolfnest.common.formatting import number
from wolfnest.common.tables import Column as Column


class Raw(str):
    """HTML that is already safe: made of escaped parts."""

    def __html__(self) -> str:
        return self


def escape(value: Any) -> Raw:
    """Text as HTML; numbers are shortened, what is safe stays.

    >>> escape("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return value if isinstance(value, Raw) else Raw(html.escape(number(value)))


def tag(name: str, *children: Any, **attributes: Any) -> Raw:
    """An element; `class_` is the class.

    >>> tag("p", "1 < 2", class_="x")
    '<p class="x">1 &lt; 2</p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
    )
    return Raw(f"<{name}{given}>{''.join(map(escape, children))}</{name}>")


def join(parts: Iterable[Any], between: str = "\n") -> Raw:
    return Raw(between.join(map(escape, parts)))


def table(
    columns: Sequence[Column], rows: Iterable[Sequence[Any]], label: str, *, name: str = ""
) -> Raw:
    """A table that scrolls sideways by itself; with `name`, under a box that filters its rows."""
    grid = Raw(tables.html(columns, rows, id=name))
    region = {"tabindex": "0", "role": "region", "aria_label": label}
    if not name:
        return tag("div", grid, class_="scroll", **region)
    box = Raw(f'<input type="search" data-filter="{html.escape(name)}">')
    search = tag("p", tag("label", "Show rows with ", box))
    return join([search, tag("div", grid, class_="scroll tall", **region)])


def details(summary: Any, *children: Any, is_open: bool = False) -> Raw:
    return Raw(
        f"<details{' open' if is_open else ''}><summary>{escape(summary)}</summary>"
        f"{join(children)}</details>"
    )
