"""What decides a claim: the explanation names the circumstance that was built in."""

import pytest
from claim_frames import FINITE, PLAIN, RIVALS, STAGED, answer, contest, ours_win, results

from wolfnest_reproduction.judge.curves import Group
from wolfnest_reproduction.judge.judgement import judge
from wolfnest_reproduction.show.sentences import explanation

OURS = "proposed methods against the rivals"


def level(verdict, factor, name):
    return str(factors(verdict)[factor].levels[name])


def factors(verdict, part=OURS):
    (found,) = [one.factors for one in verdict.parts if one.name == part]
    return {factor.name: factor for factor in found}


def test_the_horizon():
    found = answer(judge(results(*ours_win(horizon=400), *ours_win(by=-2.0, horizon=4000))), "C2")
    assert found.outcome == "partly"
    assert level(found, "horizon", "at horizon 400") == "288 of 288"
    assert "at horizon 400 in 288 of 288, at horizon 4,000 in 0 of 288" in explanation(found)
    assert "What changes the share most is horizon (100%)." in explanation(found)


def test_the_setting():
    found = answer(
        judge(results(*ours_win(setting="λ=1"), *ours_win(by=-2.0, setting="λ=0.2"))), "C2"
    )
    assert "with λ=0.2 in 0 of 288, with λ=1 in 288 of 288" in explanation(found)
    assert "What changes the share most is setting (100%)." in explanation(found)


def test_separate_batches_at_equal_samples_in_the_same_comparisons():
    rates = dict.fromkeys(PLAIN, 1.0) | dict.fromkeys(RIVALS, 2.0)
    separate = {f"{name} (separate)": 3.0 for name in PLAIN[:2]}
    judgement = judge(results(*contest(rates), *contest(separate)))
    found = answer(judgement, "C2")
    assert found.outcome == "does not hold"
    # Two of the four methods, six rivals, three criteria, two measures.
    assert level(found, "gradient batches", "with shared batches") == "0 of 72"
    assert level(found, "gradient batches", "with separate batches") == "72 of 72"
    assert "What changes the share most is gradient batches (100%)." in explanation(found)
    figures = judgement.figures
    apart = figures["method"].str.endswith("(separate)")
    assert not figures.loc[apart, "counted"].any()
    assert {
        (row.method, row.rival)
        for row in figures[apart & (figures["part"] == "PMVR-v2 against all others")].itertuples()
        if row.rival.startswith("P")
    } == {("PMVR-v2 (separate)", name) for name in ("PMVR-v1 (separate)", "PMM-v1", "PMM-v2")}


@pytest.mark.parametrize("flat", [False, True])
def test_settings_at_the_edge_of_their_grid_count_against_the_same_methods_on_other_data(flat):
    rates = dict.fromkeys(PLAIN, 3.0) | dict.fromkeys(RIVALS, 2.0)
    group = Group("E2", "Industry-17", "λ=1", 400)
    frames = contest(rates | {"PMM-v1": 1.0}) + contest(rates, data="Industry-10")
    frames += contest(rates | {"PMM-v2": 1.0}, data="Industry-12")
    given = results(*frames, edges=[(group, "PMM-v1")])
    if flat:
        tuning = given.cells.pop("tuning")
        given.cells["tuning.at_edge"] = [entry["at_edge"] for entry in tuning]
    found = answer(judge(given), "C2")
    edge = "with a setting at the edge of its grid"
    # PMM-v1 alone, against six rivals with three criteria and four measures: Industry-17 with
    # each of the two others. PMM-v2, which also fails, is inside its grid everywhere.
    assert level(found, "tuned settings", edge) == "0 of 144"
    assert level(found, "tuned settings", "with all settings inside their grids") == "144 of 144"
    assert f"{edge} in 0 of 144" in explanation(found)


def test_an_edge_that_only_other_methods_have_is_no_factor():
    rates = dict.fromkeys(PLAIN, 3.0) | dict.fromkeys(RIVALS, 2.0) | {"PMM-v1": 1.0}
    edges = [(Group("E2", "Industry-17", "λ=1", 400), "PMM-v1")]
    found = answer(judge(results(*contest(rates), edges=edges)), "C2")
    assert "tuned settings" not in factors(found)
    assert "The weakest method is PMM-v1 (0 of 72)" in explanation(found)


def test_factors_that_change_together_are_told_apart_or_left_out():
    # λ=0.2 exists at the short horizon only, where everything is lost; λ=1 is won at the long one.
    frames = [
        *ours_win(by=-2.0, horizon=400),
        *ours_win(horizon=4000),
        *ours_win(by=-2.0, horizon=400, setting="λ=0.2"),
    ]
    found = answer(judge(results(*frames)), "C2")
    assert level(found, "setting", "with λ=1") == level(found, "setting", "with λ=0.2")
    assert level(found, "setting", "with λ=1") == "0 of 288"
    assert level(found, "horizon", "at horizon 4,000") == "288 of 288"
    # In E1 every size has its own horizon: neither can be told from the other.
    frames = ours_win(experiment="E1", data="20 x 20", horizon=400)
    frames += ours_win(by=-2.0, experiment="E1", data="100 x 100", horizon=100)
    found = answer(judge(results(*frames)), "C1")
    assert set(factors(found)) == {
        *("time or samples", "end or course", "criterion", "method", "rival")
    }
    assert "horizon" not in explanation(found)


def test_methods_with_other_rivals_are_not_compared_with_each_other():
    rates = {"PMVR-v1": 3.0, "PMVR-v2": 1.0, "PMM-v1": 2.0, "PMM-v2": 2.0}
    found = answer(judge(results(*contest(rates, experiment="E4"))), "C5")
    assert not any({"method", "rival"} & set(factors(found, one.name)) for one in found.parts)


def test_where_nothing_decides_it_says_so():
    rates = dict.fromkeys(PLAIN, 3.0) | dict.fromkeys(RIVALS, 2.0) | {"SMVR": 4.0, "NLASG": 1.0}
    found = answer(judge(results(*contest(rates))), "C2")
    assert found.outcome == "partly"
    assert "None of these changes the share by 10% or more." in explanation(found)
    assert "The hardest rival is SMVR (0 of 48), the easiest" in explanation(found)
    assert "weakest method" not in explanation(found)  # all four have the same count


def test_cells_may_be_missing():
    given = results(*ours_win(by=-2.0))
    given.cells = None
    assert answer(judge(given), "C2").outcome == "does not hold"


def test_pairs_where_every_method_has_rivals_of_its_own():
    rates = dict.fromkeys(PLAIN, 2.0) | dict.fromkeys((*STAGED, *FINITE), 3.0)
    variants = rates | {"SwPMFS-v1": 4.0, "SwPMFS-v2": 1.0}
    found = answer(judge(results(*contest(variants, experiment="E4"))), "C4")
    staged = "stage-wise variants against their plain counterparts"
    pairs = {name: str(tally) for name, tally in factors(found, staged)["pair"].levels.items()}
    assert len(pairs) == 7
    assert pairs.pop("SwPMFS-v2 against PMFS-v2") == "0 of 12"
    assert set(pairs.values()) == {"12 of 12"}
    assert "The weakest pair is SwPMFS-v2 against PMFS-v2 (0 of 12)" in explanation(found)
    assert not [
        one for one in found.parts if one.name != staged and "pair" in factors(found, one.name)
    ]
