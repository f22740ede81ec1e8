"""Walking forward: against a plain loop, and inside skfolio."""

import cvxpy as cp
import numpy as np
import pandas as pd
import pytest
from holdings import conic
from skfolio import MultiPeriodPortfolio, Population, Portfolio
from skfolio.model_selection import WalkForward, cross_val_predict
from skfolio.optimization import MeanRisk, ObjectiveFunction
from sklearn.model_selection import GridSearchCV

from wolfnest.portfolio import EqualWeighted, PortfolioOptimizer, SkfolioOptimizer, backtest
from wolfnest.portfolio.performance import periods_per_year, summary

TRAIN, TEST = 60, 20
MODEL = PortfolioOptimizer("variance", 20.0, max_weight=0.5, tol=1e-7)


@pytest.fixture(scope="module")
def walked(frame):
    return backtest(frame, {"ours": MODEL, "equal": EqualWeighted()}, train=TRAIN, test=TEST)


def test_weights_come_from_the_rows_before_and_earn_in_those_after(frame, walked):
    values = frame.to_numpy()
    limits = lambda x: [x >= 0, x <= 0.5, cp.sum(x) == 1]
    earned = []
    for start in range(TRAIN, len(values), TEST):
        _, x = conic("variance", values[start - TRAIN : start], limits, risk_aversion=20.0)
        earned.extend(values[start : start + TEST] @ x)
    assert walked.returns["ours"].to_numpy() == pytest.approx(np.array(earned), abs=2e-4)
    assert walked.returns["equal"].to_numpy() == pytest.approx(values[TRAIN:].mean(1))
    assert walked.returns.index.equals(frame.index[TRAIN:])
    assert walked.weights["ours"].shape == (3, 5)
    assert walked.turnover["equal"].tolist() == pytest.approx([1, 0, 0])
    change = walked.weights["ours"].diff().abs().sum(axis=1).iloc[1:]
    assert walked.turnover["ours"].iloc[1:].tolist() == pytest.approx(change.tolist())
    assert walked.growth()["equal"].iloc[-1] == pytest.approx(np.prod(1 + values[TRAIN:].mean(1)))


def test_no_window_sees_what_comes_after_it(frame, walked):
    changed = frame.copy()
    changed.iloc[-TEST:] = changed.iloc[-TEST:].to_numpy()[::-1] * -2
    again = backtest(changed, {"ours": MODEL}, train=TRAIN, test=TEST)
    assert again.weights["ours"].equals(walked.weights["ours"])


def test_costs_are_charged_for_what_is_traded(frame, walked):
    charged = backtest(frame, {"ours": MODEL}, train=TRAIN, test=TEST, costs=0.01)
    paid = (walked.returns["ours"] - charged.returns["ours"]).to_numpy().reshape(-1, TEST)
    assert paid[:, 0] == pytest.approx(0.01 * walked.turnover["ours"].to_numpy())
    assert paid[:, 1:] == pytest.approx(0)


def test_strategies_are_told_what_they_held(frame):
    near = PortfolioOptimizer("variance", 20.0, max_turnover=0.05)
    found = backtest(frame, {"near": near}, train=TRAIN, test=TEST)
    assert np.all(found.turnover["near"].iloc[1:] <= 0.05 + 1e-6)
    assert found.turnover["near"].iloc[0] == pytest.approx(1)


def test_a_benchmark_is_followed_window_by_window(frame):
    index = frame.to_numpy() @ np.array([0.4, 0.3, 0.3, 0.0, 0.0])
    near = PortfolioOptimizer("tracking-error", np.inf, tol=1e-6)
    found = backtest(frame, {"near": near}, train=TRAIN, test=TEST, benchmark=index)
    assert found.weights["near"].to_numpy() == pytest.approx(
        np.tile([0.4, 0.3, 0.3, 0.0, 0.0], (3, 1)), abs=0.03
    )


def test_windows_must_leave_something_to_test(frame):
    with pytest.raises(ValueError, match="train must be less than the 120 rows"):
        backtest(frame, {"equal": EqualWeighted()}, train=120, test=5)
    with pytest.raises(ValueError, match=r"sorted by date, got 2021-01-04 in row 1"):
        backtest(frame.iloc[[1, 0, 2]], {"equal": EqualWeighted()}, train=2, test=1)


# ---- skfolio ---------------------------------------------------------------------------------


def test_skfolio_walks_forward_with_it(frame, walked):
    cv = WalkForward(train_size=TRAIN, test_size=TEST)
    found = cross_val_predict(SkfolioOptimizer(MODEL), frame, cv=cv)
    assert isinstance(found, MultiPeriodPortfolio)
    assert len(found.portfolios) == 3
    assert all(isinstance(one, Portfolio) for one in found.portfolios)
    assert found.returns == pytest.approx(walked.returns["ours"].to_numpy())
    held = np.array([one.weights for one in found.portfolios])
    assert held == pytest.approx(walked.weights["ours"].to_numpy())


def test_its_portfolio_is_that_of_skfolio(frame):
    model = SkfolioOptimizer(PortfolioOptimizer("variance", 10.0, tol=1e-8)).fit(frame)
    theirs = MeanRisk(
        objective_function=ObjectiveFunction.MAXIMIZE_UTILITY, risk_aversion=10.0
    ).fit(frame)
    ours, other = model.predict(frame), theirs.predict(frame)
    assert isinstance(ours, Portfolio)
    assert list(ours.assets) == list(frame.columns)
    utility = lambda one: one.mean - 10.0 * one.variance
    # Their variance has T - 1 below, ours T.
    assert utility(ours) == pytest.approx(utility(other), rel=2e-3)
    assert model.score(frame) == pytest.approx(ours.sharpe_ratio)
    assert isinstance(Population([ours, other]).summary(), pd.DataFrame)


def test_skfolio_passes_weights_on_where_there_is_a_turnover_limit(frame):
    near = SkfolioOptimizer(PortfolioOptimizer("variance", 20.0, max_turnover=0.05))
    assert near.needs_previous_weights
    found = cross_val_predict(near, frame, cv=WalkForward(train_size=TRAIN, test_size=TEST))
    held = np.array([one.weights for one in found.portfolios])
    assert np.all(np.abs(np.diff(held, axis=0)).sum(1) <= 0.05 + 1e-6)
    assert not SkfolioOptimizer(MODEL).needs_previous_weights
    assert SkfolioOptimizer(PortfolioOptimizer(transaction_costs=0.001)).needs_previous_weights


def test_parameters_inside_are_searched(frame):
    search = GridSearchCV(
        SkfolioOptimizer(PortfolioOptimizer("variance")),
        {"optimizer__risk_aversion": [1.0, 50.0]},
        cv=WalkForward(train_size=TRAIN, test_size=TEST),
    ).fit(frame)
    assert search.best_params_["optimizer__risk_aversion"] in (1.0, 50.0)


def test_a_failed_fit_falls_back_as_skfolio_has_it(frame):
    impossible = SkfolioOptimizer(
        PortfolioOptimizer(max_weight=0.01), fallback="previous_weights", previous_weights=0.2
    )
    assert impossible.fit(frame).weights_ == pytest.approx(np.full(5, 0.2))


# ---- figures of merit ------------------------------------------------------------------------


def test_figures_of_merit_by_hand():
    returns = np.array([0.02, -0.01, 0.03, -0.04, 0.01] * 8)
    found = summary(returns, per_year=252)
    wealth, peak, fall = 1.0, 1.0, 0.0
    for r in returns:
        wealth *= 1 + r
        peak = max(peak, wealth)
        fall = max(fall, 1 - wealth / peak)
    assert found["drawdown"] == pytest.approx(fall)
    assert found["growth"] == pytest.approx(wealth - 1)
    assert found["mean"] == pytest.approx(252 * returns.mean())
    assert found["deviation"] == pytest.approx(np.sqrt(252) * returns.std(ddof=1))
    assert found["tail"] == pytest.approx(-0.04)


@pytest.mark.parametrize(
    ("freq", "count"), [("B", 252), ("W", 52), ("ME", 12), ("QE", 4), ("YE", 1)]
)
def test_the_distance_of_dates_says_how_many_make_a_year(freq, count):
    assert periods_per_year(pd.date_range("2020-01-01", periods=30, freq=freq)) == count
