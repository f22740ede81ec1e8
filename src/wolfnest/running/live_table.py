"""What a running `solve` looks like: the recorded rows as a table over a bar, or as plain lines."""

from __future__ import annotations

import time
from collections import deque

from rich import box
from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.segment import Segments
from rich.table import Table
from rich.text import Text

from wolfnest.common.formatting import count, duration, scientific, short

WINDOW_SECONDS = 10.0  # rates are those of the recent past: batch sizes change between stages
ROWS = 20
OBJECTIVE = "Objective (est.)"
WIDTHS = (9, 5, 15, 10, 9, 9, 7, 7)  # the least per column; with spaces they fit 80 columns

Cells = tuple[str, ...]


class LiveTable:
    """The rows of a run, and where it is now."""

    def __init__(self, total_steps: int, criterion: str, title: str) -> None:
        self._headers: Cells = (
            *("Iteration", "Stage", criterion, OBJECTIVE),
            *("Samples/s", "LMO calls", "Time", "Left"),
        )
        self._ending = ""
        self._first: Cells | None = None
        self._total, self._title = total_steps, title
        self._rows: deque[Cells] = deque(maxlen=ROWS)
        self._began = time.monotonic()
        self._now: tuple[int, int | None, int | None, float] | None = None
        self._points: deque[tuple[float, int, int | None]] = deque()
        self._drawn: tuple[object, Segments] = None, Segments([])

    def begin(self) -> None:
        """The run begins: what is compiled now takes time, too."""
        self._began = time.monotonic()

    def tick(self, *, step: int, samples: int | None, lmo: int | None, seconds: float) -> None:
        """Where the run is now, without a row."""
        points = self._points
        if not points or seconds - points[-1][0] >= 0.1:
            points.append((seconds, step, samples))
            while len(points) > 2 and points[1][0] <= seconds - WINDOW_SECONDS:
                points.popleft()
        self._now = (step, samples, lmo, seconds)  # last: the drawing thread then finds a point

    def add(self, stage: object, criterion: float | None, objective: float | None) -> list[str]:
        """A row for where the run is now; the same as plain lines, the first one with headers."""
        step, _, lmo, seconds = self._now or (0, None, None, 0.0)
        throughput, left = self._rates()
        row = (
            *(f"{step:,}", str(stage), scientific(criterion), scientific(objective)),
            *(short(throughput), count(lmo), duration(seconds), duration(left)),
        )
        if self._first is None:
            self._first = row
            return [self._line(self._headers), self._line(row)]
        self._rows.append(row)
        return [self._line(row)]

    def end(self, status: str) -> str:
        """The last line: the status and the totals."""
        step, samples, lmo, seconds = self._now or (0, None, None, None)
        self._ending = (
            f"{status}: {step:,} of {self._total:,} steps, {short(samples)} samples, "
            f"{count(lmo)} LMO calls, {duration(seconds)}"
        )
        return self._ending

    def drawn(self, console: Console) -> RenderableType:
        """All of it, as it stands, for a terminal."""
        parts: list[RenderableType] = [Text(self._title, style="bold")] if self._title else []
        if self._first is not None:
            rows = (self._first, *self._rows)
            if self._drawn[0] != (rows, console.size):  # a table takes 15 ms to draw
                lines = Segments(list(console.render(self._table(list(rows), console))))
                self._drawn = (rows, console.size), lines
            parts.append(self._drawn[1])
        if self._ending:
            parts.append(Text(self._ending, style="bold"))
        elif self._now is None or self._now[0] == 0:  # the steps are compiled after record 0
            parts.append(Text(f"compiling… {time.monotonic() - self._began:.0f}s", style="dim"))
        else:
            parts.append(self._bar(self._now[0], console))
        return Group(*parts)

    def _table(self, rows: list[Cells], console: Console) -> Table:
        gap = (0, 1) if console.width >= 96 else 0
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=gap)
        kept = list(range(len(WIDTHS)))
        for least_needed in (5, 1, 4, 3):  # LMO calls, stage, samples/s, objective
            if sum(WIDTHS[i] + 1 for i in kept) - 1 > console.width:
                kept.remove(least_needed)
        for i in kept:
            # Only the one header of two words may wrap, so that numbers are never cut.
            name, wraps = self._headers[i], self._headers[i] == OBJECTIVE
            table.add_column(Text(name), justify="right", min_width=WIDTHS[i], no_wrap=not wraps)
        # On a low screen the bar must stay in sight: 7 lines are title, header, bar and margin.
        fits = max(3, min(ROWS, console.height - 7))
        if len(rows) > fits:
            rows = [rows[0], ("…",) * len(self._headers), *rows[-(fits - 2) :]]
        for row in rows:
            table.add_row(*(Text(row[i], no_wrap=True) for i in kept))
        return table

    def _bar(self, step: int, console: Console) -> Table:
        throughput, left = self._rates()
        share = min(step / self._total, 1.0) if self._total > 0 else 1.0
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.width = min(console.width, 88)
        grid.add_column(ratio=1)
        grid.add_column(no_wrap=True)
        facts = f"{share:4.0%}  {short(throughput)} samples/s  {duration(left)} left"
        grid.add_row(ProgressBar(total=1.0, completed=share), Text(facts))
        return grid

    def _rates(self) -> tuple[float | None, float | None]:
        """Samples per second and seconds left, by the pace since the window's oldest point."""
        if self._now is None:
            return None, None
        then, old_step, old_samples = self._points[0]
        step, samples, _, seconds = self._now
        if seconds <= then:
            return None, None
        throughput = None
        if samples is not None and old_samples is not None:
            throughput = (samples - old_samples) / (seconds - then)
        pace = (step - old_step) / (seconds - then)
        return throughput, max(self._total - step, 0) / pace if pace > 0 else None

    def _line(self, cells: Cells) -> str:
        widths = [max(len(h), least) for h, least in zip(self._headers, WIDTHS, strict=True)]
        return "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
