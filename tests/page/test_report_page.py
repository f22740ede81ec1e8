"""What is special about the page on a reproduction, in a real browser."""

import csv
import re
from urllib.parse import parse_qs

import pytest

from browsing import PHONE, curves_of, hexadecimal
from wolfnest_reproduction.show import legend

SPOKEN = "[aria-live=polite].hidden"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture
def visit(open_page, report_page):
    return lambda hash="", **options: open_page(report_page, hash, **options)


def curves(page):
    return curves_of(page, "curves")


def ticks(page, side):
    return page.locator(f".chart .ticks-{side} text").all_text_contents()


def test_all_methods_are_drawn(visit):
    page = visit("#e=E2")
    drawn = curves(page)
    assert set(drawn) == {
        *("PMVR-v1", "PMVR-v2", "PMM-v1", "PMM-v2", "A-TSCGD", "NLASG", "Nested-SPIDER"),
        *("SCSC", "SMVR", "LiNASA+ICG", "automatic", "exact Frank-Wolfe"),
    }
    assert page.locator(".chart .band").count() == len(drawn) - 1  # exact solvers have none
    assert page.locator(".chart .mark").count() > len(drawn)


def test_methods_are_switched_one_by_one_and_by_group(visit):
    page = visit("#e=E2")
    page.get_by_role("checkbox", name="SCSC").uncheck()
    assert "SCSC" not in curves(page)
    group = page.locator('[data-group="rivals"]')
    assert group.evaluate("node => node.indeterminate")
    group.check()
    assert {"SCSC", "SMVR"} <= set(curves(page))
    group.uncheck()
    page.locator('[data-group="exact"]').uncheck()
    assert {legend.look(name).group for name in curves(page)} == {"ours", "automatic"}
    page.locator('[data-group="separate"]').check()
    assert "PMM-v2 (separate)" in curves(page)
    for kind in ("ours", "separate", "automatic"):
        page.locator(f'[data-group="{kind}"]').uncheck()
    assert not curves(page)
    assert "No method is switched on." in page.locator(".chart").text_content()
    group.check()
    assert "SCSC" in curves(page)


def test_bands_are_switched(visit):
    page = visit("#e=E2")
    page.locator("#band").uncheck()
    assert page.locator(".chart .band").count() == 0
    page.locator("#band").check()
    sampled = [name for name in curves(page) if name not in legend.SOLVERS]
    assert page.locator(".chart .band").count() == len(sampled)


def test_axes_and_scales_change_ticks_and_curves(visit):
    page = visit("#e=E2&c=frank_wolfe_gap&x=time")
    up, right, before = ticks(page, "y"), ticks(page, "x"), curves(page)
    assert "10⁻²" in up
    page.locator("#ylog").uncheck()
    assert ticks(page, "y") != up
    assert "0" in ticks(page, "y")
    assert curves(page)["PMVR-v1"] != before["PMVR-v1"]
    page.locator("#ylog").check()
    assert ticks(page, "y") == up
    page.locator("#xlog").check()
    assert ticks(page, "x") != right
    assert "0" not in ticks(page, "x")
    page.locator("#xlog").uncheck()
    seen = {tuple(right)}
    for axis in ("step", "samples", "lmo"):
        page.locator("#x").select_option(axis)
        seen.add(tuple(ticks(page, "x")))
    assert len(seen) == 4


def test_methods_that_project_are_named_not_drawn_against_lmo_calls(visit):
    page = visit("#e=E2&x=lmo")
    assert "SCSC" not in curves(page)
    assert "PMVR-v2" in curves(page)
    assert "these project" in page.locator("#legend").text_content()


def test_experiments_data_and_criteria_are_picked(visit):
    page = visit("#e=E1")
    first = curves(page)
    assert not page.locator("#s").is_visible()
    page.locator("#e").select_option("E4")
    assert page.locator("#d option").all_text_contents() == ["Industry-10", "Industry-17"]
    assert "SwPMFS-v2" in curves(page)
    four = curves(page)
    page.locator("#d").select_option("Industry-17")
    assert curves(page) != four
    page.locator("#h").select_option("4000")
    page.locator("#c").select_option("gradient_mapping")
    assert "Gradient mapping" in page.locator("#curves-caption").text_content()
    page.locator("#e").select_option("E1")
    page.locator("#c").select_option("frank_wolfe_gap")
    page.locator("#h").select_option("400")
    assert curves(page) == first


def test_an_objective_below_zero_is_linear_and_says_so(visit):
    page = visit("#e=E2&c=objective")
    assert page.locator("#ylog").is_disabled()
    assert not any(text.startswith("10") and text != "10" for text in ticks(page, "y"))
    assert "Linear upwards" in page.locator("#curves-caption").text_content()


def test_exact_solvers_have_curves_over_time(visit):
    page = visit("#e=E2&h=4000&c=optimal_gap&x=time")
    assert {"exact Frank-Wolfe", "CVXPY (CLARABEL)"} <= set(curves(page))
    falling = [float(text) for text in NUMBER.findall(curves(page)["exact Frank-Wolfe"])]
    assert len(falling) == 40
    assert falling[::2] == sorted(falling[::2])
    assert falling[1::2] == sorted(falling[1::2])  # down the page
    assert "CVXPY (CLARABEL) done: 1e-10" in page.locator(".chart .moment").text_content()
    caption = page.locator("#curves-caption").text_content()
    assert "Leaves the chart at the bottom: exact Frank-Wolfe (2e-10 after 20 ms)" in caption
    assert "Lowest at its end: exact" not in caption
    page.get_by_role("checkbox", name="exact Frank-Wolfe").uncheck()
    assert "exact Frank-Wolfe" not in curves(page)
    assert "CVXPY (CLARABEL)" in curves(page)


def test_exact_solvers_are_shown_in_every_experiment_with_their_problem(visit):
    assert "exact Frank-Wolfe" in curves(visit("#e=E5&x=time&c=frank_wolfe_gap"))
    assert "exact Frank-Wolfe" not in curves(visit("#e=E1&x=time&c=frank_wolfe_gap"))


def test_exact_solvers_that_end_later_are_named_below_the_chart(visit):
    page = visit("#e=E2&h=400&c=optimal_gap&x=time")
    assert "CVXPY (CLARABEL)" not in curves(page)
    caption = page.locator("#curves-caption").text_content()
    assert "Beyond the right edge: CVXPY (CLARABEL) (1e-10 after 100 ms)" in caption


@pytest.mark.parametrize("axis", ["samples", "step", "lmo"])
def test_other_axes_leave_exact_solvers_out_and_say_why(visit, axis):
    page = visit(f"#e=E2&x={axis}")
    assert not set(curves(page)) & {"exact Frank-Wolfe", "CVXPY (CLARABEL)"}
    assert "draw no batches" in page.locator("#curves-caption").text_content()
    assert "Only against time: exact Frank-Wolfe" in page.locator("#legend").text_content()


def test_exact_solvers_have_no_gradient_mapping(visit):
    page = visit("#e=E2&c=gradient_mapping&x=time")
    assert "exact Frank-Wolfe" not in curves(page)
    assert "Not measured: exact Frank-Wolfe" in page.locator("#legend").text_content()


def test_the_keyboard_reads_exact_solvers_too(visit):
    page = visit("#e=E2&h=4000&c=optimal_gap")
    page.locator("[data-plot]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    said = page.locator(SPOKEN).text_content()
    assert said == "CVXPY (CLARABEL), Optimal gap 1e-10, after 100 ms, on all data"


def test_lost_runs_are_marked(visit):
    page = visit("#e=E2")
    assert "†" in page.locator('output[data-value="Nested-SPIDER"]').text_content()
    assert "Nested-SPIDER (1 of 4 runs)" in page.locator("#curves-caption").text_content()


def test_the_pointer_reads_values(visit):
    page = visit("#e=E2")
    box = page.locator(".chart").bounding_box()
    page.locator(".chart").scroll_into_view_if_needed()
    before = page.locator("#legend output").all_text_contents()
    box = page.locator(".chart").bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
    assert page.locator(".tip").is_visible()
    assert "samples" in page.locator(".tip").text_content()
    assert page.locator("#legend output").all_text_contents() != before
    page.mouse.move(2, 2)
    assert not page.locator(".tip").is_visible()
    assert page.locator("#legend output").all_text_contents() == before


def test_the_keyboard_reads_values(visit):
    page = visit("#e=E2")
    page.locator("[data-plot]").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(SPOKEN).text_content().startswith("PMVR-v1, Frank-Wolfe gap")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    assert page.locator(SPOKEN).text_content().startswith("PMVR-v2, Frank-Wolfe gap")
    page.keyboard.press("Escape")
    assert not page.locator(".tip").is_visible()


def test_the_address_holds_the_choice(visit):
    page = visit("#e=E3&d=Industry-17&h=4000&c=gradient_mapping&x=samples&ylog=0&off=SCSC")
    assert page.locator("#e").input_value() == "E3"
    assert page.locator("#x").input_value() == "samples"
    assert not page.locator("#ylog").is_checked()
    assert "SCSC" not in curves(page)
    assert "PMVR-v1 (separate)" in curves(page)
    drawn = curves(page)
    page.get_by_role("checkbox", name="SMVR").uncheck()
    address = page.evaluate("location.hash")
    assert parse_qs(address[1:])["off"] == ["SCSC~SMVR"]
    again = visit(address)
    del drawn["SMVR"]
    assert set(curves(again)) == set(drawn)


@pytest.mark.parametrize("hash", ["#e=nothing&d=&x=%E0&off=%", "#=", "#claims", "#e=E2&h=1e9"])
def test_any_address_gives_a_chart(visit, hash):
    assert curves(visit(hash))


def test_links_from_claims_lead_to_curves(visit):
    page = visit("#e=E1")
    page.get_by_role("link", name="Curves of E2").first.click()
    page.locator("#curves-caption", has_text="E2: ").wait_for()
    assert "SMVR" in curves(page)


def test_curves_are_exported_as_csv(visit):
    page = visit("#e=E2&d=Industry-17&c=optimal_gap")
    with page.expect_download() as waiting:
        page.locator("#csv").click()
    path = waiting.value.path()
    assert waiting.value.suggested_filename == "E2-Industry-17-lambda-1-400-optimal-gap.csv"
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["method"] for row in rows} == {*curves(page), "CVXPY (CLARABEL)"}
    assert {row["samples"] for row in rows if row["group"] == "exact"} == {""}
    assert {row["setting"] for row in rows} == {"λ=1"}
    for row in rows:
        if row["step"] != "0" and row["low"]:
            assert float(row["low"]) <= float(row["mean"]) <= float(row["high"])


def test_the_table_says_the_same(visit):
    page = visit("#e=E2")
    page.get_by_text("The same as a table").click()
    rows = page.locator("#values tbody tr")
    assert rows.count() == len(curves(page)) + 1  # CVXPY ends beyond the edge
    shown = page.locator('output[data-value="PMVR-v1"]').text_content()
    assert shown in rows.first.text_content()


def test_comparisons_and_tuned_parameters_are_filtered(visit, judgement):
    page = visit()
    page.get_by_text("All comparisons behind the verdicts").click()
    assert f"{len(judgement.figures):,} comparisons" in page.locator("#compare").text_content()
    page.locator("#compare").get_by_label("Claim").select_option("C3")
    first = page.locator("#compare tbody tr").first
    assert first.text_content().startswith("C3E3")
    page.get_by_text("tuned cells").click()
    rows = page.locator("#tuned tbody tr:visible")
    count = rows.count()
    page.get_by_label("Show rows with").fill("E5 SwPMM")
    assert 0 < rows.count() < count


def test_the_solvers_without_sampling_fit_a_desktop(visit):
    page = visit(viewport={"width": 1280, "height": 900})
    box = page.locator("#baselines .scroll")
    assert box.evaluate("(node) => node.scrollWidth <= node.clientWidth")


def test_it_fits_a_phone(visit):
    page = visit("#e=E2&h=4000&c=optimal_gap", **PHONE)  # with all kinds of text in the chart
    assert page.locator(".chart .moment").text_content() == "CVXPY (CLARABEL)"
    texts = page.evaluate(
        """() => [...document.querySelectorAll(".chart text")].map((node) => {
            const box = node.getBoundingClientRect();
            return [box.left, box.right, parseFloat(getComputedStyle(node).fontSize)]; })"""
    )
    assert all(left >= 0 and right <= 390 and size >= 11 for left, right, size in texts)
    short = page.evaluate(
        """() => [...document.querySelectorAll("#pick select, #csv, #legend .row label")].filter(
            (node) => node.offsetParent && node.getBoundingClientRect().height < 24).length"""
    )
    assert short == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_methods_have_the_colours_of_the_legend(visit, theme):
    page = visit("#e=E2", color_scheme=theme)
    found = page.evaluate(
        """[...document.querySelectorAll(".curve .stroke")].map(
            (one) => [one.parentNode.dataset.name, getComputedStyle(one).stroke])"""
    )
    for name, colour in found:
        look = legend.SOLVERS.get(name) or legend.look(name)
        assert hexadecimal(colour) == (look.dark if theme == "dark" else look.colour)
