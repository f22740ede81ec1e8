"""Fitted weights against conic solvers: the objective that was asked for, exactly."""

import cvxpy as cp
import numpy as np
import pytest
from holdings import best_subset, conic, returns_frame
from sklearn.exceptions import ConvergenceWarning

from wolfnest.portfolio import PortfolioOptimizer, contributions
from wolfnest.problems import risk

ROWS, ASSETS = 150, 6
HELD = np.array([0.4, 0.3, 0.2, 0.1, 0.0, 0.0])
TECH = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])

LIMITS = {
    "simplex": ({}, lambda x: [x >= 0, cp.sum(x) == 1]),
    "caps": ({"max_weight": 0.3}, lambda x: [x >= 0, x <= 0.3, cp.sum(x) == 1]),
    "groups": (
        {"groups": ["t"] * 3 + ["e"] * 3, "group_caps": {"t": 0.4}},
        lambda x: [x >= 0, cp.sum(x) == 1, TECH @ x <= 0.4],
    ),
    "130/30": (
        {"long_only": False, "gross": 1.6, "max_weight": 0.6},
        lambda x: [cp.sum(x) == 1, cp.norm1(x) <= 1.6, x <= 0.6, x >= -0.6],
    ),
    "turnover": (
        {"previous_weights": HELD, "max_turnover": 0.5},
        lambda x: [x >= 0, cp.sum(x) == 1, cp.norm1(x - HELD) <= 0.5],
    ),
    "turnover and groups": (
        {
            "previous_weights": HELD, "max_turnover": 0.9, "groups": ["t"] * 3 + ["e"] * 3,
            "group_caps": {"t": 0.6},
        },
        lambda x: [x >= 0, cp.sum(x) == 1, cp.norm1(x - HELD) <= 0.9, TECH @ x <= 0.6],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def returns():
    return returns_frame(ROWS, ASSETS, seed=3).to_numpy()


def objective(model):
    return -model.mean_ + model.risk_aversion * model.risk_


@pytest.mark.parametrize("limits", LIMITS)
def test_the_objective_is_the_least_within_the_limits(returns, limits):
    given, constraints = LIMITS[limits]
    model = PortfolioOptimizer("semideviation", 1.0, tol=1e-6, **given).fit(returns)
    best, _ = conic("semideviation", returns, constraints)
    allowed = float(model.certificate_.bound) + 2 * model.smoothing_
    assert -1e-8 <= objective(model) - best <= allowed + 1e-8
    assert objective(model) - best <= 1e-3 * abs(best)
    assert float(model.certificate_.bound) <= 1e-5 * abs(best)
    x = cp.Variable(ASSETS)
    x.value = np.asarray(model.weights_)
    assert max(np.max(c.violation()) for c in constraints(x)) < 1e-6


@pytest.mark.parametrize("name", ["variance", "deviation", "absolute-deviation", "cvar"])
def test_every_measure_both_know_agrees(returns, name):
    constraints = LIMITS["caps"][1]
    model = PortfolioOptimizer(name, 1.0, max_weight=0.3, tol=1e-6).fit(returns)
    best, _ = conic(name, returns, constraints)
    allowed = float(model.certificate_.bound) + 2 * model.smoothing_
    assert -1e-8 <= objective(model) - best <= allowed + 1e-8
    assert objective(model) - best <= 1e-3 * abs(best)
    assert objective(model) - best <= model.exact_gap_ + 1e-8
    assert model.exact_gap_ <= float(model.certificate_.bound) + model.smoothing_ + 1e-8


def test_infinite_risk_aversion_is_the_least_risk(returns):
    model = PortfolioOptimizer("variance", np.inf, tol=1e-6).fit(returns)
    best, _ = conic("variance", returns, LIMITS["simplex"][1], reward=0.0)
    assert model.risk_ == pytest.approx(best, rel=1e-4)
    assert float(model.certificate_.value) == pytest.approx(model.risk_, rel=1e-6)


def test_costs_hold_weights_where_they_are(returns):
    cost = 0.002
    model = PortfolioOptimizer(
        "deviation", 1.0, previous_weights=HELD, transaction_costs=cost, tol=1e-6
    ).fit(returns)
    free, _ = conic("deviation", returns, LIMITS["simplex"][1])
    best, _x = conic(
        "deviation", returns, LIMITS["simplex"][1], cost=lambda x: cost * cp.norm1(x - HELD)
    )
    paid = cost * np.abs(model.weights_ - HELD).sum()
    allowed = float(model.certificate_.bound) + 2 * model.smoothing_
    assert -1e-8 <= objective(model) + paid - best <= allowed
    assert paid > 0
    assert np.abs(model.weights_ - HELD).sum() < np.abs(HELD - 1 / ASSETS).sum() + 1
    assert best > free


def test_costs_are_spread_over_the_time_that_weights_are_held(returns):
    given = {"previous_weights": HELD, "tol": 1e-7}
    year = PortfolioOptimizer(transaction_costs=0.5, holding_periods=250, **given).fit(returns)
    period = PortfolioOptimizer(transaction_costs=0.002, **given).fit(returns)
    assert year.weights_ == pytest.approx(period.weights_, abs=1e-9)


def test_scenario_weights_are_repeated_rows(returns):
    counts = np.random.default_rng(0).integers(1, 4, ROWS)
    weighted = PortfolioOptimizer("cvar", 1.0, tol=1e-7).fit(returns, scenario_weights=counts)
    repeated = PortfolioOptimizer("cvar", 1.0, tol=1e-7).fit(np.repeat(returns, counts, axis=0))
    assert weighted.risk_ == pytest.approx(repeated.risk_, rel=1e-4)
    assert weighted.mean_ == pytest.approx(repeated.mean_, rel=2e-2)


def test_a_cardinality_is_kept_and_its_bound_holds(returns):
    model = PortfolioOptimizer("semideviation", 1.0, cardinality=2, max_weight=0.7, tol=1e-6)
    model.fit(returns)
    assert np.sum(np.abs(model.weights_) > 0) <= 2
    best = best_subset("semideviation", returns, 2, 0.7)
    bound = model.certificate_
    assert objective(model) >= best - 1e-8
    assert float(bound.lower) <= best + 1e-8
    assert objective(model) - best <= float(bound.bound) + model.smoothing_
    assert objective(model) - best <= model.exact_gap_ + 1e-8
    all_of_them = PortfolioOptimizer("semideviation", 1.0, max_weight=0.7, tol=1e-6).fit(returns)
    assert float(bound.lower) <= objective(all_of_them) + model.smoothing_


def test_positions_without_a_budget_keep_to_the_k_sparse_polytope(returns):
    model = PortfolioOptimizer(
        "deviation", 0.1, long_only=False, net=None, cardinality=2, max_weight=0.25
    ).fit(returns)
    assert np.sum(model.weights_ != 0) <= 2
    assert np.max(np.abs(model.weights_)) <= 0.25 + 1e-9


def test_steps_that_do_not_suffice_are_warned_of(returns):
    model = PortfolioOptimizer("deviation", 1.0, tol=1e-12, max_steps=2)
    with pytest.warns(ConvergenceWarning, match="did not reach tol=1e-12 after 2 steps"):
        model.fit(returns)


# ---- shares of risk --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["variance", "deviation", "semideviation", "cvar"])
def test_shares_of_risk_are_those_of_differences(returns, name):
    x, step = np.array([0.3, 0.25, 0.2, 0.15, 0.1, 0.0]), 1e-5
    shares = contributions(returns, x, name)
    slopes = [
        (risk.evaluate(name, returns, x + step * e) - risk.evaluate(name, returns, x - step * e))
        / (2 * step)
        for e in np.eye(ASSETS)
    ]
    parts = x * np.array(slopes)
    assert shares.sum() == pytest.approx(1)
    # A smoothed CVaR counts a few scenarios near the threshold by part.
    assert shares == pytest.approx(parts / parts.sum(), abs=0.05 if name == "cvar" else 1e-3)
    if name != "variance":
        assert parts.sum() == pytest.approx(risk.evaluate(name, returns, x), rel=1e-4)


def test_shares_are_about_the_mean_where_gains_outweigh_the_risk(returns):
    x = np.full(ASSETS, 1 / ASSETS)
    assert risk.evaluate("entropic", returns, x, theta=1.0) < 0
    # For a small θ the entropic risk is θ/2 times the variance, less the mean.
    shares = contributions(returns, x, "entropic", settings={"theta": 1.0})
    assert shares == pytest.approx(contributions(returns, x, "variance"), abs=0.02)
    assert shares.sum() == pytest.approx(1)
