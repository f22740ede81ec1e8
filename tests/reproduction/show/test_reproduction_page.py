"""The page as text: complete, self-contained, escaped, deterministic, small."""

import dataclasses
import html
import html.parser
import json
import re

import judged
import numpy as np
import pandas as pd
import pytest
import synthetic

from browsing import unpack
from wolfnest_reproduction import show as report
from wolfnest_reproduction.judge.judgement import Judgement, judge
from wolfnest_reproduction.show import (
    averages,
    payload,
    reproduction_page,
    sentences,
    verdict_tables,
)

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


class Parser(html.parser.HTMLParser):
    """Collects elements with their attributes, and what scripts contain."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.inside = [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        self.inside = tag

    def handle_data(self, data):
        if self.inside == "script":
            attrs, text = self.scripts[-1]
            self.scripts[-1] = attrs, text + data

    def handle_endtag(self, tag):
        self.inside = None


@pytest.fixture(scope="module")
def text(site):
    return (site / "index.html").read_text(encoding="utf-8")


def data(text, name="payload"):
    found = [body for attrs, body in Parser(text).scripts if attrs.get("id") == name]
    return json.loads(found[0])


def test_the_page_asks_for_nothing(text):
    for tag, attrs in Parser(text).elements:
        assert "src" not in attrs, tag
        href = attrs.get("href") or "#"
        assert href.startswith(("#", "data:,", "figures/")), href
    assert not re.search(r"url\((?!#)|@import", text)
    assert "default-src 'none'" in text


def test_the_page_stays_small(text):
    style = re.search(r"<style>(.*?)</style>", text, re.S)
    code = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert len(style[1]) + sum(map(len, code)) < 60_000
    assert len(text) < 1_400_000


def test_every_section_has_something_to_say(text):
    for words_ in (
        "C1. ", "does not hold", "Frank-Wolfe gap", "LMO call", "Gradient mapping", "Optimal gap",
        "exact Frank-Wolfe", "CVXPY (CLARABEL)", "alpha=[0.01, 0.03, 0.05, 0.1, 0.3]", "25,105",
        "1926-07-01", "wolfnest reproduce --quick --out out/quick", "a processor", "float64",
        "confidence intervals", "not the full reproduction", "Momentum: moving averages",
        "averages inside averages", "variance of a portfolio’s return less its mean",
        "How to read a verdict", "Separate gradient batches are lower",
    ):  # fmt: skip
        assert words_ in text, words_
    assert "Nothing of this kind" not in text
    assert "$" not in re.sub(r"<script>.*?</script>", "", text, flags=re.S)


def test_the_curves_come_back_as_they_went_in(text, results):
    chart = data(text)
    found = averages.points(results.traces)
    names = [one["name"] for one in chart["methods"]]
    group = next(
        one for one in chart["groups"]
        if (one["e"], one["d"], one["h"]) == ("E3", "Industry-17", 4000)
    )  # fmt: skip
    curve = next(one for one in group["curves"] if names[one["m"]] == "SMVR")
    mask = (
        (found["experiment"] == "E3") & (found["data"] == "Industry-17")
        & (found["horizon"] == 4000) & (found["method"] == "SMVR")
    )  # fmt: skip
    part = found[mask]
    for axis in ("step", "samples"):
        np.testing.assert_array_equal(unpack(curve["x"][axis]), part[axis])
    np.testing.assert_allclose(unpack(curve["x"]["time"]), part["time"], atol=2e-5)
    for name in ("frank_wolfe_gap", "gradient_mapping"):
        mean, half = map(unpack, curve["y"][name])
        np.testing.assert_allclose(10**mean, part[name], rtol=3e-4)
        np.testing.assert_allclose(10 ** (mean + half), part[f"{name}_high"], rtol=3e-3)
    mean, half = map(unpack, curve["y"]["objective"])
    np.testing.assert_allclose(mean, part["objective"], atol=2e-4)
    np.testing.assert_allclose(mean + half, part["objective_high"], atol=4e-4)


def test_everything_from_the_data_is_escaped(tmp_path):
    cast = {"E2": [EVIL, "PMVR-v1"]}
    found = synthetic.results(
        experiments=("E2",), data=(EVIL,), settings=(EVIL,), horizons=(4,), seeds=2, records=3,
        cast=cast,
    )  # fmt: skip
    info = {**found.info, "command": EVIL, "profile": EVIL, "environment": {EVIL: EVIL}}
    info |= {"data": {EVIL: {EVIL: EVIL}}, "note": EVIL, "overrides": {EVIL: EVIL}}
    info |= {"failures": [{"id": EVIL, "label": EVIL, "error": EVIL}], "sessions": [{**info}] * 2}
    baselines = found.baselines.assign(solver=EVIL, note=EVIL)
    found = dataclasses.replace(found, info=info, baselines=baselines)
    base = judged.judgement(found)
    figures = base.figures.assign(method=EVIL, claim=EVIL, outcome=EVIL)
    aside = base.beside.assign(rival=EVIL)
    claim = judged.verdict(EVIL, text=EVIL, data=EVIL, part=EVIL)
    path = report.write(found, tmp_path, Judgement([claim], figures, aside), formats=())
    parsed = Parser(path.read_text(encoding="utf-8"))
    assert not [tag for tag, _ in parsed.elements if tag == "img"]
    assert not [key for _, attrs in parsed.elements for key in attrs if key.startswith("on")]
    assert [attrs.get("id") for attrs, _ in parsed.scripts] == ["payload", "comparisons", None]
    chart = data(path.read_text(encoding="utf-8"))
    assert chart["groups"][0]["d"] == EVIL


def test_the_same_results_give_the_same_bytes(results, judgement, site, tmp_path):
    report.write(results, tmp_path, judgement, formats=())
    for path in sorted(site.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / path.relative_to(site)).read_bytes(), path.name


def test_a_report_of_little_is_still_a_report(small, tmp_path):
    bare = synthetic.Results(small.traces, pd.DataFrame(), pd.DataFrame(), {})
    text = report.write(bare, tmp_path, judged.nothing(), formats=()).read_text(encoding="utf-8")
    assert text.count("Nothing of this kind") == 4
    assert not (tmp_path / "run.json").exists()
    assert data(text, "comparisons") == {"rows": 0}
    averaged = averages.points(small.traces)
    assert "The claims were not judged." in reproduction_page.build(bare, averaged)


def test_verdicts_are_computed_where_none_are_given(small, tmp_path):
    text = report.write(small, tmp_path, formats=()).read_text(encoding="utf-8")
    made = judge(small)
    for verdict in made.verdicts:
        assert html.escape(verdict.claim.text) in text
        assert html.escape(sentences.notes(verdict)) in text
    assert "The rule in full" in text
    assert (tmp_path / "tables" / "comparisons.csv").exists()


def test_a_full_report_has_figures_and_links_to_them(small, judgement, tmp_path):
    text = report.write(small, tmp_path, judgement, axes=["lmo"]).read_text(encoding="utf-8")
    names = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert names == ["E2-lambda-1-horizon-400-lmo.pdf", "E2-lambda-1-horizon-400-lmo.png"]
    for name in names:
        assert f'href="figures/{name}"' in text
    assert "figures/E2-lambda-1-horizon-400-lmo.png" in (tmp_path / "summary.md").read_text()


def test_full_runs_carry_no_warning(results, judgement, tmp_path):
    full = dataclasses.replace(results, info={**results.info, "profile": "full"})
    text = report.write(full, tmp_path, judgement, formats=()).read_text(encoding="utf-8")
    assert 'class="warn"' not in re.sub("<noscript>.*?</noscript>", "", text)


def test_unmeasured_criteria_are_left_out_of_the_chart(results):
    found = averages.points(results.traces)
    chart = payload.payload(found[found["experiment"] == "E1"])
    assert "optimal_gap" not in chart["criteria"]
    assert chart["exact"] == []


def test_infinite_ratios_reach_the_page(judgement):
    figures = judgement.figures.copy()
    figures.loc[figures.index[0], ["ratio", "low", "high"]] = [np.inf, -np.inf, np.nan]
    packed = verdict_tables.columns(dataclasses.replace(judgement, figures=figures))
    column = {name: packed["cells"][k][0] for k, name in enumerate(packed["columns"])}
    assert (column["ratio"], column["low"], column["high"]) == ("∞", "-∞", None)
    assert json.dumps(packed, allow_nan=False)


def test_figures_of_an_earlier_report_do_not_stay(small, judgement, tmp_path):
    report.write(small, tmp_path, judgement, axes=["time", "step"], formats=["png"])
    (tmp_path / "figures" / "mine.png").write_bytes(b"")
    report.write(small, tmp_path, judgement, axes=["step"], formats=["png"])
    names = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert names == ["E2-lambda-1-horizon-400-step.png", "mine.png"]


def test_a_page_of_someone_else_is_no_list_of_figures(tmp_path):
    (tmp_path / "index.html").write_text('<a href="figures/a.png">a</a>')
    assert reproduction_page.linked(tmp_path) == set()
