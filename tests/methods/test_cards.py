"""The table of methods: complete, in agreement with the code, readable."""

import builtins
import fnmatch
import math
import re

import jax
import jax.numpy as jnp
import pytest

import problems
import wolfnest as wn
from wolfnest.methods.cards import CARDS
from wolfnest.methods.meanings import SETTINGS, meaning
from wolfnest.methods.method_table import COLUMNS

NAMES = wn.methods.names()
PAIRS = [f"{name}.{setting}" for name in NAMES for setting in wn.methods.settings(name)]


def solver(name):
    """The method with default settings; where epochs can start from samples, they do."""
    sampled = {"large_batch": 8} if "large_batch" in wn.methods.settings(name) else {}
    return wn.method(name, **sampled)


def quadratic(x, r):
    return (r @ x) ** 2


def one_level(domain=None, **samples):
    level = wn.Level(quadratic, **(samples or {"data": problems.returns()}))
    return wn.Problem([level], domain or wn.sets.Simplex(problems.DIM))


def vertex(d):
    return jax.nn.one_hot(jnp.argmin(d), problems.DIM, dtype=d.dtype)


# ---- the cards against the code --------------------------------------------------------------


def test_every_method_has_a_card_and_every_card_a_method():
    assert tuple(CARDS) == NAMES
    assert all(card.name == name for name, card in CARDS.items())


@pytest.mark.parametrize("name", NAMES)
class TestACardAgreesWithTheCode:
    def test_on_plain_problems_the_method_runs(self, name):
        assert solver(name).supports(one_level()) is None

    def test_on_levels(self, name):
        nested = solver(name).supports(problems.portfolio()) is None
        assert CARDS[name].levels == ("K" if nested else "1")

    def test_on_projections(self, name):
        # SCGS asks for the diameter, no method for more than that.
        oracle = wn.sets.FromOracle(vertex, jnp.ones(problems.DIM) / problems.DIM, diameter=2**0.5)
        assert CARDS[name].projection_free == (solver(name).supports(one_level(oracle)) is None)

    def test_on_finite_sums(self, name):
        endless = one_level(sample=problems.draw_normal_rows)
        assert CARDS[name].finite_sum == (solver(name).supports(endless) is not None)
        if not CARDS[name].finite_sum:
            needs_a_large_batch = wn.method(name).supports(endless) is not None
            assert needs_a_large_batch == ("large_batch" in CARDS[name].batch)

    def test_on_the_parts_that_it_names(self, name):
        built, card = wn.method(name), CARDS[name]
        projects = "Projected" in type(built.direction).__name__
        assert projects == card.step.startswith("projection") == (not card.projection_free)
        assert ("stage-wise" in card.step) == isinstance(built.schedule, wn.schedules.Stagewise)


# Theorem and regime: the method, the powers of 1/ε in SFO and LMO, those of m, and what the card
# says. The presets are the paper's theorems: costs must grow as the cards claim.
PROVED = {
    (1, "constant"): ("PMVR-v1", 3, 3, 0, 0, "SFO ε⁻³, LMO ε⁻³ (batch 1)"),
    (1, "large"): ("PMVR-v1", 3, 2, 0, 0, "SFO ε⁻³, LMO ε⁻² (batch ε⁻¹)"),
    (2, "constant"): ("SwPMVR-v1", 3, 3, 0, 0, "SFO ε⁻³, LMO ε⁻³ (batch 1)"),
    (2, "large"): ("SwPMVR-v1", 3, 2, 0, 0, "SFO ε⁻³, LMO ε⁻² (batch ε⁻¹)"),
    (3, "constant"): ("PMVR-v2", 1.5, 2.5, 0, 0, "SFO ε^-1.5, LMO ε^-2.5 (batch 1)"),
    (3, "large"): ("PMVR-v2", 1.5, 2, 0, 0, "SFO ε^-1.5, LMO ε⁻² (batch ε^-0.5)"),
    (4, "large"): ("PMM-v1", 4, 2, 0, 0, "SFO ε⁻⁴, LMO ε⁻² (batch ε⁻²)"),
    (5, "large"): ("PMM-v2", 2, 2, 0, 0, "SFO ε⁻², LMO ε⁻² (batch ε⁻¹)"),
    (6, "constant"): ("SwPMVR-v1", 2, 2, 0, 0, "SFO ε⁻², LMO ε⁻² (batch 1)"),
    (6, "large"): ("SwPMVR-v1", 2, 1, 0, 0, "SFO ε⁻², LMO ε⁻¹ (batch ε⁻¹)"),
    (7, "constant"): ("SwPMVR-v2", 1, 2, 0, 0, "SFO λ⁻¹ε⁻¹, LMO ε⁻² (batch 1)"),
    (7, "large"): ("SwPMVR-v2", 1, 1, 0, 0, "SFO λ⁻¹ε⁻¹, LMO ε⁻¹ (batch ε⁻¹)"),
    (8, "constant"): ("PMFS-v1", 2, 2, 0.5, 0.5, "SFO √m ε⁻², LMO √m ε⁻² (batch 1)"),
    (8, "large"): ("PMFS-v1", 2, 2, 0.5, 0, "SFO √m ε⁻², LMO ε⁻² (batch √m)"),
    (9, "constant"): ("PMFS-v2", 1, 2, 0.5, 0.5, "SFO √m ε⁻¹, LMO √m ε⁻² (batch 1)"),
    (9, "large"): ("PMFS-v2", 1, 2, 0.5, 0, "SFO √m ε⁻¹, LMO ε⁻² (batch √m)"),
    (10, "constant"): ("SwPMFS-v1", 1, 1, 0.5, 0.5, "SFO √m ε⁻¹, LMO √m ε⁻¹ (batch 1)"),
    (10, "large"): ("SwPMFS-v1", 1, 1, 0.5, 0, "SFO √m ε⁻¹, LMO ε⁻¹ (batch √m)"),
    (11, "constant"): ("SwPMFS-v2", 0, 1, 0.5, 0.5, "SFO √m λ⁻¹, LMO √m ε⁻¹ (batch 1)"),
    (11, "large"): ("SwPMFS-v2", 0, 1, 0.5, 0, "SFO √m λ⁻¹, LMO λ ε⁻¹ (batch √m/λ)"),
}


def costs(number, regime, eps, m):
    """Samples of a level and oracle calls of a theorem's run, without its exact passes."""
    preset, steps = wn.theory.theorem(number, eps, regime, m=m, strong_convexity=0.5)
    stages = preset.schedule.stages(steps)
    samples = sum(stage.steps * stage.batch for stage in stages)
    return preset.name, samples, sum(stage.steps * stage.inner for stage in stages)


@pytest.mark.parametrize(("number", "regime"), PROVED)
def test_rates_are_those_of_the_theorems(number, regime):
    method, *powers, text = PROVED[number, regime]
    coarse, fine, longer = 2.0**-8, 2.0**-14, 2**20
    name, *base = costs(number, regime, coarse, 2**12)
    assert name == method
    assert text in re.split("; |: |\n", CARDS[name].rate)
    for found, changed, step in (
        (costs(number, regime, fine, 2**12)[1:], powers[:2], 6),
        (costs(number, regime, coarse, longer)[1:], powers[2:], 8),
    ):
        slopes = [math.log2(b / a) / step for a, b in zip(base, found, strict=True)]
        # Logarithms and a last stage that is cut count as slopes of up to about 0.15.
        assert slopes == pytest.approx(changed, abs=0.2)


def test_only_three_methods_are_reconstructed():
    made = {name for name, card in CARDS.items() if card.equations == "reconstructed"}
    assert made == {"A-TSCGD", "Nested-SPIDER", "NCGS"}


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_a_card_is_filled_in_as_told(card):
    assert re.fullmatch(r'[^"]+, "[^"]+", \d{4}', card.reference)
    assert all(value != "" for value in card.as_dict().values())
    for line in card.rate.splitlines():  # every rate says what it is a rate of
        assert re.match(r"[^:;]+ ≤ ε(, times log ε⁻¹)?: SFO ", line)
    assert all(len(line) <= 78 for line in card.summary.splitlines())
    assert len(card.summary.splitlines()) <= 3


# ---- settings --------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", PAIRS)
def test_every_setting_is_explained(pair):
    assert meaning(*pair.rsplit(".", 1))


@pytest.mark.parametrize("number", range(len(SETTINGS)), ids=list(SETTINGS))
def test_no_explanation_is_left_over(number):
    before, pattern = list(SETTINGS)[:number], list(SETTINGS)[number]
    matched = fnmatch.filter(PAIRS, pattern)
    assert any(not any(fnmatch.fnmatchcase(pair, old) for old in before) for pair in matched)


@pytest.mark.parametrize("pair", PAIRS)
def test_explanations_of_none_are_there_where_none_is_the_default(pair):
    name, setting = pair.rsplit(".", 1)
    optional = wn.methods.settings(name)[setting] is None
    text = meaning(name, setting)
    assert not optional or re.search("None:|not used|in place of", text)


# ---- the table -------------------------------------------------------------------------------


def test_the_table_is_a_sequence_that_does_not_change():
    table = wn.methods.table()
    assert len(table) == len(NAMES)
    assert table[0] == CARDS["PMVR-v1"]
    assert table[-1] in table
    assert type(table[:3]) is type(table)
    assert [card.name for card in table[1:3]] == list(NAMES[1:3])
    assert table == wn.methods.table()
    assert hash(table) == hash(wn.methods.table())
    with pytest.raises(AttributeError):
        table.cards = ()


def test_the_table_prints_all_columns_and_all_methods():
    text = str(wn.methods.table())
    assert text == repr(wn.methods.table())
    head, body = text.split("───", 1)
    for name in COLUMNS:
        assert all(word in head for word in re.split("[- ]", name))
    assert re.findall(r"^(\S+) +[K1] ", body, re.M) == list(NAMES)
    assert all(line == line.rstrip() for line in text.splitlines())


def test_the_table_is_html_where_html_is_asked_for():
    text = wn.methods.table()._repr_html_()
    assert text.count("<tr>") == len(NAMES) + 1
    assert text.count("<td>") == len(NAMES) * len(COLUMNS)
    assert "Frank-Wolfe gap ≤ ε:<br>  SFO ε⁻³, LMO ε⁻³ (batch 1)<br>" in text
    assert "<" not in re.sub('</?(table|thead|tbody|tr|th|td)( scope="col")?>|<br>', "", text)


def test_the_table_is_a_frame_with_pandas():
    pytest.importorskip("pandas")
    frame = wn.methods.table().to_frame()
    assert list(frame.columns) == list(CARDS["FW"].as_dict())
    assert list(frame["name"]) == list(NAMES)


def test_without_pandas_the_frame_says_what_to_do(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install pandas"):
        wn.methods.table().to_frame()


# ---- one method ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_description_says_everything(name):
    text = wn.methods.describe(name)
    flat, card = " ".join(text.split()), CARDS[name]
    assert text.startswith(f"{name}\n")
    assert card.reference in flat
    assert all(line in text for line in card.summary.splitlines())
    assert f"equations {card.equations} " in flat
    for setting, default in wn.methods.settings(name).items():
        assert f"  {setting} = {default!r} " in text
        assert " ".join(meaning(name, setting).split()) in flat
    assert max(map(len, text.splitlines())) <= 80


def test_a_description_takes_names_as_method_does():
    assert wn.methods.describe("stage-wise pmm-v1") == wn.methods.describe("SwPMM-v1")
    with pytest.raises(ValueError, match="unknown method 'nothing'; known are PMVR-v1"):
        wn.methods.describe("nothing")
