"""What a person sees of a reproduction: a bar with the time left, or lines in a log file."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Column
from rich.text import Text

from wolfnest.common.formatting import duration


class Display:
    """Counts tasks; the time left is what their rough costs, corrected by what was measured, say.

    >>> import sys
    >>> console = Console(file=sys.stdout, force_terminal=False, width=100)
    >>> with Display({"a": 2.0, "b": 6.0}, jobs=1, console=console) as shown:
    ...     shown.done("a", "the first", 1.0)
    ...     round(shown.left())
    1 of 2  the first  1.0s  (3.0s left)
    3
    """

    def __init__(
        self, costs: dict[str, float], jobs: int, *, console: Console | None = None
    ) -> None:
        self.console = Console(stderr=True) if console is None else console
        self._open, self._jobs = dict(costs), jobs
        self._total, self._expected, self._measured = len(costs), 0.0, 0.0
        self._began = time.monotonic()
        self._since = self._began
        self._note = ""
        drawn = self.console.is_terminal and not self.console.is_dumb_terminal
        self._bar = (
            Progress(
                BarColumn(bar_width=20),
                TextColumn("{task.fields[facts]}"),
                TextColumn(
                    "{task.description}",
                    markup=False,
                    table_column=Column(no_wrap=True, overflow="ellipsis"),
                ),
                console=self.console,
                refresh_per_second=2,
                transient=True,
            )
            if drawn
            else None
        )
        self._task: Any = None

    def __enter__(self) -> Display:
        if self._bar is not None and self._total:
            self._bar.start()
            self._task = self._bar.add_task("", total=sum(self._open.values()), facts="")
            self.tick()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._bar is not None and self._total:
            self._bar.stop()

    def say(self, text: str) -> None:
        """A line that stays."""
        self.console.print(Text(text), soft_wrap=True)

    def done(self, id: str, label: str, seconds: float, problem: str = "") -> None:
        """A task ended."""
        expected = self._open.pop(id)
        self._expected, self._measured = self._expected + expected, self._measured + seconds
        self._since, self._note = time.monotonic(), label
        facts = f"{self._total - len(self._open)} of {self._total}  {label}"
        if problem:
            self.say(f"{facts}  failed: {problem}")
        elif self._bar is None:
            self.say(f"{facts}  {duration(seconds)}  ({duration(self.left())} left)")
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task, expected)
        self.tick()

    def left(self) -> float:
        """Seconds to go, about."""
        pace = self._measured / self._expected if self._expected else 1.0
        whole = pace * sum(self._open.values()) / self._jobs
        return max(0.0, whole - (time.monotonic() - self._since))

    def tick(self) -> None:
        """Move the clock."""
        if self._bar is not None and self._task is not None:
            made = f"{self._total - len(self._open)} of {self._total}"
            passed = duration(time.monotonic() - self._began)
            facts = f"{made}  {passed}  {duration(self.left())} left"
            self._bar.update(self._task, description=self._note, facts=facts)
