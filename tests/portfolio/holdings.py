"""Returns for the tests, and portfolios by other means: CVXPY, loops, all subsets."""

import itertools

import cvxpy as cp
import numpy as np
import pandas as pd

NAMES = ("AA", "BB", "CC", "DD", "EE", "FF", "GG", "HH")


def returns_frame(rows, assets, seed=0):
    """Returns as fractions, driven by a market; the first assets earn more."""
    rng = np.random.default_rng(seed)
    market = 0.008 * rng.standard_t(5, size=(rows, 1))
    own = rng.uniform(0.004, 0.012, assets) * rng.standard_t(5, size=(rows, assets))
    values = np.linspace(0.002, 0.0002, assets) + rng.uniform(0.3, 1.3, assets) * market + own
    days = pd.date_range("2021-01-04", periods=rows, freq="B", name="date")
    return pd.DataFrame(values, index=days, columns=list(NAMES[:assets]))


def exact_risk(name, gains):
    """A measure as a CVXPY expression of the portfolio's returns, exactly."""
    rows = gains.shape[0]
    mean = cp.sum(gains) / rows
    if name == "variance":
        return cp.sum_squares(gains - mean) / rows
    if name == "deviation":
        return cp.norm(gains - mean, 2) / np.sqrt(rows)
    if name == "semideviation":
        return cp.norm(cp.pos(mean - gains), 2) / np.sqrt(rows)
    if name == "absolute-deviation":
        return cp.norm(gains - mean, 1) / rows
    if name == "cvar":
        tau = cp.Variable()
        return tau + cp.sum(cp.pos(-gains - tau)) / (0.05 * rows)
    raise ValueError(name)


def conic(name, returns, limits, risk_aversion=1.0, reward=1.0, cost=None):
    """The least objective and the weights, by a conic solver; `limits(x)` are constraints."""
    x = cp.Variable(returns.shape[1])
    gains = returns @ x
    objective = -reward * cp.sum(gains) / len(returns) + risk_aversion * exact_risk(name, gains)
    if cost is not None:
        objective += cost(x)
    program = cp.Problem(cp.Minimize(objective), limits(x))
    program.solve(solver="CLARABEL")
    assert program.status == "optimal"
    return program.value, x.value


def best_subset(name, returns, k, cap):
    """The least objective over all long-only portfolios of at most k assets."""
    values = []
    for held in itertools.combinations(range(returns.shape[1]), k):
        part = returns[:, list(held)]
        limits = lambda x: [x >= 0, x <= cap, cp.sum(x) == 1]
        values.append(conic(name, part, limits)[0])
    return min(values)
