"""Tables as Markdown and HTML."""

import pytest

from wolfnest.common.tables import Column, html, markdown

EVIL = "<b>|\n&\"'"


def test_a_cell_cannot_leave_its_place_in_markdown():
    lines = markdown(["a", "b"], [[EVIL, 1], ["", 2.5]]).split("\n")
    assert lines == ["| a | b |", "|---|---|", "| <b>\\| &\"' | 1 |", "|  | 2.5 |"]


def test_a_cell_cannot_leave_its_place_in_html():
    text = html([Column(EVIL, "keep")], [[EVIL]], id="x")
    assert text.startswith('<table id="x"><thead><tr><th class="keep" scope="col">&lt;b&gt;')
    assert "<b>" not in text


def test_what_is_html_already_stays():
    class Safe(str):
        def __html__(self):
            return self

    assert "<td><i></i></td>" in html(["a"], [[Safe("<i></i>")]])


@pytest.mark.parametrize("write", [markdown, html])
def test_a_line_that_is_too_short_is_refused(write):
    with pytest.raises(ValueError, match="zip"):
        write(["a", "b"], [["1"]])
