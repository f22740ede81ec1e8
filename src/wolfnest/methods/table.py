"""The methods side by side (`table`) and one by one (`describe`)."""

from __future__ import annotations

import dataclasses
import html
import io
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table

from wolfnest.methods.cards import CARDS, Card
from wolfnest.methods.glossary import meaning

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: dict[str, Callable[[Card], str]] = {
    "method": lambda card: card.name,
    "levels": lambda card: card.levels,
    "estimator": lambda card: card.estimator,
    "step": lambda card: card.step,
    "criterion": lambda card: card.criterion,
    "rate": lambda card: _by_regime(card.rate),
    "projection-free": lambda card: _yes(card.projection_free),
    "finite sum": lambda card: _yes(card.finite_sum),
    "batch": lambda card: card.batch,
    "reference": lambda card: card.source,
}
# In lines shorter than WIDE, the table leaves out what `describe` tells.
WIDE = 160
SHARES = {"rate": 5, "estimator": 2, "step": 2, "criterion": 2, "batch": 2, "reference": 2}
NARROW_COLUMNS: dict[str, Callable[[Card], str]] = {
    **{name: COLUMNS[name] for name in ("method", "levels", "rate")},
    "needs": lambda card: "\n".join(
        ["projection"] * (not card.projection_free) + ["finite sums"] * card.finite_sum
    ),
}
LEGEND = (
    "u: tracked values of the levels; v: tracked gradient; g: batch gradient; Π: projection; now, "
    "before, at_snap: batch means of the same samples at the present, the previous and the "
    "snapshot's inputs. SFO: samples, LMO: linear minimisations, as proved, with the settings of "
    "the proof; T: steps, m: length of the data, λ: strong convexity, k: number of the step."
)


@dataclasses.dataclass(frozen=True, repr=False)
class MethodTable(Sequence[Card]):
    """Cards, one per method: a sequence that prints as a table.

    >>> [card.name for card in table() if card.finite_sum and card.levels == "1"]
    ['SVFW']
    """

    cards: tuple[Card, ...]

    @overload
    def __getitem__(self, index: int) -> Card: ...
    @overload
    def __getitem__(self, index: slice) -> MethodTable: ...
    def __getitem__(self, index: int | slice) -> Card | MethodTable:
        found = self.cards[index]
        return found if isinstance(found, Card) else MethodTable(found)

    def __len__(self) -> int:
        return len(self.cards)

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards)

    def to_frame(self) -> pd.DataFrame:
        """A data frame with one row per method (needs pandas)."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas: pip install pandas, or use the cards of the table directly."
            ) from error
        return pd.DataFrame([card._asdict() for card in self.cards])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = COLUMNS if options.max_width >= WIDE else NARROW_COLUMNS
        grid = Table(
            box=box.SIMPLE_HEAD,
            show_lines=True,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1, 0, 0),
            expand=columns is COLUMNS,
        )
        for name in columns:
            if name in ("projection-free", "finite sum"):  # short entries under a long name
                grid.add_column(re.sub("[- ]", "\n", name))
            else:
                grid.add_column(name, no_wrap=name == "method", ratio=SHARES.get(name))
        for card in self.cards:
            grid.add_row(*(cell(card) for cell in columns.values()))
        yield grid

    def __str__(self) -> str:
        text = io.StringIO()
        Console(file=text, width=WIDE, color_system=None).print(self)
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def row(tag: str, cells: Iterator[str]) -> str:
            texts = (html.escape(cell).replace("\n", "<br>") for cell in cells)
            return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in texts) + "</tr>"

        rows = (row("td", (cell(card) for cell in COLUMNS.values())) for card in self.cards)
        return f"<table>{row('th', iter(COLUMNS))}{''.join(rows)}</table>"


def table() -> MethodTable:
    """All methods of the library; print it, or look through its cards.

    >>> table()[0].name, table()[0].estimator
    ('PMVR-v1', 'STORM (values, gradient)')
    """
    return MethodTable(tuple(CARDS.values()))


def record(name: str) -> dict[str, Any]:
    """The card of a method as a dictionary, with its settings: defaults and meanings."""
    # This package imports this module, so it can only be looked into once both are there.
    from wolfnest import methods

    name = methods.method(name).name
    settings = {
        key: {"default": value, "meaning": meaning(name, key)}
        for key, value in methods.settings(name).items()
    }
    return {**CARDS[name]._asdict(), "settings": settings}


def describe(name: str) -> str:
    """A method in words: its source, its updates, what is proved about it, and its settings.

    >>> print(describe("SCSC")[:4])
    SCSC
    """
    about = record(name)
    card = Card(**{field: about[field] for field in Card._fields})
    facts = {
        "levels": "any number" if card.levels == "K" else "one",
        "estimator": card.estimator,
        "step": card.step,
        "criterion": card.criterion,
        "proved": _by_regime(card.rate),
        "batch": card.batch,
        "projection-free": _yes(card.projection_free),
        "finite sums only": _yes(card.finite_sum),
        "equations": card.equations,
    }
    settings = {
        f"{key} = {setting['default']!r}": setting["meaning"]
        for key, setting in about["settings"].items()
    }
    parts = [
        card.name,
        _filled(f"{card.reference}."),
        textwrap.indent(card.summary, "  "),
        _listed(facts),
        "Settings with their defaults:",
        _listed(settings),
        _filled(LEGEND),
    ]
    return "\n\n".join(parts)


def _by_regime(rate: str) -> str:
    """Each measure and each regime of a rate on a line of its own."""
    lines = []
    for part in rate.splitlines():
        measure, regimes = part.split(": ")
        lines += [f"{measure}:", *(f"  {regime}" for regime in regimes.split("; "))]
    return "\n".join(lines)


def _listed(entries: dict[str, str]) -> str:
    """Keys to the left, wrapped texts to the right."""
    margin = " " * (max(map(len, entries)) + 4)
    lines = []
    for key, text in entries.items():
        wrapped = [_filled(part, margin) for part in text.splitlines()]
        wrapped[0] = f"  {key}".ljust(len(margin)) + wrapped[0][len(margin) :]
        lines += wrapped
    return "\n".join(lines)


def _filled(text: str, margin: str = "") -> str:
    # What the text itself is indented by, its further lines are, too.
    hanging = margin + " " * (2 * text.startswith("  "))
    return textwrap.fill(
        text, 80, initial_indent=margin, subsequent_indent=hanging, break_on_hyphens=False
    )


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"
