"""The progress display: what it shows, when it keeps quiet, and that it never stops a run."""

from __future__ import annotations

import doctest
import io
import os
import re
import select
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
from rich.console import Console

from wolfnest.common import formatting
from wolfnest.running import progress
from wolfnest.running.progress import Progress, progress_for

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def console_of(terminal: bool, **options) -> Console:
    settings = {"width": 100, "height": 40, **options}
    return Console(file=io.StringIO(), force_terminal=terminal, **settings)


def until(condition, limit=60.0):
    """Wait for the drawing thread, however busy the machine is."""
    deadline = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < deadline, "the display never showed what was waited for"
        time.sleep(0.01)


def run(shown, rows=3, *, finish="converged", wait=lambda: True):
    """A run of `rows` records, 100 steps and 1 second each, as the solver reports it."""
    for i in range(rows):
        shown.record(
            step=100 * i,
            stage=1 + i // 10,
            criterion=1.234e-3 / (i + 1),
            objective=-2.5,
            samples=12_800_000 * i,
            lmo=1_000 * i,
            seconds=float(i),
        )
        shown.tick(step=100 * i + 50, samples=12_800_000 * i, lmo=1_000 * i, seconds=i + 0.5)
    until(wait)
    if finish:
        shown.finish(finish)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def screen(console: Console) -> str:
    """All that was written, without control codes; the last drawing comes last."""
    return CONTROL.sub("", written(console))


def last_drawing(console: Console, title: str) -> list[str]:
    return screen(console).split(title)[-1].splitlines()


@pytest.mark.parametrize("module", [progress, formatting])
def test_examples(module):
    failed, tried = doctest.testmod(module)
    assert tried > 0
    assert failed == 0


def test_live_table():
    console = console_of(terminal=True)
    with Progress(1000, "frank_wolfe_gap", enabled=True, console=console, title="Title") as shown:
        run(shown, wait=lambda: "25%" in screen(console))  # the last tick
    text = screen(console)
    for header in ("Iteration", "Stage", "frank_wolfe_gap", "Objective (est.)", "Samples/s"):
        assert header in text
    lines = last_drawing(console, "Title")
    row = next(line for line in lines if line.lstrip().startswith("200 "))
    assert row.split() == ["200", "1", "4.113e-04", "-2.500e+00", "12.8M", "2,000", "2.0s", "8.0s"]
    assert lines[-1] == "converged: 250 of 1,000 steps, 25.6M samples, 2,000 LMO calls, 2.5s"
    assert written(console).count("\x1b[?25l") == 1
    assert written(console).endswith("\x1b[?25h")


@pytest.mark.parametrize(("height", "shown_rows"), [(40, 20), (15, 8), (4, 3)])
def test_the_first_and_the_newest_rows_stay(height, shown_rows):
    console = console_of(terminal=True, height=height)
    with Progress(10_000, "gap", enabled=True, console=console, title="Title") as shown:
        run(shown, rows=50)
    lines = last_drawing(console, "Title")
    body = [line.split()[0] for line in lines[3:-1]]
    newest = [f"{100 * i:,}" for i in range(50)][-(shown_rows - 2) :]
    assert body == ["0", "…", *newest]


@pytest.mark.parametrize("width", [30, 60, 77, 80, 100, 200])
def test_no_number_is_cut_at_any_usual_width(width):
    console = console_of(terminal=True, width=width)
    with Progress(10_000, "frank_wolfe_gap", enabled=True, console=console) as shown:
        run(shown, rows=12)
    text = screen(console)
    assert all(len(line) <= width for line in text.splitlines())
    assert width < 60 or ("1.234e-03" in text and "-2.500e+00" in text and "Left" in text)
    assert width < 80 or ("12.8M" in text and "11,000" in text and "frank_wolfe_gap" in text)


def test_compiling_is_said_until_the_first_step():
    console = console_of(terminal=True)
    with Progress(10, "gap", enabled=True, console=console) as shown:
        until(lambda: re.search(r"compiling… \d+s", screen(console)))
        run(shown)
    assert "compiling" not in screen(console).split("Iteration")[-1]


def test_plain_lines_away_from_a_terminal():
    console = console_of(terminal=False)
    with Progress(1000, "gap[x]", enabled=True, console=console, title="A [b]title[/b]") as shown:
        run(shown)
        assert len(written(console).splitlines()) == 7
    text = written(console)
    assert "\x1b" not in text
    assert "\r" not in text
    lines = text.splitlines()
    assert lines[:2] == ["A [b]title[/b]", "compiling…"]
    assert "gap[x]" in lines[2]
    assert len({len(line) for line in lines[2:6]}) == 1
    assert lines[-1].startswith("converged: ")


@pytest.mark.parametrize(("enabled", "terminal"), [(None, False), (False, False), (False, True)])
def test_silence(enabled, terminal):
    console = console_of(terminal=terminal)
    with Progress(1000, "gap", enabled=enabled, console=console) as shown:
        run(shown)
    assert written(console) == ""


def test_a_dumb_terminal_gets_no_control_codes():
    console = console_of(terminal=True, _environ={"TERM": "dumb"})
    with Progress(1000, "gap", enabled=True, console=console) as shown:
        run(shown)
    assert "\x1b" not in written(console)
    assert "converged" in written(console)


def test_short_runs_show_nothing_by_themselves():
    console = console_of(terminal=True)
    with Progress(1000, "gap", console=console) as shown:
        run(shown)
    assert written(console) == ""


def test_the_end_of_a_short_run_does_not_wait_for_the_display(monkeypatch):
    monkeypatch.setattr(progress, "QUIET_SECONDS", 3600.0)
    console = console_of(terminal=True)
    with Progress(1000, "gap", console=console) as shown:
        ending = threading.Thread(target=run, args=(shown,), daemon=True)
        ending.start()
        ending.join(timeout=60)
        assert not ending.is_alive()
    assert written(console) == ""


def test_rows_are_kept_until_the_display_appears(monkeypatch):
    monkeypatch.setattr(progress, "QUIET_SECONDS", 2.0)
    console = console_of(terminal=True)
    with Progress(1000, "gap", console=console) as shown:
        run(shown, finish="")
        assert written(console) == ""
        until(lambda: all(f" {step} " in screen(console) for step in (0, 100, 200)))
        shown.finish("converged")
    assert "converged: 250 of" in screen(console)


def test_unknown_numbers():
    console = console_of(terminal=False)
    with Progress(100, "gap", enabled=True, console=console) as shown:
        nan = float("nan")
        unknown = {"samples": None, "lmo": None}
        shown.record(step=1, stage="a", criterion=None, objective=nan, seconds=0.5, **unknown)
        shown.record(step=1, stage="a", criterion=nan, objective=None, seconds=1.5, **unknown)
    lines = written(console).splitlines()
    assert lines[2].split() == ["1", "a", "–", "nan", "–", "–", "0.5s", "–"]
    assert lines[3].split() == ["1", "a", "nan", "–", "–", "–", "1.5s", "–"]
    assert lines[4] == "done: 1 of 100 steps, – samples, – LMO calls, 1.5s"


def test_time_left_follows_the_recent_pace():
    console = console_of(terminal=False)
    row = {"stage": 1, "criterion": 1.0, "objective": 1.0, "lmo": 0}
    with Progress(1000, "gap", enabled=True, console=console) as shown:
        for second in range(40):  # 20 steps a second, then 10
            step = min(20 * second, 200) + max(0, second - 10) * 10
            shown.tick(step=step, samples=100 * step, lmo=0, seconds=float(second))
        shown.record(step=500, samples=50_000, seconds=40.0, **row)
    assert written(console).splitlines()[2].split()[-4:] == ["1.00k", "0", "40s", "50s"]


@pytest.mark.parametrize("terminal", [True, False])
def test_an_exception_passes_and_is_named(terminal):
    console = console_of(terminal=terminal)

    def interrupted():
        with Progress(1000, "gap", enabled=True, console=console) as shown:
            run(shown, finish="")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "stopped by KeyboardInterrupt: 250 of 1,000" in screen(console)


class Vanishing(io.StringIO):
    """A file whose terminal goes away after a number of writes."""

    def __init__(self, writes):
        super().__init__()
        self.writes = writes

    def write(self, text):
        self.writes -= 1
        if self.writes < 0:
            raise OSError(5, "Input/output error")
        return super().write(text)


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("writes", [0, 1, 2, 3])
def test_a_vanished_terminal_does_not_stop_the_run(terminal, writes, monkeypatch):
    monkeypatch.setattr(progress, "REFRESH_SECONDS", 0.01)
    console = Console(file=Vanishing(writes), force_terminal=terminal)
    before = sys.stdout, sys.stderr
    with Progress(1000, "gap", enabled=True, console=console) as shown:
        run(shown, wait=lambda: console.file.writes < 0)  # it has vanished
    assert (sys.stdout, sys.stderr) == before


@pytest.mark.parametrize("terminal", [True, False])
def test_a_closed_file_does_not_stop_the_run(terminal, monkeypatch):
    monkeypatch.setattr(progress, "REFRESH_SECONDS", 0.01)
    console = console_of(terminal=terminal)
    with Progress(1000, "gap", enabled=True, console=console) as shown:
        until(lambda: written(console))
        console.file.close()
        drawer = shown._thread
        run(shown, wait=lambda: drawer is None or not drawer.is_alive())


def test_mistakes_of_the_caller_are_not_hidden():
    counts = {"step": 1, "stage": 1, "samples": 1, "lmo": 1, "seconds": 1.0}
    wrong: Any = "x"
    with (
        Progress(10, "gap", enabled=True, console=console_of(terminal=False)) as shown,
        pytest.raises(ValueError, match="could not convert"),
    ):
        shown.record(criterion=wrong, objective=1.0, **counts)
    with pytest.raises(ValueError, match="progress must be True, False or None"):
        progress_for(wrong, 10, "gap")


@pytest.mark.parametrize("terminal", [True, False])
def test_ticks_draw_nothing_themselves(terminal, monkeypatch):
    monkeypatch.setattr(progress, "REFRESH_SECONDS", 3600.0)
    console = console_of(terminal=terminal)
    with Progress(10**6, "gap", enabled=True, console=console) as shown:
        until(lambda: "compiling" in written(console))
        before = written(console)
        for i in range(20_000):
            shown.tick(step=i, samples=i, lmo=i, seconds=i * 1e-3)
        assert written(console) == before


def test_force_color_does_not_make_a_log_file_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress_for(True, 1000, "gap") as shown:
        run(shown)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "converged" in captured.err
    assert "\x1b" not in captured.err


ON_A_TERMINAL = """
import sys, time
from wolfnest.running.progress import progress_for
with progress_for(True, 1000, "gap", title="Title") as shown:
    for i in range(4):
        shown.record(step=100 * i, stage=1, criterion=1.0, objective=1.0, samples=i, lmo=i,
                     seconds=float(i))
        print("a callback's line", i)
        time.sleep(0.3)
    shown.finish("converged")
print("after", type(sys.stdout).__name__)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
@pytest.mark.parametrize("piped", [False, True])
def test_on_a_real_terminal(piped):
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    settings = termios.tcgetattr(theirs)
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-c", ON_A_TERMINAL],
        stdin=theirs,
        stdout=subprocess.PIPE if piped else theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
    )
    seen, ended = b"", False
    while not ended:
        ended = process.poll() is not None
        while select.select([ours], [], [], 0.05)[0]:
            seen += os.read(ours, 65536)
    out = process.communicate()[0]
    assert termios.tcgetattr(theirs) == settings
    os.close(ours)
    os.close(theirs)
    text = seen.decode()
    assert process.returncode == 0, text
    assert "\x1b[1A" in text, "the table is drawn over itself"
    assert text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l") >= 0, "the cursor is back"
    plain = CONTROL.sub("", text)
    drawing = plain.split("Title")[-1].splitlines()
    assert [line.split()[0] for line in drawing[3:7]] == ["0", "100", "200", "300"]
    assert drawing[7].startswith("converged: 300 of 1,000 steps")
    callback_lines = out.decode() if piped else plain
    assert callback_lines.count("a callback's line") == 4
    assert callback_lines.rstrip().endswith("after TextIOWrapper"), "stdout is itself again"
