"""The parts of a figure: one panel of curves with bands, solvers without sampling, the legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from wolfnest.page.looks import MARKERS, Look
from wolfnest_reproduction.show import averages, axis_limits, legend
from wolfnest_reproduction.show.averages import Frame
from wolfnest_reproduction.show.baseline_curves import Baseline


def curves(
    panel: Axes,
    found: Frame,
    criterion: str,
    axis: str,
    scale: str,
    solvers: Sequence[Baseline] = (),
) -> list[str]:
    """Draw all methods of one data set; return those that run on beyond the axis."""
    found = found[np.isfinite(found[criterion].to_numpy(float))]
    if found.empty:
        panel.text(0.5, 0.5, "not measured", ha="center", transform=panel.transAxes)
        return []
    logarithmic = criterion not in averages.LINEAR
    panel.set_yscale("log" if logarithmic else "linear")
    panel.set_xscale(scale)
    ends: dict[str, float] = {}
    heights: list[np.ndarray] = []
    for k, (method, part) in enumerate(found.groupby("method", sort=False)):
        look = legend.look(str(method))
        x, y, low, high = (
            part[name].to_numpy(float)
            for name in (axis, criterion, f"{criterion}_low", f"{criterion}_high")
        )
        panel.fill_between(x, low, high, color=look.colour, alpha=0.1, linewidth=0, zorder=2)
        depth = 4 if look.group == "ours" else 3
        panel.plot(x, y, markevery=(k % 3 / 30, 0.17), zorder=depth, **line(look))
        ends[look.name] = float(x.max())
        heights.append(y)
    limit = axis_limits.right(list(ends.values())) if scale == "linear" else max(ends.values())
    if scale == "linear":
        panel.set_xlim(-0.015 * limit, 1.015 * limit)
        panel.locator_params(axis="x", nbins=6)
        if limit >= 1e4:
            panel.xaxis.set_major_formatter(_thousands)
    there = [one for one in solvers if criterion in one.values]
    for one in there:
        _without_sampling(panel, one, criterion, limit)
    others = [one.values[criterion][one.time <= limit] for one in there]
    bounds = axis_limits.vertical(heights, logarithmic=logarithmic, others=others)
    if bounds is not None:
        panel.set_ylim(*bounds)
        if logarithmic:
            _few_ticks(panel, *bounds)
    return [method for method, end in ends.items() if end > 1.02 * limit]


def _without_sampling(panel: Axes, solver: Baseline, criterion: str, limit: float) -> None:
    """A curve below all others; a line at the time where a solver only says when it was done."""
    look = legend.solver(solver.name)
    if solver.is_curve:
        panel.plot(solver.time, solver.values[criterion], zorder=1.5, markevery=0.2, **line(look))
    elif solver.time[0] <= limit:
        dashes = (0, look.dash)
        panel.axvline(solver.time[0], color=look.colour, linewidth=1.6, linestyle=dashes, zorder=1)


def line(look: Look) -> dict[str, Any]:
    """How matplotlib draws a method."""
    corners = MARKERS[look.marker]
    return {
        "color": look.colour,
        "linewidth": look.width * 0.85,
        "linestyle": (0, look.dash) if look.dash else "solid",
        "marker": [*corners, corners[0]],  # closed, so that open markers have all their sides
        "markersize": 5,
        "markeredgewidth": 0.9,
        "markerfacecolor": look.colour if look.filled else "white",
    }


def key(figure: Figure, looks: Sequence[Look], per_row: int, top: float) -> None:
    """One legend for all panels, read along rows."""
    handles = [Line2D([], [], label=look.name, **line(look)) for look in looks]
    columns = min(per_row, len(handles))
    figure.legend(
        # Legends fill columns first.
        handles=[handle for column in range(columns) for handle in handles[column::columns]],
        loc="upper center",
        bbox_to_anchor=(0.5, top),
        ncols=columns,
        handlelength=3.4,
        columnspacing=1.4,
        labelspacing=0.35,
        borderaxespad=0,
    )


def _thousands(value: float, _: object) -> str:
    return f"{value / 1e6:g}M" if abs(value) >= 1e6 else f"{value / 1e3:g}k" if value else "0"


def _few_ticks(panel: Axes, low: float, high: float) -> None:
    """Decades only, or 1, 2, 5 where there are hardly any; small ticks cost most of the time."""
    few = np.log10(high / low) <= 2
    panel.yaxis.set_minor_locator(NullLocator())
    panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    if few:
        panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))
