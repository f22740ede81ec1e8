"""What a person sees while `solve` runs: a live table of the recorded rows over a bar.

On a terminal one background thread draws, so that a call from the loop only stores numbers, and
the clock also moves while a long chunk is compiled or computed. Anywhere else rows are written
as plain lines, without control codes.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live

from wolfnest.running.live_table import LiveTable

QUIET_SECONDS = 2.0  # automatic displays keep short runs free of output
REFRESH_SECONDS = 0.25


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
        self._table, self._title = LiveTable(total_steps, criterion, title), title
        drawable = self._console.is_terminal and not self._console.is_dumb_terminal
        self._live = drawable and enabled is not False
        self._plain = not drawable and enabled is True
        self._delay = 0.0 if enabled else QUIET_SECONDS
        self._thread: threading.Thread | None = None
        self._done = threading.Event()

    def __enter__(self) -> Progress:
        self._table.begin()
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
        self._write(*self._table.add(stage, criterion, objective))

    def tick(self, *, step: int, samples: int | None, lmo: int | None, seconds: float) -> None:
        """Move the bar, the throughput and the time left, without a row."""
        self._table.tick(step=step, samples=samples, lmo=lmo, seconds=seconds)

    def finish(self, status: str) -> None:
        """Close the display with one line: the status and the totals. Later calls do nothing."""
        if self._done.is_set():
            return
        self._write(self._table.end(status))
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
            get_renderable=lambda: self._table.drawn(self._console),
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
