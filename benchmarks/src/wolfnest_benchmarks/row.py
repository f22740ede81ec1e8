"""What a row of the benchmark is, and what it returns: tables of figures with their spread."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

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
        digits = 2 if self.median == 0 else max(0, 2 - math.floor(math.log10(abs(self.median))))
        if digits > 6 or not math.isfinite(self.median):
            return f"{self.median:.2e}"
        return f"{_plain(self.median, digits)} ± {_plain(self.half, digits)}"


def _plain(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


Cell = str | int | float | Spread | None


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


def text(cell: Cell) -> str:
    """A cell as people read it.

    >>> text(None), text(25105), text(0.123456), text("PMVR-v1")
    ('–', '25,105', '0.123', 'PMVR-v1')
    """
    if cell is None:
        return formatting.UNKNOWN
    if isinstance(cell, str | Spread):
        return str(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    if cell != 0 and not 1e-3 <= abs(cell) < 1e6:
        return f"{cell:.2e}"
    return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    """How much to measure.

    `quick` takes tiny sizes and only shows that a row runs: its figures mean nothing. `rounds` is
    the number of interleaved rounds, None the row's own. `figures` is a folder for plots.
    """

    quick: bool = False
    rounds: int | None = None
    figures: Path | None = None

    def pick(self, full: Any, quick: Any) -> Any:
        """A size: the real one, or the tiny one.

        >>> Options(quick=True).pick(10_000, 10)
        10
        """
        return quick if self.quick else full

    def repeats(self, full: int) -> int:
        """Rounds to make, where `full` is what the row would take."""
        return self.rounds or self.pick(full, 2)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Row:
    """One row of the benchmark.

    `place` says where it is measured: "core" is one pinned core, one thread and 64-bit floats on
    the CPU; "machine" is all that JAX finds, with its defaults.
    """

    number: int
    name: str
    title: str
    goal: str
    measure: Callable[[Options], list[Table]]
    place: Literal["core", "machine"] = "core"
