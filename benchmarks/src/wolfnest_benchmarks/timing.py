"""Timing side by side: interleaved rounds, so that all see the same moods of the machine."""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from wolfnest_benchmarks.results import Spread
from wolfnest_benchmarks.row import Options

# On a shared core, processor time leaves out what others do.
Clock = Callable[[], float]
Item = TypeVar("Item")
FEW = 3  # rounds of calls that are too long for all of them


def tracked(items: Sequence[Item], title: str) -> Iterator[Item]:
    """The items one after the other, with a bar on standard error."""
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        yield from progress.track(items, description=title)


class Times(dict[str, list[float]]):
    """Seconds of every call by its name, one per round.

    >>> times = Times(slow=[4.0, 6.0], fast=[2.0, 3.0])
    >>> print(times.ratio("slow", "fast"), times.per({"fast": 1000}).spread("fast", 1e6))
    2 ± 0 2,500 ± 250
    """

    def per(self, counts: Mapping[str, float]) -> Times:
        """Those of a step, or whatever there are so many of in a call."""
        return Times({name: [t / counts[name] for t in self[name]] for name in counts})

    def spread(self, name: str, unit: float = 1.0) -> Spread:
        return Spread.of(unit * t for t in self[name])

    def ratio(self, over: str, under: str) -> Spread | None:
        """`over` divided by `under`, round by round; None if one of them was not measured."""
        if over not in self or under not in self:
            return None
        # Long calls miss the later rounds.
        return Spread.of(a / b for a, b in zip(self[over], self[under], strict=False))


def interleaved(
    calls: Mapping[str, Callable[[], object]],
    options: Options,
    rounds: int,
    *,
    seconds: float = 0.1,
    long: float = math.inf,
    clock: Clock = time.process_time,
    title: str = "timing",
) -> Times:
    """Times of each call, `rounds` times over, every round with all of them in turn.

    Each call is made once before the first round, which compiles and fills caches. A measurement
    repeats it for at least so many `seconds`. Calls that take longer than `long` are measured in
    the first `FEW` rounds alone.

    >>> quick = Options(quick=True)
    >>> times = interleaved({"a": lambda: sum(range(10)), "b": lambda: None}, quick, rounds=9)
    >>> sorted(times), len(times["a"])
    (['a', 'b'], 2)
    """
    found = Times({name: [] for name in calls})
    turns = [(turn, name) for turn in range(options.repeats(rounds) + 1) for name in calls]
    for turn, name in tracked(turns, title):
        if turn == 0:
            calls[name]()
        elif turn <= FEW or found[name][0] <= long:
            found[name].append(timed(calls[name], options.pick(seconds, 0.0), clock))
    return found


def timed(
    call: Callable[[], object], seconds: float = 0.0, clock: Clock = time.process_time
) -> float:
    """Seconds of a call, which is repeated for at least so many `seconds`."""
    calls, start = 0, clock()
    while True:
        call()
        calls, spent = calls + 1, clock() - start
        if spent >= seconds:
            return spent / calls


def missing(*packages: str) -> str | None:
    """Why something cannot be measured: the packages that are not installed; None if all are.

    >>> missing("numpy") is None
    True
    >>> missing("no_such_package")
    'no_such_package is not installed'
    """
    absent = [name for name in packages if importlib.util.find_spec(name) is None]
    if not absent:
        return None
    return f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not installed"
