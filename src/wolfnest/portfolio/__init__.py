"""Portfolios under a measure of risk: estimators, the efficient frontier, a walk-forward test.

Names are loaded when they are asked for; the estimators need scikit-learn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wolfnest.common.imports import deferred

if TYPE_CHECKING:
    from wolfnest.portfolio.backtesting import Backtest, EqualWeighted, backtest
    from wolfnest.portfolio.constraints import Constraints
    from wolfnest.portfolio.efficient_frontier import Frontier, frontier
    from wolfnest.portfolio.estimator import PortfolioOptimizer
    from wolfnest.portfolio.performance import periods_per_year, summary
    from wolfnest.portfolio.reading import NotedReturns, read
    from wolfnest.portfolio.report import write_report
    from wolfnest.portfolio.risk_contributions import contributions
    from wolfnest.portfolio.skfolio_optimizer import SkfolioOptimizer

__all__ = [
    "Backtest",
    "Constraints",
    "EqualWeighted",
    "Frontier",
    "NotedReturns",
    "PortfolioOptimizer",
    "SkfolioOptimizer",
    "backtest",
    "contributions",
    "frontier",
    "periods_per_year",
    "read",
    "summary",
    "write_report",
]

__getattr__ = deferred(
    __name__,
    {
        "backtesting": "Backtest EqualWeighted backtest",
        "constraints": "Constraints",
        "efficient_frontier": "Frontier frontier",
        "estimator": "PortfolioOptimizer",
        "performance": "periods_per_year summary",
        "reading": "NotedReturns read",
        "report": "write_report",
        "risk_contributions": "contributions",
        "skfolio_optimizer": "SkfolioOptimizer",
    },
)
