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

# On a shared core, processor time leaves out what others do.
Clock = Callable[[], float]
Item = TypeVar("Item")
SECONDS = 0.1  # the least that one measurement takes: calls are repeated for it
FEW = 3  # rounds of calls that are too long for all of them


def tracked(items: Sequence[Item], title: str) -> Iterator[Item]:
    """The items one after the other, with a bar on standard error."""
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        yield from progress.track(items, description=title)


def interleaved(
    calls: Mapping[str, Callable[[], object]],
    rounds: int,
    *,
    seconds: float = SECONDS,
    long: float = math.inf,
    clock: Clock = time.process_time,
    title: str = "timing",
) -> dict[str, list[float]]:
    """Seconds of each call, `rounds` times over, every round with all of them in turn.

    Each call is made once before the first round, which compiles and fills caches. A measurement
    repeats it for at least so many `seconds`. Calls that take longer than `long` are measured in
    the first `FEW` rounds alone.

    >>> times = interleaved({"a": lambda: sum(range(10)), "b": lambda: None}, 3, seconds=1e-4)
    >>> sorted(times), len(times["a"])
    (['a', 'b'], 3)
    """
    found: dict[str, list[float]] = {name: [] for name in calls}
    turns = [(number, name) for number in range(rounds + 1) for name in calls]
    for number, name in tracked(turns, title):
        if number == 0:
            calls[name]()
        elif number <= FEW or found[name][0] <= long:
            found[name].append(timed(calls[name], seconds, clock))
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


def ratio(times: Mapping[str, list[float]], over: str, under: str) -> Spread:
    """`over` divided by `under`, round by round.

    >>> print(ratio({"slow": [4.0, 6.0], "fast": [2.0, 3.0]}, "slow", "fast"))
    2 ± 0
    """
    # Long calls miss the later rounds.
    return Spread.of(a / b for a, b in zip(times[over], times[under], strict=False))


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
