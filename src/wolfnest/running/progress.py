"""What a person sees while `solve` runs: a live table of the recorded rows over a bar.

On a terminal one background thread draws, so that a call from the loop only stores numbers, and
the clock also moves while a long chunk is compiled or computed. Anywhere else rows are written
as plain lines, without control codes.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.segment import Segments
from rich.table import Table
from rich.text import Text

from wolfnest.common.formatting import count, duration, scientific, short

QUIET_SECONDS = 2.0  # automatic displays keep short runs free of output
REFRESH_SECONDS = 0.25
WINDOW_SECONDS = 10.0  # rates are those of the recent past: batch sizes change between stages
ROWS = 20
OBJECTIVE = "Objective (est.)"
WIDTHS = (9, 5, 15, 10, 9, 9, 7, 7)  # the least per column; with spaces they fit 80 columns


def progress_for(
    progress: bool | None, total_steps: int, criterion: str, *, title: str = ""
) -> Progress:
    """The display that `solve(progress=...)` asks for.

    True shows it at once, False never; None shows it on a terminal, for runs of over 2 seconds.
    """
    if progress is not None and not isinstance(progress, bool):
        raise ValueError(
            f"progress must be True, False or None (shown on a terminal only), got {progress!r}."
        )
    return Progress(total_steps, criterion, enabled=progress, title=title)


class Progress:
    """The display of one run, to be used as a context manager around it.

    >>> import sys
    >>> console = Console(file=sys.stdout, force_terminal=False)
    >>> with Progress(200, "gap", enabled=True, console=console) as shown:
    ...     shown.record(step=0, stage=1, criterion=1.0, objective=None,
    ...                  samples=128, lmo=0, seconds=0.0)
    ...     shown.record(step=100, stage=1, criterion=1.234e-3, objective=float("nan"),
    ...                  samples=25_728, lmo=100, seconds=4.0)
    ...     shown.finish("budget reached")
    compiling…
    Iteration  Stage              gap  Objective (est.)  Samples/s  LMO calls     Time     Left
            0      1        1.000e+00                 –          –          0     0.0s        –
          100      1        1.234e-03               nan      6.40k        100     4.0s     4.0s
    budget reached: 100 of 200 steps, 25.7k samples, 100 LMO calls, 4.0s
    """

    def __init__(
        self,
        total_steps: int,
        criterion: str,
        *,
        enabled: bool | None = None,
        console: Console | None = None,
        title: str = "",
    ):
        self._console = _standard_error() if console is None else console
        self._total = total_steps
        self._title = title
        self._headers = (
            *("Iteration", "Stage", criterion, OBJECTIVE),
            *("Samples/s", "LMO calls", "Time", "Left"),
        )
        drawable = self._console.is_terminal and not self._console.is_dumb_terminal
        self._live = drawable and enabled is not False
        self._plain = not drawable and enabled is True
        self._delay = 0.0 if enabled else QUIET_SECONDS
        self._thread: threading.Thread | None = None
        self._done = threading.Event()
        self._ending = ""
        self._began = time.monotonic()
        self._first: tuple[str, ...] | None = None
        self._rows: deque[tuple[str, ...]] = deque(maxlen=ROWS)
        self._drawn: tuple[Any, Segments] = None, Segments([])
        self._now: tuple[int, int | None, int | None, float] | None = None
        self._points: deque[tuple[float, int, int | None]] = deque()

    def __enter__(self) -> Progress:
        self._began = time.monotonic()
        if self._live:
            self._thread = threading.Thread(target=self._draw, name="progress", daemon=True)
            self._thread.start()
        self._write(*([self._title] if self._title else []), "compiling…")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.finish("done" if kind is None else f"stopped by {kind.__name__}")

    def record(
        self,
        *,
        step: int,
        stage: Any,
        criterion: float | None,
        objective: float | None,
        samples: int | None,
        lmo: int | None,
        seconds: float,
    ) -> None:
        """Add a row; `seconds` is the run time so far."""
        if not (self._live or self._plain):
            return
        self.tick(step=step, samples=samples, lmo=lmo, seconds=seconds)
        throughput, left = self._rates()
        row = (
            *(f"{step:,}", str(stage), scientific(criterion), scientific(objective)),
            *(short(throughput), count(lmo), duration(seconds), duration(left)),
        )
        if self._first is None:
            self._first = row
            self._write(self._line(self._headers))
        else:
            self._rows.append(row)
        self._write(self._line(row))

    def tick(self, *, step: int, samples: int | None, lmo: int | None, seconds: float) -> None:
        """Move the bar, the throughput and the time left, without a row."""
        points = self._points
        if not points or seconds - points[-1][0] >= 0.1:
            points.append((seconds, step, samples))
            while len(points) > 2 and points[1][0] <= seconds - WINDOW_SECONDS:
                points.popleft()
        self._now = (step, samples, lmo, seconds)  # last: the drawing thread then finds a point

    def finish(self, status: str) -> None:
        """Close the display with one line: the status and the totals. Later calls do nothing."""
        if self._done.is_set():
            return
        step, samples, lmo, seconds = self._now or (0, None, None, None)
        self._ending = (
            f"{status}: {step:,} of {self._total:,} steps, {short(samples)} samples, "
            f"{count(lmo)} LMO calls, {duration(seconds)}"
        )
        self._write(self._ending)
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def _draw(self) -> None:
        """The drawing thread: starts, refreshes and ends the live display."""
        if self._done.wait(self._delay) and self._delay:
            return
        # Lines that a callback prints appear above the table; a redirected stdout stays its own.
        shared = _is_terminal(self._console.file)
        live = Live(
            console=self._console,
            get_renderable=self._render,
            auto_refresh=False,
            redirect_stdout=shared and _is_terminal(sys.stdout),
            redirect_stderr=shared and _is_terminal(sys.stderr),
        )
        with self._may_vanish():
            live.start(refresh=True)
            try:
                while not self._done.wait(REFRESH_SECONDS):
                    live.refresh()
            finally:
                live.stop()

    def _render(self) -> RenderableType:
        parts: list[RenderableType] = [Text(self._title, style="bold")] if self._title else []
        if self._first is not None:
            rows = (self._first, *self._rows)
            if self._drawn[0] != (rows, self._console.size):  # a table takes 15 ms to draw
                lines = Segments(list(self._console.render(self._table(list(rows)))))
                self._drawn = (rows, self._console.size), lines
            parts.append(self._drawn[1])
        if self._ending:
            parts.append(Text(self._ending, style="bold"))
        elif self._now is None:
            parts.append(Text(f"compiling… {time.monotonic() - self._began:.0f}s", style="dim"))
        else:
            parts.append(self._bar(*self._now))
        return Group(*parts)

    def _table(self, rows: list[tuple[str, ...]]) -> Table:
        gap = (0, 1) if self._console.width >= 96 else 0
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=gap)
        kept = list(range(len(WIDTHS)))
        for least_needed in (5, 1, 4, 3):  # LMO calls, stage, samples/s, objective
            if sum(WIDTHS[i] + 1 for i in kept) - 1 > self._console.width:
                kept.remove(least_needed)
        for i in kept:
            # Only the one header of two words may wrap, so that numbers are never cut.
            name, wraps = self._headers[i], self._headers[i] == OBJECTIVE
            table.add_column(Text(name), justify="right", min_width=WIDTHS[i], no_wrap=not wraps)
        # On a low screen the bar must stay in sight: 7 lines are title, header, bar and margin.
        fits = max(3, min(ROWS, self._console.height - 7))
        if len(rows) > fits:
            rows = [rows[0], ("…",) * len(self._headers), *rows[-(fits - 2) :]]
        for row in rows:
            table.add_row(*(Text(row[i], no_wrap=True) for i in kept))
        return table

    def _bar(self, step: int, samples: int | None, lmo: int | None, seconds: float) -> Table:
        throughput, left = self._rates()
        share = min(step / self._total, 1.0) if self._total > 0 else 1.0
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.width = min(self._console.width, 88)
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

    def _line(self, cells: tuple[str, ...]) -> str:
        widths = [max(len(h), least) for h, least in zip(self._headers, WIDTHS, strict=True)]
        return "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))

    def _write(self, *lines: str) -> None:
        """Plain lines, past `rich`: it would wrap them, and ends the process on a broken pipe."""
        if self._plain:
            with self._may_vanish():
                self._console.file.write("".join(line + "\n" for line in lines))
                self._console.file.flush()

    @contextmanager
    def _may_vanish(self) -> Iterator[None]:
        """A terminal that is closed or cannot take the text ends the display, not the run."""
        try:
            yield
        except (OSError, UnicodeEncodeError):
            self._live = self._plain = False
        except ValueError:
            if not getattr(self._console.file, "closed", False):
                raise
            self._live = self._plain = False


def _standard_error() -> Console:
    # FORCE_COLOR makes `rich` take a log file for a terminal; colours are not cursor movement.
    forced = None if _is_terminal(sys.stderr) else False
    return Console(stderr=True, force_terminal=forced, force_jupyter=False)


def _is_terminal(stream: Any) -> bool:
    return stream is not None and not getattr(stream, "closed", False) and stream.isatty()
