"""Timing side by side: interleaved rounds, so that all see the same moods of the machine."""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from wolfnest_benchmarks.row import Spread

# On a shared core, processor time leaves out what others do.
Clock = Callable[[], float]
SECONDS = 0.1  # the least that one measurement takes: calls are repeated for it


@contextmanager
def shown(title: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on standard error with `total` units of work; the function given moves it by one."""
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        task = progress.add_task(title, total=total)
        yield lambda: progress.advance(task)


def interleaved(
    calls: Mapping[str, Callable[[], object]],
    rounds: int,
    *,
    seconds: float = SECONDS,
    clock: Clock = time.process_time,
    title: str = "timing",
) -> dict[str, list[float]]:
    """Seconds of each call, `rounds` times over, every round with all of them in turn.

    Calls that are quicker than `seconds` are repeated within a measurement. Each is made once
    before the first round, which compiles, fills caches and says how often to repeat it.

    >>> times = interleaved({"a": lambda: sum(range(10)), "b": lambda: None}, 3, seconds=1e-4)
    >>> sorted(times), len(times["a"])
    (['a', 'b'], 3)
    """
    repeats = {}
    found: dict[str, list[float]] = {name: [] for name in calls}
    with shown(title, (rounds + 1) * len(calls)) as advance:
        for name, call in calls.items():
            call()
            once = timed(call, 1, clock)
            repeats[name] = max(1, math.ceil(seconds / max(once, 1e-9))) if seconds else 1
            advance()
        for _ in range(rounds):
            for name, call in calls.items():
                found[name].append(timed(call, repeats[name], clock))
                advance()
    return found


def timed(call: Callable[[], object], repeats: int, clock: Clock = time.process_time) -> float:
    """Seconds per call, over `repeats` calls."""
    start = clock()
    for _ in range(repeats):
        call()
    return (clock() - start) / repeats


def ratio(times: Mapping[str, list[float]], over: str, under: str) -> Spread:
    """`over` divided by `under`, round by round.

    >>> print(ratio({"slow": [4.0, 6.0], "fast": [2.0, 3.0]}, "slow", "fast"))
    2 ± 0
    """
    return Spread.of(a / b for a, b in zip(times[over], times[under], strict=True))


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
