"""Conic models: those of every measure, against independent ones and against the measure itself."""

import numpy as np
import pytest

import reference_risk as ref
import wolfnest as wn
from wolfnest.datasets import DataError
from wolfnest.interop import conic
from wolfnest.problems import risk

DAYS, ASSETS = 120, 4
RNG = np.random.default_rng(5)
COMMON = RNG.standard_t(5, (DAYS, 1))
RETURNS = 0.1 + 0.6 * COMMON + RNG.standard_t(5, (DAYS, ASSETS)) * np.array([0.8, 0.4, 1.0, 1.6])
INDEX = RETURNS @ np.array([0.1, 0.2, 0.3, 0.4]) + 0.3 * RNG.normal(size=DAYS)
P = np.full(DAYS, 1 / DAYS)
CASES = (
    ("variance", {}),
    ("deviation", {}),
    ("semideviation", {"order": 1}),
    ("semideviation", {"order": 2}),
    ("semideviation", {"order": 3}),
    ("absolute-deviation", {}),
    ("cvar", {"level": 0.8}),
    ("entropic", {"theta": 0.7}),
    ("evar", {"level": 0.8}),
    ("expectile", {"level": 0.8}),
    ("kl-robust", {"radius": 0.3}),
    ("chi2-robust", {"radius": 0.5}),
    ("log-utility", {"unit": 100.0}),
    ("tracking-error", {"benchmark": INDEX}),
)

pytest.importorskip("cvxpy")


def solved(model):
    value = model.program.solve(solver="CLARABEL")
    return value, np.maximum(model.weights.value, 0) / np.maximum(model.weights.value, 0).sum()


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_a_model_has_the_exact_minimum_of_its_measure(name, settings):
    value, weights = solved(conic.measured(name, RETURNS, 1.5, **settings))
    assert value == pytest.approx(ref.conic_minimum(name, RETURNS, P, settings, 1.5), abs=1e-6)
    rho = risk.evaluate(name, RETURNS, weights, **settings)
    assert value == pytest.approx(1.5 * rho - RETURNS.mean(0) @ weights, abs=1e-5)


def test_every_measure_has_a_model():
    assert tuple(conic.MEASURES) == risk.names()


@pytest.mark.parametrize("kind", ["mean_variance", "mean_deviation"])
def test_the_paper_s_problems_have_theirs(kind):
    best = wn.problems.minimum(getattr(wn.problems, kind)(RETURNS, risk=0.7), tol=1e-10)
    value, weights = solved(getattr(conic, kind)(RETURNS, risk=0.7))
    assert value == pytest.approx(best.value, abs=1e-6)
    assert weights == pytest.approx(np.asarray(best.x), abs=1e-3)


def test_further_constraints_can_be_added():
    cvxpy = pytest.importorskip("cvxpy")
    model = conic.measured("cvar", RETURNS)
    rules = [*model.constraints, model.weights <= 0.3]
    cvxpy.Problem(cvxpy.Minimize(model.objective), rules).solve(solver="CLARABEL")
    assert max(model.weights.value) <= 0.3 + 1e-6


def test_settings_and_tables_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="has no setting 'order'"):
        conic.measured("cvar", RETURNS, order=2)
    with pytest.raises(ValueError, match="risk measure"):
        conic.measured("sharpe", RETURNS)
    with pytest.raises(DataError, match="two rows"):
        conic.mean_variance(RETURNS[0])
    with pytest.raises(DataError, match="everything is lost"):
        conic.measured("log-utility", RETURNS)


def test_without_cvxpy_it_says_what_to_install(monkeypatch):
    def missing(name):
        raise ImportError(f"no module {name}")

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(ImportError, match=r"conic model needs cvxpy.*wolfnest\[conic\]"):
        conic.mean_variance(RETURNS)
