"""All methods side by side: a table of their cards."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table

from wolfnest.common.tables import html
from wolfnest.methods.cards import CARDS, Card, Rate

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: dict[str, Callable[[Card], str]] = {
    "method": lambda card: card.name,
    "levels": lambda card: card.levels,
    "estimator": lambda card: card.estimator,
    "step": lambda card: card.step,
    "criterion": lambda card: card.criterion,
    "rate": lambda card: by_regime(card.rates),
    "projection-free": lambda card: yes_or_no(card.projection_free),
    "finite sum": lambda card: yes_or_no(card.finite_sum),
    "batch": lambda card: card.batch,
    "reference": lambda card: card.cited.short,
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
        return pd.DataFrame([card.as_dict() for card in self.cards])

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
        return html(COLUMNS, [[cell(card) for cell in COLUMNS.values()] for card in self.cards])


def table() -> MethodTable:
    """All methods of the library; print it, or look through its cards.

    >>> table()[0].name, table()[0].estimator
    ('PMVR-v1', 'STORM (values, gradient)')
    """
    return MethodTable(tuple(CARDS.values()))


def by_regime(rates: Iterable[Rate]) -> str:
    """Each measure and each regime of the rates on a line of its own."""
    return "\n".join(
        line for rate in rates for line in (f"{rate.measure}:", *(f"  {r}" for r in rate.regimes))
    )


def yes_or_no(fact: bool) -> str:
    return "yes" if fact else "no"
