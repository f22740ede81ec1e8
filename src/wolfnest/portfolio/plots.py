"""What the plots of the page read: curves as short lists, how they look, what axes are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wolfnest.page import packing
from wolfnest.page.looks import Look, spare
from wolfnest.portfolio.backtesting import Backtest
from wolfnest.portfolio.efficient_frontier import Frontier
from wolfnest.solution import Solution

RECORDS = 400  # points of a curve on the page, at most
WIDE = 8  # ratio of values from which on a logarithmic scale has enough marks
TOP = 3  # assets that a point of the frontier names

OURS = Look("this portfolio", "ours", "#1f78c8", "#5aa9f0", "circle", width=2.2)
LEAST = Look("minimum variance", "rivals", "#c96a00", "#ffa640", "up", (6, 2), filled=False)
EQUAL = Look("equal weights", "rivals", "#1b8a4b", "#4fd08a", "diamond", (2, 1.5))
LOOKS = {look.name: look for look in (OURS, LEAST, EQUAL)}

Plot = dict[str, Any]


def frontier_plot(
    found: Frontier, chosen: Mapping[str, tuple[float, float]], risk: str, mean: str
) -> Plot:
    """Risk to the right and mean upwards, both in percent and named so; `chosen` are portfolios."""
    order = np.argsort(found.risk)
    labels = []
    for i in order:
        largest = np.argsort(-np.abs(found.weights[i]))[:TOP]
        held = ", ".join(f"{found.assets[j]} {100 * found.weights[i, j]:.0f} %" for j in largest)
        labels.append(
            f"λ = {found.lambdas[i]:.3g}\nrisk {100 * found.risk[i]:.3g} %\n"
            f"mean {100 * found.mean[i]:.3g} %\n{held}"
        )
    look = OURS._replace(name="efficient frontier")
    curve = _series(look, 100 * found.risk[order], 100 * found.mean[order], labels)
    places = [
        {"name": name, "x": 100 * risk, "y": 100 * mean, "strong": name == OURS.name}
        for name, (risk, mean) in chosen.items()
    ]
    x, y = f"{risk} per period (%) →", f"↑ {mean} per period (%)"
    return _plot(x, y, [curve | {"marks": "each"}], places=places)


def convergence_plot(solution: Solution) -> Plot:
    """The gap over the steps, on a logarithmic scale upwards."""
    trace = solution.trace
    step, gap = np.asarray(trace.step, float), np.asarray(trace.frank_wolfe_gap, float)
    curve = _series(OURS._replace(name="gap"), step, gap, logarithmic=True)
    names = {"xName": "step", "yName": "gap"}
    y = "↑ Frank-Wolfe gap, lower is better"
    return _plot("steps →", y, [curve | {"marks": "each"}], logarithmic=True, **names)


def growth_plot(test: Backtest) -> Plot:
    """What 1 became under every strategy, by date (as a year with its fraction) or by row."""
    growth = test.growth()
    dated = growth.index.dtype.kind == "M"
    if dated:
        days = growth.index.to_numpy().astype("datetime64[D]")
        x = 1970 + days.astype(float) / 365.2425
    else:
        x = np.arange(1.0, 1 + len(growth))
    wide = spread(test)
    when = [str(one)[:10] for one in growth.index]
    series = []
    for name in growth:
        y = growth[name].to_numpy(float)
        labels = [f"{day}\n{value:.4g}" for day, value in zip(when, y, strict=True)]
        look = LOOKS.get(name, spare(str(name)))
        series.append(_series(look, x, y, labels, logarithmic=wide))
    return _plot("year →" if dated else "row →", "↑ what 1 became", series, logarithmic=wide)


def spread(test: Backtest) -> bool:
    """Whether values grew so differently that a logarithmic scale shows them better."""
    growth = test.growth().to_numpy(float)
    return bool(growth.min() > 0 and growth.max() > WIDE * growth.min())


def _plot(
    x: str, y: str, series: list[Any], *, logarithmic: bool = False, **more: Any
) -> dict[str, Any]:
    labels = {"xLabel": x, "yLabel": y, "ylog": logarithmic}
    return {**labels, "series": series, "places": [], **more}


def _series(
    look: Look,
    x: np.ndarray,
    y: np.ndarray,
    labels: Sequence[str] = (),
    *,
    logarithmic: bool = False,
) -> dict[str, Any]:
    """A curve; `labels` are what is said of its points."""
    keep = packing.thin(len(x), RECORDS)
    x, y = x[keep], packing.log10(y[keep]) if logarithmic else y[keep]
    unit = packing.LOG_STEP if logarithmic else packing.unit(y) / 10
    return {
        "look": look.drawn(),
        "x": packing.pack(x, packing.unit(x) / 10),
        "y": packing.pack(y, unit),
        "labels": [labels[i] for i in keep] if labels else None,
    }
