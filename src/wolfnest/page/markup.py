"""HTML from data: everything that goes in is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wolfnest.common import tables
from wolfnest.common.formatting import number
from wolfnest.common.tables import Column as Column
from wolfnest.page.looks import MARKERS, Look


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


def facts(pairs: Mapping[str, Any]) -> Raw:
    """Names and values, one pair per line; lists and dictionaries as settings."""
    shown = lambda value: settings(value) if isinstance(value, Mapping | list) else value
    lines = (join([tag("dt", key), tag("dd", shown(value))], "") for key, value in pairs.items())
    return tag("dl", join(lines), class_="facts")


def definitions(pairs: Mapping[str, Any]) -> Raw:
    """Words and what they mean, side by side where there is room."""
    entries = (tag("div", tag("dt", word), tag("dd", meaning)) for word, meaning in pairs.items())
    return tag("dl", join(entries), class_="words")


def details(summary: Any, *children: Any, is_open: bool = False) -> Raw:
    return Raw(
        f"<details{' open' if is_open else ''}><summary>{escape(summary)}</summary>"
        f"{join(children)}</details>"
    )


def settings(values: Any) -> str:
    """Settings in one line.

    >>> settings({"eta": 0.01, "alpha": 0.1}), settings(None)
    ('eta=0.01, alpha=0.1', '–')
    """
    if not isinstance(values, Mapping) or not values:
        return "–" if not isinstance(values, list | tuple) or not values else _listed(values)
    return ", ".join(f"{key}={_listed(value)}" for key, value in values.items())


def swatch(look: Look) -> Raw:
    """A line with its marker, as in the legend."""
    corners = (f"{20 + 4.2 * x:.1f} {7 - 4.2 * y:.1f}" for x, y in MARKERS[look.marker])
    return Raw(
        f'<svg class="ink" style="--light:{look.colour};--dark:{look.dark}" width="40" height="14" '
        f'viewBox="0 0 40 14" aria-hidden="true"><path class="stroke" d="M1 7H39" '
        f'stroke-width="{look.width}" stroke-dasharray="{look.drawn()["dash"]}"/>'
        f'<path class="{"mark full" if look.filled else "mark"}" d="M{"L".join(corners)}Z"/></svg>'
    )


def _listed(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + settings(value) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_listed(entry) for entry in value) + "]"
    return number(value)
