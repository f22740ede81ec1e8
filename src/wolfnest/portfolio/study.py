"""All that is found out about one portfolio: weights, risk shares, frontier, backtest."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from wolfnest.portfolio.backtesting import Backtest, EqualWeighted, backtest
from wolfnest.portfolio.efficient_frontier import Frontier, frontier
from wolfnest.portfolio.estimator import PortfolioOptimizer
from wolfnest.portfolio.mean_risk import MeanRisk
from wolfnest.portfolio.per_asset import per_asset
from wolfnest.portfolio.performance import periods_per_year
from wolfnest.portfolio.plots import EQUAL, LEAST, OURS
from wolfnest.portfolio.reading import NotedReturns
from wolfnest.portfolio.risk_contributions import contributions

FITTED = (OURS.name, LEAST.name)
REPORTS = 4  # of progress, for each strategy that is fitted

Done = Callable[[str, float], Any]


@dataclasses.dataclass(frozen=True)
class Study:
    """A fitted portfolio with what was asked about it; parts that were not asked for are None."""

    table: NotedReturns
    model: PortfolioOptimizer
    shares: np.ndarray
    benchmark: np.ndarray | None = None
    frontier: Frontier | None = None
    test: Backtest | None = None
    windows: tuple[int, int] | None = None

    @property
    def assets(self) -> list[str]:
        return [str(name) for name in self.table.frame.columns]

    @property
    def weights(self) -> np.ndarray:
        return np.asarray(self.model.weights_, float)

    @property
    def settings(self) -> dict[str, Any]:
        """Those of the measure, with the benchmark that it follows."""
        follows = {} if self.benchmark is None else {"benchmark": self.benchmark}
        return {**(self.model.settings or {}), **follows}

    @property
    def per_year(self) -> int | None:
        return periods_per_year(self.table.dates)

    def place(self, weights: np.ndarray) -> tuple[float, float]:
        """Risk, and mean less costs, of a portfolio on all rows."""
        returns = self.table.frame.to_numpy(float)
        task = MeanRisk(self.model.risk, returns, 1.0, self.settings, None, *self.costs)
        return task.risk(weights), float(task.means() @ weights - task.paid(weights))

    @property
    def costs(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Per unit traded and period, and from which weights."""
        return self.model.costs(self.assets)


def fitted(
    table: NotedReturns, model: PortfolioOptimizer, benchmark: np.ndarray | None = None
) -> Study:
    """The portfolio on all rows, and the shares of its assets in the risk."""
    model.fit(table.frame, benchmark)
    study = Study(table, model, np.zeros(0), benchmark)
    shares = contributions(table.frame, study.weights, model.risk, settings=study.settings)
    return dataclasses.replace(study, shares=shares)


def extended(study: Study, windows: tuple[int, int], done: Done) -> Study:
    """The study with its frontier and its backtest, fitted on so many rows and held over so many;
    `done` hears of every part, and its time."""
    table, model = study.table.frame, study.model
    began = time.perf_counter()
    costs, held = study.costs
    curve = frontier(
        table,
        model.risk,
        domain=model.constraints.domain(study.assets),
        settings=study.settings,
        costs=costs,
        previous=held,
    )
    done("frontier", time.perf_counter() - began)
    marks = _marks(len(table), windows)
    began = time.perf_counter()

    def on_fold(name: str, number: int) -> None:
        nonlocal began
        if name in FITTED and number + 1 in marks:
            now = time.perf_counter()
            done(_part(name, number + 1), now - began)
            began = now

    # Costs are charged to all, but are not of the unit of a variance.
    other = {"risk": "variance", "risk_aversion": math.inf, "settings": None}
    least = PortfolioOptimizer(**{**model.get_params(), **other, "transaction_costs": None})
    strategies = {OURS.name: model, LEAST.name: least, EQUAL.name: EqualWeighted()}
    found = backtest(
        table,
        strategies,
        train=windows[0],
        test=windows[1],
        costs=per_asset("transaction_costs", model.transaction_costs, study.assets, 0.0),
        benchmark=study.benchmark,
        on_fold=on_fold,
    )
    return dataclasses.replace(study, frontier=curve, test=found, windows=windows)


def tasks(rows: int, windows: tuple[int, int]) -> dict[str, float]:
    """The parts that `extended` reports, with their rough costs: some windows at a time."""
    costs = {"frontier": 5.0}
    for name in FITTED:
        before = 0
        for mark in _marks(rows, windows):
            costs[_part(name, mark)] = float(mark - before + (5 if before == 0 else 0))  # compiled
            before = mark
    return costs


def _marks(rows: int, windows: tuple[int, int]) -> list[int]:
    """After how many windows progress is reported."""
    count = len(range(windows[0], rows, windows[1]))
    return sorted({math.ceil(count * k / REPORTS) for k in range(1, REPORTS + 1)} - {0})


def _part(name: str, mark: int) -> str:
    return f"{name}, {mark} window{'s' if mark > 1 else ''}"
