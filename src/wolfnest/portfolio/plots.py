"""What the plots of the page read: curves as short lists, how they look, what axes are called."""

from __future__ import annotations

from typing import Any

import numpy as np

from wolfnest.page import looks, packing
from wolfnest.page.markup import Raw, join, tag
from wolfnest.portfolio.backtesting import Backtest
from wolfnest.portfolio.efficient_frontier import Frontier
from wolfnest.solution import Solution

RECORDS = 400  # points of a curve on the page, at most
WIDE = 8  # ratio of values from which on a logarithmic scale has enough marks
TOP = 3  # assets that a point of the frontier names

OURS = looks.Look("this portfolio", "ours", "#1f78c8", "#5aa9f0", "circle", width=2.2)
LEAST = looks.Look("minimum variance", "rivals", "#c96a00", "#ffa640", "up", (6, 2), filled=False)
EQUAL = looks.Look("equal weights", "rivals", "#1b8a4b", "#4fd08a", "diamond", (2, 1.5))
LOOKS = {look.name: look for look in (OURS, LEAST, EQUAL)}


def figure(name: str, label: str, caption: str) -> Raw:
    """The place of a plot on the page; the script fills it."""
    chart = Raw('<svg class="chart" aria-hidden="true"></svg><div class="tip" hidden></div>')
    spoken = tag("p", class_="hidden", aria_live="polite")
    area = tag(
        "div", chart, spoken, class_="plot", data_plot=name, tabindex="0", role="group",
        aria_roledescription="chart", aria_label=f"{label}; use the arrow keys to read values",
    )  # fmt: skip
    keys = tag("div", class_="keys", role="group", aria_label=f"Curves of {label}")
    return tag("figure", join([keys, area, tag("figcaption", caption)]))


def frontier_plot(
    found: Frontier, chosen: dict[str, tuple[float, float]], risk: str, mean: str
) -> Any:
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
    curve = _series(look, 100 * found.risk[order], 100 * found.mean[order])
    places = [
        {"name": name, "x": 100 * at[0], "y": 100 * at[1], "strong": name == OURS.name}
        for name, at in chosen.items()
    ]
    return {
        **_axes(f"{risk} per period (%) →", f"↑ {mean} per period (%)", risk, "mean"),
        "series": [{**curve, "labels": labels, "marked": True}],
        "places": places,
    }


def convergence_plot(solution: Solution) -> Any:
    """The gap over the steps, on a logarithmic scale upwards."""
    trace = solution.trace
    gap = np.asarray(trace.frank_wolfe_gap, float)
    curve = _series(OURS._replace(name="gap"), np.asarray(trace.step, float), gap, log=True)
    axes = _axes("steps →", "↑ Frank-Wolfe gap, lower is better", "step", "gap")
    return {**axes, "ylog": True, "series": [{**curve, "marked": True}], "places": []}


def growth_plot(test: Backtest) -> Any:
    """What 1 became under every strategy, by date (as a year with its fraction) or by row."""
    growth = test.growth()
    dated = growth.index.dtype.kind == "M"
    if dated:
        days = growth.index.to_numpy().astype("datetime64[D]")
        x = 1970 + days.astype(float) / 365.2425
    else:
        x = np.arange(1.0, 1 + len(growth))
    keep = packing.thin(len(growth), RECORDS)
    when = [str(growth.index[i])[:10] for i in keep]
    wide = spread(test)
    series = []
    for name in growth:
        y = growth[name].to_numpy(float)[keep]
        curve = _series(LOOKS.get(name, looks.spare(str(name))), x[keep], y, log=wide)
        labels = [f"{day}\n{value:.4g}" for day, value in zip(when, y, strict=True)]
        series.append({**curve, "labels": labels})
    axes = _axes("year →" if dated else "row →", "↑ what 1 became", "date", "value")
    return {**axes, "ylog": wide, "series": series, "places": []}


def spread(test: Backtest) -> bool:
    """Whether values grew so differently that a logarithmic scale shows them better."""
    growth = test.growth().to_numpy(float)
    return bool(growth.min() > 0 and growth.max() > WIDE * growth.min())


def _axes(x: str, y: str, x_name: str, y_name: str) -> dict[str, Any]:
    return {
        "xLabel": x, "yLabel": y, "xName": x_name, "yName": y_name, "xlog": False, "ylog": False
    }  # fmt: skip


def _series(look: looks.Look, x: np.ndarray, y: np.ndarray, *, log: bool = False) -> dict[str, Any]:
    keep = packing.thin(len(x), RECORDS)
    x, y = x[keep], y[keep]
    if log:
        with np.errstate(divide="ignore", invalid="ignore"):
            y = np.log10(np.where(y > 0, y, np.nan))
    unit = packing.LOG_STEP if log else packing.unit(y) / 10
    return {
        "look": look.drawn(),
        "x": packing.pack(x, packing.unit(x) / 10),
        "y": packing.pack(y, unit),
        "log": log,
    }
