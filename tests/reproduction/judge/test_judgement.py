"""Verdicts on made-up results with a known answer."""

import json
from pathlib import Path

import numpy as np
import pytest
from claim_frames import (
    FINITE,
    INDUSTRY,
    PLAIN,
    RIVALS,
    STAGED,
    VARIANTS,
    answer,
    cell,
    contest,
    ours_win,
    results,
)

import wolfnest_reproduction
from wolfnest_reproduction.judge import bootstrap, comparisons
from wolfnest_reproduction.judge.judgement import judge
from wolfnest_reproduction.judge.tally import Tally
from wolfnest_reproduction.judge.verdict import combine, decide
from wolfnest_reproduction.show import verdict_text
from wolfnest_reproduction.show.sentences import explanation, plain, reason

OURS = "proposed methods against the rivals"


def everywhere(make, **settings):
    return [frame for data in INDUSTRY for frame in make(data=data, **settings)]


def part(verdict, name=OURS):
    return next(one.whole for one in verdict.parts if one.name == name)


def part_verdicts(judgement, claim):
    return [one.outcome for one in answer(judgement, claim).parts]


@pytest.fixture(scope="module")
def won():
    return judge(results(*everywhere(ours_win), *ours_win(experiment="E1", data="20 x 20")))


def test_a_clear_winner_holds(won):
    c2 = answer(won, "C2")
    assert (c2.outcome, explanation(c2)) == ("holds", "")
    assert (
        "better in 864 of 864 comparisons (worse in 0), against the best rival in 144 of"
        in reason(c2)
    )
    assert "Tested on Industry-10, Industry-12 and Industry-17 with 10 seeds." in reason(c2)
    assert "share their optimal assets" not in reason(c2)  # Industry-17 says the same
    assert not c2.incomplete
    assert "ncomplete" not in reason(c2)


def test_every_data_set_and_criterion_has_a_verdict(won):
    ours = answer(won, "C2").parts[0]
    cells = [(one.data, one.criterion) for one in ours.finer]
    assert len(cells) == len(set(cells)) == 3 * 3
    assert {one.outcome for one in (ours.whole, *ours.finer)} == {"holds"}
    assert len(part(answer(won, "C2")).measures) == 4


def test_c1_rests_on_two_criteria(won):
    c1 = answer(won, "C1")
    assert c1.outcome == "holds"
    assert {one.criterion for one in c1.parts[0].finer} == {"frank_wolfe_gap", "gradient_mapping"}
    assert "Tested on 20 x 20 with 10 seeds." in reason(c1)


def test_what_was_not_run_is_not_tested(won):
    for claim, experiment in (("C3", "E3"), ("C4", "E4"), ("C5", "E5")):
        found = answer(won, claim)
        assert found.outcome == "not tested"
        assert f"{experiment} was not run." in reason(found)


def test_nothing_at_all_is_no_error():
    judgement = judge(results())
    assert [one.outcome for one in judgement.verdicts] == ["not tested"] * 5
    assert len(judgement.figures) == 0
    assert "not tested" in verdict_text.page(judgement)


def test_a_clear_loser_and_a_tie_do_not_hold():
    lost = answer(judge(results(*everywhere(ours_win, by=-2.0))), "C2")
    assert lost.outcome == "does not hold"
    assert part(lost).comparisons.better == 0
    equal = contest(dict.fromkeys(PLAIN + RIVALS, 2.0), noise=0.5)
    tied = part(answer(judge(results(*equal)), "C2"))
    assert tied.outcome == "does not hold"
    assert tied.comparisons.open > 0.7 * tied.comparisons.total
    same = [
        frame.assign(method=name)
        for name in PLAIN + RIVALS
        for frame in contest({"SMVR": 2.0}, noise=0.5)
    ]
    exactly = part(answer(judge(results(*same)), "C2")).comparisons
    assert exactly.open == exactly.total


def test_one_seed_says_nothing():
    found = answer(judge(results(*everywhere(ours_win, seeds=1))), "C2")
    assert found.outcome == "not tested"
    assert "no method and rival with two seeds" in reason(found)
    assert answer(judge(results(*everywhere(ours_win, seeds=2))), "C2").outcome != "not tested"


def test_the_claims_page_calls_criteria_by_their_names(won):
    assert "| criterion | Frank-Wolfe gap | " in verdict_text.page(won)
    assert "frank_wolfe_gap" not in verdict_text.page(won)


def test_curves_that_cross_are_better_over_the_course_and_worse_at_the_end():
    fast = {"log10": lambda share: -2 * np.minimum(4 * share, 1)}
    frames = contest(dict.fromkeys(PLAIN, 0), **fast) + contest(dict.fromkeys(RIVALS, 2.2))
    found = answer(judge(results(*frames)), "C2")
    ours = part(found)
    assert ours.outcome == "partly"
    assert ours.measures["at equal time"].comparisons.worse == 72
    assert ours.measures["area under log-curve (time)"].comparisons.better == 72
    assert "at the end in 0 of 144, over the course in 144 of 144" in explanation(found)
    assert "What changes the share most is end or course (100%)." in explanation(found)


def test_slow_steps_win_by_samples_and_lose_by_time():
    frames = contest(dict.fromkeys(PLAIN, 3.0), seconds=10.0) + contest(dict.fromkeys(RIVALS, 2.0))
    found = answer(judge(results(*frames)), "C2")
    assert part(found).outcome == "partly"
    assert "better by time in 0 of 144, by samples in 144 of 144" in explanation(found)
    assert "What changes the share most is time or samples (100%)." in explanation(found)


def test_variants_and_batch_sizes():
    rates = dict.fromkeys(PLAIN, 2.0) | dict.fromkeys(STAGED, 3.0)
    rates |= {"PMFS-v1": 4.0, "PMFS-v2": 4.0, "SwPMFS-v1": 5.0, "SwPMFS-v2": 5.0}
    large = contest(rates | {"PMVR-v1": 2.5, "PMVR-v2": 2.5}, experiment="E4")
    small = contest(rates | {"PMM-v1": 2.5, "PMM-v2": 2.5}, experiment="E5", batch=32)
    both = judge(results(*large, *small))
    assert part_verdicts(both, "C4") == part_verdicts(both, "C5") == ["holds", "holds"]
    only = answer(judge(results(*large)), "C5")
    assert only.outcome == "not tested"
    assert "PMVR against PMM at batch 128: better in 24 of 24" in reason(only)
    assert "E5 was not run." in reason(only)
    other = [frame.assign(experiment="E5", batch=64) for frame in large]
    mixed = answer(judge(results(*large, *other)), "C5")
    assert mixed.outcome == "partly"  # PMVR ahead at both
    assert "E5 ran with batch 64." in reason(mixed)


def test_another_data_set_may_stand_in_and_missing_pieces_are_named():
    frames = [frame for frame in ours_win(data="S&P 500") if frame["method"].iloc[0] != "NLASG"]
    frames = [frame.assign(optimal_gap=np.nan) for frame in frames]
    found = answer(judge(results(*frames)), "C2")
    assert (found.outcome, found.incomplete) == ("partly", True)
    assert reason(found).startswith("Incomplete. ")
    assert {one.outcome for one in found.parts} == {"holds"}
    assert "Tested on S&P 500, in place of Industry-10, Industry-12 and Industry-17" in reason(
        found
    )
    assert "Missing in E2: NLASG." in reason(found)
    assert "Missing in E2: optimal_gap." in reason(found)
    gone = ours_win(data="Industry-17") + [
        frame for frame in ours_win(data="Industry-10") if frame["method"].iloc[0] != "SCSC"
    ]
    found = answer(judge(results(*gone)), "C2")
    assert "Missing in E2: SCSC (in 1 of 2 groups)." in reason(found)
    assert "without Industry-12" in reason(found)


def test_a_claim_is_complete_only_with_all_data_in_all_its_experiments():
    rates = {"PMVR-v1": 3.0, "PMVR-v2": 3.0, "PMM-v1": 2.0, "PMM-v2": 2.0}
    turned = {"PMVR-v1": 2.0, "PMVR-v2": 2.0, "PMM-v1": 3.0, "PMM-v2": 3.0}
    large = [f for data in INDUSTRY for f in contest(rates, experiment="E4", data=data)]
    small = [f for data in INDUSTRY for f in contest(turned, experiment="E5", batch=32, data=data)]
    whole = answer(judge(results(*large, *small)), "C5")
    assert (whole.outcome, whole.incomplete) == ("holds", False)
    less = answer(judge(results(*large, *small[:8])), "C5")
    assert (less.outcome, less.incomplete) == ("partly", True)
    assert "Missing in E5: Industry-17." in reason(less)
    lost = answer(judge(results(*contest(turned, experiment="E4"), *small[:8])), "C5")
    assert reason(lost).startswith("Incomplete.")


def test_an_unfinished_run_is_incomplete():
    given = results(*everywhere(ours_win))
    given.cells["id"] = [f"cell {k}" for k in range(len(given.cells))]
    ids = given.cells["id"].tolist()
    given.info = {"cells": [*ids, "to come", "failed"], "failures": [{"id": "failed"}]}
    found = answer(judge(given), "C2")
    assert (found.outcome, found.incomplete) == ("partly", True)
    assert "The run is not finished: 1 of its cells are still to come." in reason(found)
    given.info["cells"].remove("to come")
    assert answer(judge(given), "C2").outcome == "holds"


def test_the_clock_is_counted_in_the_reason():
    frames = [
        frame
        for data in INDUSTRY
        for frame in contest(dict.fromkeys(PLAIN, 2.0), data=data, noise=0.001)
        + contest(dict.fromkeys(RIVALS, 2.0), data=data, seconds=1.06, noise=0.001)
    ]
    sure = answer(judge(results(*frames)), "C2")
    assert part(sure).by_time.better == part(sure).by_time.total == 432
    unsure = answer(judge(results(*frames, time_spread=0.2)), "C2")
    assert part(unsure).by_time.open == 432
    # Those of PMVR-v2 a second time, in its own part; against the other three it is a tie anyway.
    assert "The spread of the clock leaves 540 of 594 comparisons by time open." in reason(unsure)


def test_the_best_of_a_family_meets_the_best_of_the_others():
    rates = dict.fromkeys(PLAIN + STAGED, 2.0) | dict.fromkeys(FINITE, 1.0) | {"SwPMFS-v1": 3.0}
    found = answer(judge(results(*contest(rates, experiment="E4"))), "C4")
    finite, staged = (one.whole for one in found.parts)
    assert finite.outcome == "does not hold"
    # One of four methods wins, everywhere: three criteria, four measures.
    assert (str(finite.best_rival), str(finite.best_against_best)) == ("12 of 48", "12 of 12")
    assert "the best of them against the best rival in 12 of 12" in reason(found)
    assert "read strictly" in reason(found)
    assert staged.best_against_best is None  # every variant has rivals of its own


def test_methods_without_rivals_are_not_tested():
    found = answer(judge(results(*contest(dict.fromkeys(PLAIN, 2.0)))), "C2")
    assert found.outcome == "not tested"
    assert "E2 has nothing to compare for proposed methods against the rivals" in reason(found)


def test_no_times_leave_the_samples():
    frames = [frame.assign(time=np.nan) for frame in ours_win()]
    found = answer(judge(results(*frames)), "C2")
    assert part(found).outcome == "holds"
    assert found.incomplete
    assert "by time 0 of 0" in reason(found)
    assert "times or samples were not recorded" in reason(found)


def test_industry_10_and_12_do_not_carry_a_verdict_unnoticed():
    frames = ours_win(data="Industry-10") + ours_win(data="Industry-12")
    alone = answer(judge(results(*frames)), "C2")
    assert "are not independent evidence, and there is no other" in reason(alone)
    against = ours_win(by=-2.0, data="Industry-17")
    carried = answer(judge(results(*frames, *against)), "C2")
    assert carried.outcome == "partly"
    assert (
        "Industry-10 and Industry-12 share their optimal assets and are not independent evidence: "
        "on Industry-17 alone, the verdict on proposed methods against the rivals is: does not hold"
    ) in reason(carried)


def test_diverged_runs_are_counted_in_the_reason():
    frames = ours_win()
    frames[-1] = frames[-1].assign(status="diverged")
    found = answer(judge(results(*frames)), "C2")
    assert part(found).outcome == "holds"
    assert f"Runs that diverged: {RIVALS[-1]} 10 of 10." in reason(found)


@pytest.mark.parametrize(
    ("time", "samples", "verdict"),
    [
        (Tally(95, 5, 0), Tally(100, 0, 0), "holds"),
        (Tally(94, 0, 6), Tally(100, 0, 0), "partly"),
        (Tally(0, 100, 0), Tally(100, 0, 0), "partly"),
        (Tally(0, 50, 50), Tally(99, 0, 1), "does not hold"),
        (Tally(0, 0, 0), Tally(0, 0, 0), "not tested"),
        (Tally(0, 0, 0), Tally(10, 0, 0), "holds"),
    ],
)
def test_the_rule(time, samples, verdict):
    assert decide(time, samples) == verdict


def test_claims_combine_their_parts():
    assert combine(["holds", "holds"]) == "holds"
    assert combine(["does not hold", "does not hold"]) == "does not hold"
    assert combine(["holds", "does not hold"]) == combine(["holds", "partly"]) == "partly"
    assert combine(["does not hold", "not tested"]) == combine([]) == "not tested"


def test_the_rule_and_every_verdict_are_printed(won):
    text = verdict_text.page(won)
    assert "holds* if at least 95 % of its comparisons by time" in text
    for verdict in won.verdicts:
        assert f"## {verdict.claim.name}: {verdict.outcome}" in text
        assert reason(verdict) in text
        assert f"{verdict.claim.name} {verdict.outcome}: " in plain(won)


def test_json_is_strict_and_the_same_whatever_the_order_of_rows():
    frames = ours_win()
    frames[0] = frames[0].assign(status="diverged")
    given = results(*frames)
    first = judge(given)
    document = json.loads(first.to_json(), parse_constant=pytest.fail)
    assert document == first.to_records()
    given.traces = given.traces.sample(frac=1, random_state=1)
    second = judge(given)
    assert second.to_json() == first.to_json()
    assert verdict_text.page(second) == verdict_text.page(first)
    assert second.figures.equals(first.figures)


def test_figures_have_the_columns_that_the_report_reads(won):
    columns = "claim experiment data setting horizon criterion measure method rival value"
    columns += " rival_value ratio low high outcome"
    assert set(columns.split()) <= set(won.figures)
    assert set(won.figures["outcome"]) == {"better"}
    inside = won.figures.eval("low <= log10_ratio <= high")
    assert inside.all()


def test_every_pair_is_computed_once_and_all_intervals_in_one_go(monkeypatch):
    calls = {"duels": 0, "intervals": 0}

    def counting(name, function):
        def wrapped(*args):
            calls[name] += 1
            return function(*args)

        return wrapped

    for name, module in (("duels", comparisons), ("intervals", bootstrap)):
        monkeypatch.setattr(module, name, counting(name, getattr(module, name)))
    judge(results(*ours_win(), *contest(dict.fromkeys(VARIANTS, 2.0), experiment="E4")))
    # Four methods meet six rivals, PMVR-v2 three more (E2); 28 + 7 meetings and two more (E4).
    assert calls == {"duels": 27 + 37, "intervals": 1}


@pytest.mark.parametrize("luck", range(6))
def test_ragged_results_are_never_an_error(luck):
    """Cells, seeds, records and values missing at random."""
    random = np.random.default_rng(luck)
    frames = []
    for experiment in ("E1", "E2", "E4", "E5"):
        for name in (*PLAIN, *RIVALS, *FINITE, "PMVR-v1 (separate)", "automatic"):
            if random.random() < 0.7:
                frame = cell(name, random.uniform(1, 3), experiment=experiment, luck=luck)
                frame = frame[random.random(len(frame)) < random.choice([0.02, 0.5, 1.0])]
                noisy = frame["frank_wolfe_gap"].where(random.random(len(frame)) < 0.995)
                frames.append(frame.assign(frank_wolfe_gap=noisy))
    judgement = judge(results(*frames))
    judgement.to_json()
    assert len(verdict_text.page(judgement)) > 1000


def test_no_docstring_is_data():
    """`python -OO` drops docstrings: nothing that is shown may come from one."""
    package = Path(wolfnest_reproduction.__file__).parent
    for path in package.rglob("*.py"):
        assert "__doc__" not in path.read_text(), path.name
        assert "doc(" not in path.read_text(), path.name
