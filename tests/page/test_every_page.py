"""Every page in a real browser: charts are drawn and read, it fits any screen, it can be used."""

import re

import pytest

from browsing import PHONE, contrast, curves_of, hexadecimal, luminance

PAGES = ("portfolio_page", "report_page")
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => (one.open = true))"


@pytest.fixture(params=PAGES)
def visit(request, open_page):
    path = request.getfixturevalue(request.param)
    return lambda **options: open_page(path, **options)


def plots(page):
    return page.evaluate("[...document.querySelectorAll('[data-plot]')].map((n) => n.dataset.plot)")


def test_curves_are_drawn_inside_their_charts(visit):
    page = visit()
    for plot in plots(page):
        drawn = curves_of(page, plot)
        assert drawn
        assert len(set(drawn.values())) == len(drawn)
        for path in drawn.values():
            assert len(re.findall(r"-?\d+\.\d+", path)) >= 4
            assert not re.search("NaN|Infinity|undefined", path)
        box = page.locator(f"[data-plot={plot}] svg.chart").bounding_box()
        inside = page.evaluate(
            """(name) => [...document.querySelectorAll(`[data-plot=${name}] .frame`)].map((a) => {
                const box = a.getBoundingClientRect();
                return [box.left, box.right, box.top, box.bottom]; })""",
            plot,
        )
        for left, right, top, bottom in inside:
            assert box["x"] - 1 <= left <= right <= box["x"] + box["width"] + 1
            assert box["y"] - 1 <= top <= bottom <= box["y"] + box["height"] + 1


def test_values_are_read_by_pointer_and_keyboard(visit):
    page = visit()
    for name in plots(page):
        plot = page.locator(f"[data-plot={name}]")
        tip, spoken = plot.locator(".tip"), plot.locator("[aria-live]")
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert tip.is_visible()
        assert tip.text_content().split("\n")[0] in curves_of(page, name)
        page.mouse.move(2, 2)
        assert not tip.is_visible()
        plot.focus()
        page.keyboard.press("ArrowRight")
        last = spoken.text_content()
        page.keyboard.press("ArrowLeft")
        assert tip.is_visible()
        assert spoken.text_content() != last
        assert last.partition(", ")[0] == next(iter(curves_of(page, name)))
        page.keyboard.press("Escape")
        assert not tip.is_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen(visit, width):
    page = visit(**({} if width == 1280 else PHONE))
    page.evaluate(OPEN_ALL)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    texts = page.evaluate(
        """() => [...document.querySelectorAll("svg.chart text")].map((node) => {
            const box = node.getBoundingClientRect();
            return [box.left, box.right, parseFloat(getComputedStyle(node).fontSize)]; })"""
    )
    assert texts
    assert all(left >= 0 and right <= width and size >= 11 for left, right, size in texts)


def test_a_finger_reads_values_on_a_phone(visit):
    page = visit(**PHONE)
    assert page.evaluate("visualViewport.scale") == pytest.approx(1, abs=0.01)
    for name in plots(page):
        plot = page.locator(f"[data-plot={name}]")
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        tip = plot.locator(".tip").bounding_box()
        assert tip["x"] >= 0
        assert tip["x"] + tip["width"] <= 390


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_curves_stand_out_in_both_themes(visit, theme):
    page = visit(color_scheme=theme)
    found = page.evaluate(
        """() => {
            const colour = (node, name) => getComputedStyle(node)[name];
            const texts = "h1, .lead, .quiet, nav a, td, th, label, figcaption, summary, .badge, "
                + ".facts dt";
            return {
                page: colour(document.body, "backgroundColor"),
                texts: [...document.querySelectorAll(texts)].map((one) => colour(one, "color")),
                labels: [...document.querySelectorAll("svg.chart text")].map(
                    (one) => colour(one, "fill")),
                curves: [...document.querySelectorAll(".curve .stroke")].map(
                    (one) => colour(one, "stroke")),
            }; }"""
    )
    paper = hexadecimal(found["page"])
    assert (luminance(paper) < 0.1) == (theme == "dark")
    for colour in {*found["texts"], *found["labels"]}:
        assert contrast(hexadecimal(colour), paper) >= 4.5
    for colour in set(found["curves"]):
        assert contrast(hexadecimal(colour), paper) >= 3


def test_every_control_can_be_reached_by_the_keyboard_and_has_a_name(visit):
    page = visit()
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("select, input, button, [tabindex]")].filter(
            (node) => !(node.labels && node.labels.length) && !node.getAttribute("aria-label")
            && !node.textContent.trim()).map((node) => node.outerHTML.slice(0, 80))"""
    )
    assert unnamed == []
    backwards = "[...document.querySelectorAll('[tabindex]')].filter((n) => n.tabIndex < 0).length"
    assert page.evaluate(backwards) == 0


def test_another_script_does_not_run(visit, open_page):
    page = visit()
    page.evaluate(
        """() => { const script = document.createElement("script");
            script.textContent = "window.strange = 1"; document.body.append(script); }"""
    )
    assert page.evaluate("window.strange") is None
    assert "Content Security Policy" in open_page.messages.pop()
