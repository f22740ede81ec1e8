"""One self-contained HTML page about a portfolio."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np

from wolfnest.common.environment import describe
from wolfnest.common.formatting import percent
from wolfnest.common.tables import Column, Grid
from wolfnest.page.looks import MARKERS
from wolfnest.page.template import render, safe
from wolfnest.portfolio import plots
from wolfnest.portfolio.in_words import achieved, limits, measure
from wolfnest.portfolio.performance import summary
from wolfnest.portfolio.study import Study

SMALL = 5e-4  # weights below this are not listed one by one


def build(study: Study, command: str) -> str:
    """The page as text; the study must have a frontier and a backtest."""
    assert study.frontier is not None
    assert study.test is not None
    model, table, solution = study.model, study.table, study.model.solution_
    name = measure(model.risk)
    mean = "mean return" if study.costs[0] is None else "mean return after costs"
    equal = np.full(len(study.assets), 1 / len(study.assets))
    places = {plots.OURS.name: study.place(study.weights), plots.EQUAL.name: study.place(equal)}
    drawn = {
        "frontier": plots.frontier_plot(study.frontier, places, name, mean),
        "convergence": plots.convergence_plot(solution),
        "growth": plots.growth_plot(study.test),
    }
    days = [] if table.dates is None else [str(table.dates[i])[:10] for i in (0, -1)]
    size = f"{len(table.frame):,} rows × {len(study.assets)} assets"
    shown = [table.source, size, " to ".join(days)]
    order = _by_size(study.weights)
    known = describe()
    made = {name: known[name] for name in ("wolfnest", "jax", "python", "platform", "cpu")}
    made["precision"] = solution.problem.dtype
    made["made"] = datetime.datetime.now().isoformat(timespec="minutes", sep=" ")
    return render(
        "wolfnest.portfolio",
        "portfolio",
        scripts=["plots"],
        payload={"payload": {"markers": MARKERS, "plots": drawn}},
        title=f"A portfolio by {name}",
        subtitle=" · ".join(part for part in shown if part),
        study=study,
        measure=name,
        aversion=None if math.isinf(model.risk_aversion) else f"{model.risk_aversion:g}",
        held=int(np.sum(np.abs(study.weights) > SMALL)),
        largest=f"{study.assets[order[0]]} with {percent(float(study.weights[order[0]]))}",
        achieved=achieved(study),
        weights=_weights(study),
        without_weight=[study.assets[i] for i in order if abs(study.weights[i]) < SMALL],
        frontier=_frontier(study, mean),
        backtest=_backtest(study),
        logarithmic=plots.spread(study.test),
        limits=limits(model),
        command=command,
        made=made,
    )


def _weights(study: Study) -> Grid:
    weights, shares = study.weights, study.shares
    most = max(float(np.max(np.abs(weights))), float(np.max(np.abs(shares))), 1e-12)
    columns = [Column("Asset", "keep"), Column("Weight", "n"), Column("Share of risk", "n"),
               Column("Weight (solid) and share of risk (hatched)", "bar")]  # fmt: skip
    rows = [
        [
            study.assets[i],
            f"{100 * weights[i]:.2f} %",
            f"{100 * shares[i]:.2f} %",
            _bar(float(weights[i]) / most, "share") + _bar(float(shares[i]) / most, "share risk"),
        ]
        for i in _by_size(weights)
        if abs(weights[i]) >= SMALL
    ]
    return Grid(columns, rows)


def _by_size(weights: np.ndarray) -> np.ndarray:
    return np.argsort(-np.abs(weights), kind="stable")


def _bar(part: float, kind: str) -> Any:
    """A bar as wide as a part of the cell; what is negative begins at the other side."""
    below = " below" if part < 0 else ""
    width = f"width:{100 * abs(part):.1f}%"
    return safe('<div class="{}{}" aria-hidden="true"><i style="{}"></i></div>', kind, below, width)


def _frontier(study: Study, mean: str) -> Grid:
    found = study.frontier
    assert found is not None
    headings = ("λ", mean.capitalize(), "Risk", "Gap", "Assets held")
    rows = [
        [found.lambdas[i], f"{100 * found.mean[i]:.4f} %", f"{100 * found.risk[i]:.4f} %",
         float(found.gap[i]), int(np.sum(np.abs(found.weights[i]) >= SMALL))]
        for i in range(len(found.lambdas))
    ]  # fmt: skip
    return Grid([Column(heading, "n") for heading in headings], rows)


def _backtest(study: Study) -> Grid:
    test, year = study.test, study.per_year
    assert test is not None
    per = "a year" if year else "a period"
    headings = (f"Mean, {per}", f"Deviation, {per}", "Sharpe ratio", "Worst 5 % of periods",
                "Largest fall", "Growth", "Traded per window")  # fmt: skip
    rows = []
    for name in test.returns:
        found = summary(test.returns[name], year)
        cells = {key: f"{100 * value:.2f} %" for key, value in found.items()}
        cells["sharpe"] = f"{found['sharpe']:.2f}"
        traded = f"{100 * float(test.turnover[name].iloc[1:].mean() or 0):.1f} %"
        rows.append([name, *cells.values(), traded if len(test.turnover) > 1 else "–"])
    return Grid([Column("Strategy", "keep"), *(Column(one, "n") for one in headings)], rows)
