"""What is special about the page on a portfolio, in a real browser."""

import re

import pytest

from browsing import curves_of

STRATEGIES = ["this portfolio", "minimum variance", "equal weights"]


@pytest.fixture
def visit(open_page, portfolio_page):
    return lambda: open_page(portfolio_page)


def test_all_plots_are_drawn(visit):
    page = visit()
    assert list(curves_of(page, "growth")) == STRATEGIES
    assert list(curves_of(page, "frontier")) == ["efficient frontier"]
    assert list(curves_of(page, "convergence")) == ["gap"]
    places = page.locator("[data-plot=frontier] .place").all_text_contents()
    assert places == ["this portfolio", "equal weights"]


def test_the_portfolio_lies_on_the_frontier(visit):
    page = visit()
    distance = page.evaluate(
        """() => {
            const path = document.querySelector("[data-plot=frontier] .stroke");
            const cross = document.querySelector("[data-plot=frontier] .place path");
            const [x, y] = cross.getAttribute("d").slice(1).split("h")[0].split(" ").map(Number);
            const all = path.getTotalLength();
            let least = Infinity;
            for (let k = 0; k <= 500; k++) {
                const at = path.getPointAtLength(all * k / 500);
                least = Math.min(least, Math.hypot(at.x - x - 5, at.y - y));
            }
            return least; }"""
    )
    assert distance < 8


def test_strategies_are_switched(visit):
    page = visit()
    page.get_by_role("checkbox", name="equal weights").uncheck()
    assert list(curves_of(page, "growth")) == STRATEGIES[:2]
    for name in STRATEGIES[:2]:
        page.get_by_role("checkbox", name=name).uncheck()
    assert not curves_of(page, "growth")
    assert "Nothing is switched on" in page.locator("[data-plot=growth]").text_content()
    page.get_by_role("checkbox", name="this portfolio").check()
    assert list(curves_of(page, "growth")) == STRATEGIES[:1]


def test_points_tell_what_they_are(visit):
    page = visit()
    said = {
        "growth": r"this portfolio, 2021-\d\d-\d\d, [\d.]+",
        "frontier": r"efficient frontier, λ = .*, risk .* %, mean .* %, .*",
        "convergence": r"gap, step: \d+, gap: [\d.e-]+",
    }
    for name, pattern in said.items():
        page.locator(f"[data-plot={name}]").focus()
        page.keyboard.press("ArrowRight")
        text = page.locator(f"[data-plot={name}] [aria-live]").text_content()
        assert re.fullmatch(pattern, text), text


def test_names_from_the_file_are_text(visit):
    page = visit()
    assert "<b>B&B</b>" in page.locator("#weights").text_content()
    assert page.locator("#weights table b").count() == 0
    assert "made <up>.csv" in page.locator("header").text_content()


def test_tables_say_what_the_plots_show(visit):
    page = visit()
    rows = page.locator("#backtest tbody tr")
    assert rows.count() == 3
    assert rows.first.text_content().startswith("this portfolio")
    page.get_by_text("The same as a table").click()
    assert page.locator("#frontier tbody tr").count() == 25
    weights = page.locator("#weights tbody td:nth-child(2)").all_text_contents()
    assert sum(float(text.rstrip(" %")) for text in weights) == pytest.approx(100, abs=0.3)
