"""What a row of the benchmark is, and how much of it is measured."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from wolfnest_benchmarks.results import Table


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
    the CPU; "machine" is all that JAX finds, with its defaults. Options of the row's own are
    keyword arguments of `measure`: `limit: Annotated[float, "seconds for a method"] = 60.0`; a
    tuple takes several values, and a third part of `Annotated` says which there are.
    """

    number: int
    name: str
    title: str
    goal: str
    measure: Callable[..., list[Table]]
    place: Literal["core", "machine"] = "core"

    def own_options(self, words: Sequence[str]) -> dict[str, Any]:
        """The row's own options, from the words of a command line.

        >>> def measure(options, *, limit: Annotated[float, "seconds for a method"] = 60.0): ...
        >>> from typing import Annotated
        >>> measure.__annotations__["limit"] = Annotated[float, "seconds for a method"]
        >>> row = Row(number=0, name="none", title="", goal="", measure=measure)
        >>> row.own_options(["--limit", "15"]), row.own_options([])
        ({'limit': 15.0}, {'limit': 60.0})
        """
        parser = argparse.ArgumentParser(f"wolfnest bench {self.name}", description=self.title)
        hints = get_type_hints(self.measure, include_extras=True)
        for name, parameter in inspect.signature(self.measure).parameters.items():
            if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
                continue
            kind, help, *choices = get_args(hints[name])
            parser.add_argument(
                f"--{name}",
                type=next(iter(get_args(kind)), kind),  # of `tuple[int, ...]` and `Path | None`
                nargs="+" if get_origin(kind) is tuple else None,
                default=parameter.default,
                choices=choices[0] if choices else None,
                help=f"{help} (default: {parameter.default})".replace("%", "%%"),
            )
        return vars(parser.parse_args(words))
