"""Separate batches and the automatic choice, against the paper's methods."""

import numpy as np
import pytest
from claim_frames import answer, cell, contest, results

from wolfnest_reproduction.judge.judgement import judge
from wolfnest_reproduction.show import verdict_text


@pytest.fixture(scope="module")
def judgement():
    rates = {"PMVR-v1": 2.0, "PMM-v1": 2.0, "PMVR-v1 (separate)": 3.0, "PMM-v1 (separate)": 1.0}
    frames = [*contest(rates, noise=0.01), cell("automatic", 2.5, seconds=2.0, noise=0.01)]
    return judge(results(*frames))


def row(judgement, method, rival, measure, criterion="optimal_gap"):
    table = judgement.beside
    names = {"method": method, "rival": rival, "measure": measure, "criterion": criterion}
    for key, value in names.items():
        table = table[table[key] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_every_form_meets_the_methods_of_the_paper(judgement):
    pairs = judgement.beside[["form", "method", "rival"]].drop_duplicates()
    assert set(pairs.itertuples(index=False, name=None)) == {
        ("separate batches", "PMVR-v1 (separate)", "PMVR-v1"),
        ("separate batches", "PMM-v1 (separate)", "PMM-v1"),
        ("automatic choice", "automatic", "PMVR-v1"),
        ("automatic choice", "automatic", "PMM-v1"),
    }
    assert len(judgement.beside) == 4 * 3 * 2


def test_values_are_those_at_equal_samples_and_time(judgement):
    apart = row(judgement, "PMVR-v1 (separate)", "PMVR-v1", "at equal samples")
    assert apart["outcome"] == "better"
    assert np.log10([apart["value"], apart["rival_value"]]) == pytest.approx([-4, -3], abs=0.02)
    assert apart["low"] < np.log10(apart["ratio"]) == pytest.approx(-1, abs=0.02)
    assert row(judgement, "PMM-v1 (separate)", "PMM-v1", "at equal time")["outcome"] == "worse"
    # Twice as slow: half of its way by then.
    assert row(judgement, "automatic", "PMM-v1", "at equal samples")["outcome"] == "better"
    late = row(judgement, "automatic", "PMM-v1", "at equal time")
    assert (late["outcome"], round(np.log10(late["value"]), 1)) == ("worse", -2.2)


def test_the_claims_page_counts_it(judgement):
    text = verdict_text.page(judgement)
    line = "| separate batches | E2 | Industry-17 | Frank-Wolfe gap | 1 / 0 / 1 | 1 / 0 / 1 |"
    assert line in text
    assert (
        "| automatic choice | E2 | Industry-17 | Frank-Wolfe gap | 2 / 0 / 0 | 0 / 0 / 2 |" in text
    )


def test_it_has_no_say_in_the_verdicts(judgement):
    assert answer(judgement, "C2").outcome == "not tested"
    assert "automatic" not in set(judgement.figures["method"])


def test_without_such_forms_the_table_is_empty():
    found = judge(results(*contest({"PMVR-v1": 2.0, "SCSC": 1.0})))
    assert len(found.beside) == 0
    assert "outcome" in found.beside
