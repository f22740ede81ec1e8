"""Figures in the paper's layout: rows are data sets, columns are criteria, one legend below."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wolfnest.report import averages, panels, style, words
from wolfnest.report.averages import Frame
from wolfnest.report.files import slug, store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "pdf")
DPI = 150
# What a figure shows: the paper's comparison, or its methods next to their separate-batch forms.
CASTS = {"": ("ours", "rivals", "automatic", "other"), "separate": ("ours", "separate")}
WIDTH, HEIGHT = 3.5, 2.5  # of a panel with its margins, in inches
LEFT, TOP, BOTTOM, LINE = 0.95, 0.05, 0.62, 0.2
SETTINGS = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e2e2e2",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "pdf.fonttype": 42,
}


def write(
    found: Frame,
    folder: Path,
    axes: Iterable[str] = ("time", "samples"),
    formats: Sequence[str] = FORMATS,
    *,
    scale: str = "linear",
) -> list[Path]:
    """Draw every experiment, setting and horizon against each of `axes`; return the files.

    `found` are the averages of `averages.points`, `axes` some of "time", "step", "samples" and
    "lmo", `scale` is that of these axes: "linear" or "log". Where a run has methods with separate
    batches, a further figure against samples sets them next to the paper's form.
    """
    written: list[Path] = []
    kinds = found.groupby(["experiment", "setting", "horizon"], sort=False)
    for (experiment, setting, horizon), part in kinds:
        for axis in axes:
            for cast in CASTS:
                if cast and (axis != "samples" or not _has(part, cast)):
                    continue
                figure = draw(part, axis, cast, scale=scale)
                if figure is None:
                    continue
                logarithmic = "log" if scale == "log" else ""
                name = slug(experiment, setting, f"horizon-{horizon}", cast, axis, logarithmic)
                while folder / f"{name}.{formats[0]}" in written:  # settings that look alike
                    name += "x"
                written += save(figure, folder / name, formats)
    return written


def draw(found: Frame, axis: str, cast: str = "", *, scale: str = "linear") -> Figure | None:
    """One figure from the averages of one experiment, setting and horizon; None if empty."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    if axis not in averages.AXES:
        raise ValueError(f"axis must be one of {', '.join(averages.AXES)}, got {axis!r}.")
    if scale not in ("linear", "log"):
        raise ValueError(f"scale must be 'linear' or 'log', got {scale!r}.")
    found = found[found["method"].isin(_cast(set(found["method"]), cast))]
    if axis == "lmo":  # methods that project make no calls
        found = found[found.groupby("method")["lmo"].transform("max") > 0]
    if scale == "log":
        found = found[found[axis] > 0]
    if found.empty:
        return None
    unit = ""
    if axis == "time":
        factor, unit = (1.0, " (s)") if found["time"].max() >= 1 else (1e3, " (ms)")
        found = found.assign(time=factor * found["time"])
    criteria, data = columns(found), list(dict.fromkeys(found["data"]))
    methods = sorted(set(found["method"]), key=style.place)
    per_row = 6 if len(criteria) > 2 else 4
    width = LEFT + WIDTH * len(criteria)
    below = BOTTOM + LINE * (-(-len(methods) // per_row) + 2.4)
    height = TOP + HEIGHT * len(data) + below
    settings: Any = {**mpl.rcParamsDefault, **SETTINGS, "backend": "agg"}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(width, height), dpi=DPI)
        beyond: list[str] = []
        for row, name in enumerate(data):
            part = found[found["data"] == name]
            bottom = below + HEIGHT * (len(data) - 1 - row)
            for column, criterion in enumerate(criteria):
                left = LEFT + WIDTH * column
                place = left / width, bottom / height, (WIDTH - 0.55) / width, 2.1 / height
                panel = figure.add_axes(place)
                beyond += panels.curves(panel, part, criterion, axis, scale)
                if row == 0:
                    panel.set_title(words.CRITERIA[criterion], fontsize=10)
                if column == 0:
                    panel.set_ylabel(name, fontweight="bold", labelpad=8)
                if row == len(data) - 1:
                    panel.set_xlabel(words.AXES[axis] + unit)
        panels.legend(figure, methods, per_row, (below - BOTTOM) / height)
        small: dict[str, Any] = {"fontsize": 7, "color": "#444444", "linespacing": 1.5}
        text = caption(found, beyond)
        figure.text(0.5, 0.06 / height, text, ha="center", va="bottom", **small)
    return figure


def save(figure: Figure, path: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a figure in each format; the same figure gives the same bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    dated: dict[str, Any] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    written = []
    for ending in formats:
        buffer = io.BytesIO()
        figure.savefig(buffer, format=ending, dpi=DPI, metadata=dated.get(ending))
        written.append(store(path.with_name(f"{path.name}.{ending}"), buffer.getvalue()))
    return written


def columns(found: Frame) -> list[str]:
    """The criteria of a figure: the optimal gap, or the objective where no optimum is known.

    In E1 neither: the paper measures it by the two criteria that need no optimum.
    """
    names = averages.known(found)
    left_out = {"objective"} if "optimal_gap" in names else set()
    if set(found["experiment"]) == {"E1"}:
        left_out = {"objective", "optimal_gap"}
    return [name for name in names if name not in left_out]


def caption(found: Frame, beyond: list[str]) -> str:
    """What the figure shows, and how it was averaged."""
    one = found.iloc[0]
    title = f"{one['experiment']}: {words.experiment(one['experiment']).title}"
    setting = f", {one['setting']}" if one["setting"] else ""
    batch = _span({int(size) for size in found["batch"]})
    seeds = _span({int(count) for count in found["seeds"]})
    text = (
        f"{title}{setting}; horizon {int(one['horizon']):,} iterations, batch {batch}.\n"
        f"Mean over {seeds} seeds (of logarithms, except the objective); bands: 95 % confidence "
        "interval of that mean."
    )
    if beyond:
        text += f" Runs on beyond the axis: {', '.join(sorted(set(beyond), key=style.place))}."
    return text


def _cast(methods: set[str], cast: str) -> set[str]:
    """The methods of a figure; next to separate batches, only those that have such a form."""
    wanted = {name for name in methods if style.look(name).group in CASTS[cast]}
    if cast == "separate":
        twins = {name.removesuffix(style.SEPARATE) for name in wanted if style.SEPARATE in name}
        wanted = {name for name in wanted if name.removesuffix(style.SEPARATE) in twins}
    return wanted


def _span(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _has(found: Frame, group: str) -> bool:
    return any(style.look(name).group == group for name in set(found["method"]))
