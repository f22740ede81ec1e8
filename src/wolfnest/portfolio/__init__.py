"""Portfolios under a measure of risk: estimators, the efficient frontier, a walk-forward test.

The estimators need scikit-learn and are loaded when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wolfnest.portfolio.constraints import Constraints
from wolfnest.portfolio.efficient_frontier import Frontier, frontier
from wolfnest.portfolio.risk_contributions import contributions

if TYPE_CHECKING:
    from wolfnest.portfolio.backtesting import Backtest, EqualWeighted, backtest
    from wolfnest.portfolio.estimator import PortfolioOptimizer
    from wolfnest.portfolio.skfolio_optimizer import SkfolioOptimizer

__all__ = [
    "Backtest",
    "Constraints",
    "EqualWeighted",
    "Frontier",
    "PortfolioOptimizer",
    "SkfolioOptimizer",
    "backtest",
    "contributions",
    "frontier",
]

_LATER = {
    "Backtest": "backtesting",
    "EqualWeighted": "backtesting",
    "PortfolioOptimizer": "estimator",
    "SkfolioOptimizer": "skfolio_optimizer",
    "backtest": "backtesting",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
