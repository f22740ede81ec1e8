"""Verdicts on the page: counts, what is missing, what decides, and what stands beside."""

import dataclasses
import re

import judged
import pytest

from wolfnest.page import template
from wolfnest_reproduction.judge.beside import count
from wolfnest_reproduction.judge.judgement import Judgement, judge
from wolfnest_reproduction.judge.tally import Tally
from wolfnest_reproduction.show import sentences, verdict_page, verdict_tables


def section(name, judgement):
    """One of the two sections of the page, as its template makes it."""
    found = template._environment("wolfnest_reproduction.show").get_template(f"own/{name}.html")
    payload = {"comparisons": verdict_tables.columns(judgement)}
    return found.render(judgement=judgement, words=sentences, page=verdict_page, payload=payload)


def card(verdict):
    found = Judgement([verdict], judged.nothing().figures, judged.nothing().beside)
    made = section("claims", found)
    return made[made.index("<article") : made.index("</article>")]


def words(markup):
    return " ".join(re.sub("<[^>]*>", " ", markup).split())


def test_an_incomplete_verdict_says_so_in_its_badge():
    assert "≈ partly, incomplete" in card(judged.verdict(incomplete=True))
    assert "incomplete" not in card(judged.verdict())
    untested = judged.verdict(kind="not tested", incomplete=True)
    assert "– not tested<" in card(untested)


def test_a_card_counts_better_open_worse_and_the_best_against_the_best():
    text = words(card(judged.verdict()))
    assert (
        "Ours against rivals: partly 14 better, 7 open, 11 worse Better by time 7 of 15, "
        "by samples 7 of 15, against the best rival 4 of 8, best against best 2 of 3."
    ) in text
    verdict = judged.verdict()
    (part,) = verdict.parts
    whole = dataclasses.replace(part.whole, best_against_best=None)
    alone = dataclasses.replace(verdict, parts=[dataclasses.replace(part, whole=whole)])
    assert "against the best rival 4 of 8." in words(card(alone))


def test_counts_are_not_told_twice():
    verdict = judged.verdict(data="everything")
    assert sentences.notes(verdict) == "Tested on everything with 5 seeds."
    counts = "Ours against rivals: better in 14 of 32 comparisons (worse in 11)"
    assert sentences.reason(verdict).startswith(counts)
    assert "comparisons (worse" not in card(verdict)


def test_what_decides_a_claim_is_counted_over_matched_comparisons():
    text = words(card(judged.verdict()))
    assert "time or samples by time 3 / 4 / 9 by samples 11 / 3 / 2" in text
    assert "criterion Optimal gap 5 / 0 / 1" in text
    assert sentences.MATCHED in text
    assert "What changes the share most is time or samples (50%)." in text


def test_parts_that_were_not_tested_have_no_bars():
    text = card(judged.verdict(kind="not tested"))
    assert "tally" not in text[: text.index("What decides it")]


def test_real_verdicts_can_be_shown(small):
    made = judge(small)
    text = section("claims", made)
    for one in made.verdicts:
        assert f'id="claim-{one.claim.name}"' in text
        assert "comparisons (worse in" not in text
    assert "Separate gradient batches are lower" in section("beside", made)


@pytest.mark.parametrize(("counts", "shown"), [((0, 0, 0), "–"), ((1, 2, 1), "1 / 1 / 2")])
def test_a_tally_is_a_bar_and_three_numbers(counts, shown):
    made = verdict_page.ends(Tally(*counts))
    assert words(made) == shown
    widths = re.findall(r'class="(\w+)" style="width:(\S+)%"', made)
    assert widths == ([("better", "25"), ("open", "25"), ("worse", "50")] if counts[0] else [])


def test_beside_counts_each_form_at_each_measure(judgement):
    aside = judgement.beside
    for form in ("separate batches", "automatic choice"):
        rows = aside[aside["form"] == form]
        counts = count(rows)
        for measure, found in counts.items():
            those = rows[rows["measure"] == measure]
            ends = those["outcome"].value_counts()
            assert found.outcomes == tuple(
                ends.get(name, 0) for name in ("better", "worse", "open")
            )
            assert found.ratio == pytest.approx(those["ratio"].median())
    text = words(section("beside", judgement))
    assert "Separate gradient batches" in text
    assert "The automatic choice" in text
    assert text.count("By data set and criterion") == 2


def test_nothing_beside_the_claims_is_said():
    assert "No method with separate batches" in section("beside", judged.nothing())
    assert list(sentences.forms(judged.nothing().beside)) == []
