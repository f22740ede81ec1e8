"""What a person sees of a run of many tasks."""

import io

import pytest
from rich.console import Console

from wolfnest.common.display import Display


def test_the_time_left_follows_what_was_measured():
    shown = io.StringIO()
    console = Console(file=shown, width=120)
    with Display({"a": 10.0, "b": 10.0, "c": 20.0}, jobs=2, console=console) as display:
        assert display.left() == pytest.approx(20, abs=0.5)
        display.done("a", "first", 30.0)
        assert display.left() == pytest.approx(45, abs=0.5)
        display.done("b", "second", 10.0, "ValueError: no")
        assert display.left() == pytest.approx(20, abs=0.5)
    assert "1 of 3  first  30s  (45s left)" in shown.getvalue()
    assert "2 of 3  second  failed: ValueError: no" in shown.getvalue()


def test_on_a_terminal_there_is_a_bar():
    shown = io.StringIO()
    console = Console(file=shown, width=100, force_terminal=True)
    with Display({"a": 1.0, "b": 1.0}, jobs=1, console=console) as display:
        display.done("a", "first", 1.0)
    assert "1 of 2" in shown.getvalue()
    assert "left" in shown.getvalue()
