"""What a row finds: tables of figures with their spread."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from wolfnest.common import formatting


@dataclasses.dataclass(frozen=True)
class Spread:
    """The median of repeated measurements, and half the distance of their quartiles.

    >>> print(Spread.of([1.0, 2.0, 3.0, 4.0, 50.0]))
    3 ± 1
    """

    median: float
    half: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        found = list(values)
        if len(found) == 1:
            return cls(found[0], 0.0)
        low, middle, high = statistics.quantiles(found, n=4, method="inclusive")
        return cls(middle, (high - low) / 2)

    def __str__(self) -> str:
        """Both with the digits that the median has among its first three."""
        digits = 2 if self.median == 0 else max(0, 2 - math.floor(math.log10(abs(self.median))))
        if digits > 6 or not math.isfinite(self.median):
            return formatting.number(self.median)
        texts = (f"{value:,.{digits}f}" for value in (self.median, self.half))
        return " ± ".join(t.rstrip("0").rstrip(".") if "." in t else t for t in texts)


Cell = str | int | float | Spread | None


def as_cells(values: Iterable[float]) -> list[Cell]:
    """Numbers as cells: none where they are not finite."""
    return [float(value) if math.isfinite(value) else None for value in values]


@dataclasses.dataclass(frozen=True)
class Table:
    """Figures of a row: `cells` holds one line per thing measured, `skipped` says what was not
    measured and why."""

    title: str
    columns: tuple[str, ...]
    cells: Sequence[Sequence[Cell]]
    note: str = ""
    skipped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for line in self.cells:
            if len(line) != len(self.columns):
                raise ValueError(
                    f"a line of the table {self.title!r} must have {len(self.columns)} cells, one "
                    f"per column, got {len(line)}: {line!r}."
                )

    def column(self, name: str) -> list[Cell]:
        """The cells under a heading.

        >>> Table("", ("loop", "µs"), [("ours", 7.5), ("NumPy", 60.0)]).column("µs")
        [7.5, 60.0]
        """
        place = self.columns.index(name)
        return [line[place] for line in self.cells]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Result:
    """What a row found, what that cost, and where it was; `own` are the options it was given."""

    row: int
    name: str
    quick: bool
    own: Sequence[str]
    tables: list[Table]
    seconds: float
    peak_bytes: float
    machine: dict[str, Any]
