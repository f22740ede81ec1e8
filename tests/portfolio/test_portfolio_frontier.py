"""The frontier against single fits, and that it is compiled once."""

import numpy as np
import pytest
from holdings import conic, returns_frame

import wolfnest as wn
from wolfnest.portfolio import Constraints, PortfolioOptimizer, efficient_frontier, frontier

LAMBDAS = (0.02, 0.1, 0.5, 2.0)


@pytest.fixture(scope="module")
def returns():
    return returns_frame(150, 6, seed=5)


@pytest.mark.parametrize("name", ["variance", "semideviation", "cvar"])
def test_every_point_is_the_best_for_its_lambda(returns, name):
    import cvxpy as cp

    found = frontier(returns, name, LAMBDAS, tol=1e-5)
    limits = lambda x: [x >= 0, cp.sum(x) == 1]
    for i, value in enumerate(LAMBDAS):
        best, _ = conic(name, returns.to_numpy(), limits, risk_aversion=value)
        error = wn.problems.risk.error_bound(name, returns, risk=value)
        objective = -found.mean[i] + value * found.risk[i]
        assert -1e-8 <= objective - best <= found.gap[i] + 2 * error + 1e-8
        assert found.gap[i] <= 1e-5 * (abs(found.mean).max() + value * found.risk.max()) * 2
    assert found.weights.sum(1) == pytest.approx(np.ones(4))
    assert found.assets == tuple(returns.columns)


def test_risk_and_mean_fall_with_lambda(returns):
    found = frontier(returns, "deviation", tol=1e-6)
    assert len(found.lambdas) == 25
    assert np.all(np.diff(found.lambdas) > 0)
    assert np.all(np.diff(found.risk) <= 1e-7)
    assert np.all(np.diff(found.mean) <= 1e-7)
    assert found.risk[0] > 1.2 * found.risk[-1]


def test_the_order_of_lambdas_does_not_matter(returns):
    up = frontier(returns, "variance", [1.0, 10.0, 100.0], tol=1e-8)
    mixed = frontier(returns, "variance", [100.0, 1.0, 10.0], tol=1e-8)
    assert mixed.lambdas.tolist() == [100.0, 1.0, 10.0]
    assert mixed.weights[[1, 2, 0]] == pytest.approx(up.weights)


def test_limits_are_kept(returns):
    limits = Constraints(long_only=False, gross=1.4, max_weight=0.5)
    found = frontier(returns, "deviation", LAMBDAS, domain=limits.domain(list(returns.columns)))
    assert np.all(np.abs(found.weights).sum(1) <= 1.4 + 1e-6)
    assert found.weights.sum(1) == pytest.approx(np.ones(4))
    alone = PortfolioOptimizer("deviation", 0.5, long_only=False, gross=1.4, max_weight=0.5)
    alone.fit(returns)
    assert -found.mean[2] + 0.5 * found.risk[2] == pytest.approx(
        -alone.mean_ + 0.5 * alone.risk_, abs=1e-5
    )


def test_the_mean_is_after_costs(returns):
    held = np.full(6, 1 / 6)
    found = frontier(returns, "deviation", costs=0.002, previous=held, tol=1e-6)
    paid = 0.002 * np.abs(found.weights - held).sum(1)
    assert found.mean == pytest.approx(found.weights @ returns.to_numpy().mean(0) - paid)
    assert np.all(np.diff(found.mean) <= 1e-6)
    assert paid.max() > 0


def test_warm_starts_take_fewer_steps(returns):
    path = np.geomspace(0.05, 2.0, 12)
    found = frontier(returns, "deviation", path, tol=1e-6)
    cold = sum(int(frontier(returns, "deviation", [value], tol=1e-6).steps[0]) for value in path)
    assert found.steps.sum() < cold


def test_other_data_and_lambdas_compile_nothing_anew(returns, monkeypatch):
    frontier(returns, "semideviation", LAMBDAS)
    traced = []
    known = efficient_frontier.with_risk
    monkeypatch.setattr(efficient_frontier, "with_risk", lambda *a: traced.append(1) or known(*a))
    other = returns_frame(150, 6, seed=8)
    again = frontier(other, "semideviation", [0.03, 0.2, 0.3, 5.0], settings={"smoothing": 0.01})
    assert not traced
    assert again.risk[0] > again.risk[-1]


def test_more_vertices_than_expected_are_kept(monkeypatch):
    monkeypatch.setattr(efficient_frontier, "CAPACITY", 16)
    sizes, known = [], efficient_frontier._compiled
    monkeypatch.setattr(
        efficient_frontier, "_compiled", lambda *a: sizes.append(a[-1]) or known(*a)
    )
    apart = np.random.default_rng(0).normal(size=(300, 24))  # the best portfolio holds them all
    found = frontier(apart, "variance", [0.1, 10.0], tol=1e-6)
    assert sizes == [16, 32]
    assert np.sum(found.weights[1] > 1e-3) == 24
    assert np.all(found.gap <= 1e-6 * (1 + found.lambdas))


@pytest.mark.parametrize("wrong", [[], [-1.0], [np.nan], "many", [[1.0, 2.0]]])
def test_lambdas_must_be_numbers(returns, wrong):
    with pytest.raises(ValueError, match="lambdas must be a list of finite numbers"):
        frontier(returns, "variance", wrong)


def test_it_becomes_a_data_frame(returns):
    table = frontier(returns, "variance", [1.0, 2.0]).to_frame()
    assert list(table.columns) == ["lambda", "mean", "risk", "gap", *returns.columns]
