"""The page in a real browser: plots are drawn, curves are switched, values are read, it fits."""

import re
from types import SimpleNamespace

import pytest
from holdings import returns_frame

from browsing import contrast, hexadecimal, luminance
from wolfnest.portfolio import PortfolioOptimizer, command, study
from wolfnest.portfolio.reading import NotedReturns

PLOTS = ("frontier", "convergence", "growth")
STRATEGIES = ["this portfolio", "minimum variance", "equal weights"]


@pytest.fixture(scope="module")
def page_path(tmp_path_factory):
    """The page on a long-short portfolio whose data have names that must be escaped."""
    frame = returns_frame(120, 5).rename(columns={"BB": "<b>B&B</b>", "CC": "</script>"})
    table = NotedReturns(frame, "made <up>.csv", ("taken as returns: there are negative values",))
    model = PortfolioOptimizer("variance", 20.0, long_only=False, gross=1.4, max_weight=0.6)
    found = study.extended(study.fitted(table, model), 60, 20, lambda id, seconds: None)
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(command.contents(found, "wolfnest portfolio made.csv")["index.html"])
    return path


@pytest.fixture
def visit(browser, page_path):
    """Opens the page in a window of its own; fails on errors, messages and requests at the end."""
    contexts, seen = [], SimpleNamespace(messages=[], requests=[])

    def visit(**options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)  # on a busy machine
        page.on("console", lambda message: seen.messages.append(message.text))
        page.on("pageerror", lambda error: seen.messages.append(str(error)))
        page.on("request", lambda request: seen.requests.append(request.url))
        page.goto(page_path.as_uri())
        page.wait_for_selector("[data-plot=growth] .curve")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not seen.messages
    assert all(url.startswith("file:") for url in seen.requests), seen.requests


def curves(page, plot):
    return page.evaluate(
        """(plot) => Object.fromEntries([...document.querySelectorAll(
            `[data-plot=${plot}] .curve`)].map((node) => [node.dataset.name,
            node.querySelector(".stroke").getAttribute("d")]))""",
        plot,
    )


def test_all_plots_are_drawn(visit):
    page = visit()
    assert list(curves(page, "growth")) == STRATEGIES
    assert list(curves(page, "frontier")) == ["efficient frontier"]
    assert list(curves(page, "convergence")) == ["gap"]
    for plot in PLOTS:
        for path in curves(page, plot).values():
            assert len(re.findall(r"-?\d+\.\d+", path)) >= 4
            assert not re.search("NaN|Infinity|undefined", path)
        box = page.locator(f"[data-plot={plot}] svg.chart").bounding_box()
        inside = page.evaluate(
            """(name) => [...document.querySelectorAll(`[data-plot=${name}] .stroke`)].map((a) => {
                const box = a.getBoundingClientRect();
                return [box.left, box.right, box.top, box.bottom]; })""",
            plot,
        )
        for left, right, top, bottom in inside:
            assert left >= box["x"] - 1
            assert right <= box["x"] + box["width"] + 1
            assert top >= box["y"] - 1
            assert bottom <= box["y"] + box["height"] + 1
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
    assert list(curves(page, "growth")) == STRATEGIES[:2]
    for name in STRATEGIES[:2]:
        page.get_by_role("checkbox", name=name).uncheck()
    assert not curves(page, "growth")
    assert "Nothing is switched on" in page.locator("[data-plot=growth]").text_content()
    page.get_by_role("checkbox", name="this portfolio").check()
    assert list(curves(page, "growth")) == STRATEGIES[:1]


def test_values_are_read_by_pointer_and_keyboard(visit):
    page = visit()
    plot = page.locator("[data-plot=growth]")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    tip = plot.locator(".tip")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert tip.is_visible()
    assert re.search(r"2021-\d\d-\d\d", tip.text_content())
    page.mouse.move(2, 2)
    assert not tip.is_visible()
    page.locator("[data-plot=frontier]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    spoken = page.locator("[data-plot=frontier] .hidden").text_content()
    assert spoken.startswith("efficient frontier, λ = ")
    page.keyboard.press("Escape")
    assert not page.locator("[data-plot=frontier] .tip").is_visible()


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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone_and_can_be_read(visit, theme):
    page = visit(
        viewport={"width": 390, "height": 844}, color_scheme=theme, has_touch=True, is_mobile=True
    )
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    texts = page.evaluate(
        """() => [...document.querySelectorAll("svg.chart text")].map((node) => {
            const box = node.getBoundingClientRect();
            return [box.left, box.right, parseFloat(getComputedStyle(node).fontSize)]; })"""
    )
    assert texts
    assert all(left >= 0 and right <= 390 and size >= 11 for left, right, size in texts)
    colours = page.evaluate(
        """() => ({ page: getComputedStyle(document.body).backgroundColor,
            text: [...document.querySelectorAll("h1, .quiet, td, figcaption, .facts dt")].map(
                (node) => getComputedStyle(node).color),
            lines: [...document.querySelectorAll(".curve .stroke")].map(
                (node) => getComputedStyle(node).stroke) })"""
    )
    paper = hexadecimal(colours["page"])
    assert (luminance(paper) < 0.1) == (theme == "dark")
    for colour in colours["text"]:
        assert contrast(hexadecimal(colour), paper) >= 4.5
    for colour in colours["lines"]:
        assert contrast(hexadecimal(colour), paper) >= 3


def test_every_control_has_a_name(visit):
    page = visit()
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("select, input, button, [tabindex]")].filter(
            (node) => !(node.labels && node.labels.length) && !node.getAttribute("aria-label")
            && !node.textContent.trim()).map((node) => node.outerHTML.slice(0, 80))"""
    )
    assert unnamed == []
