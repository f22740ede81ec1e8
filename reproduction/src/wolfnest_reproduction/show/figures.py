"""Figures in the paper's layout: rows are data sets, columns are criteria, one legend below."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from PIL import Image

from wolfnest.common import checks
from wolfnest.common.files import slug, store
from wolfnest_reproduction.define.entrants import SEPARATE, entrant
from wolfnest_reproduction.show import averages, captions, labels, legend, panels
from wolfnest_reproduction.show.averages import Frame
from wolfnest_reproduction.show.baseline_curves import Baseline

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
    "axes.axisbelow": True,
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
    solvers: Sequence[Baseline] = (),
    *,
    scale: str = "linear",
) -> list[Path]:
    """Draw every experiment, setting and horizon against each of `axes`; return the files.

    `found` are the averages of `averages.points`, `axes` some of "time", "step", "samples" and
    "lmo", `scale` is that of these axes: "linear" or "log". `solvers` without sampling are drawn
    against time. Where a run has methods with separate batches, a further figure against samples
    sets them next to the paper's form. Data sets that have one horizon each share a figure.
    """
    written: list[Path] = []
    for name, part in _kinds(found):
        groups = {legend.look(method).group for method in part["method"]}
        for axis, cast in itertools.product(axes, CASTS):
            if cast and (axis != "samples" or cast not in groups):
                continue
            figure = draw(part, axis, cast, solvers, scale=scale)
            if figure is None:
                continue
            stem = slug(name, cast, axis, "log" if scale == "log" else "")
            while folder / f"{stem}.{formats[0]}" in written:  # settings that look alike
                stem += "x"
            written += save(figure, folder / stem, formats)
    return written


def draw(
    found: Frame,
    axis: str,
    cast: str = "",
    solvers: Sequence[Baseline] = (),
    *,
    scale: str = "linear",
) -> Figure | None:
    """One figure from the averages of one experiment and setting; None if empty.

    `found` has one horizon per data set.
    """
    checks.choice("axis", axis, averages.AXES)
    checks.choice("scale", scale, ("linear", "log"))
    found = found[found["method"].isin(_cast(set(found["method"]), cast))]
    if axis == "lmo":  # methods that project make no calls
        found = found[found.groupby("method")["lmo"].transform("max") > 0]
    if scale == "log":
        found = found[found[axis] > 0]
    if found.empty:
        return None
    first, unit = found.iloc[0], ""
    there = [
        one for one in solvers
        if not cast and first["experiment"] in one.experiments and first["setting"] == one.setting
    ]  # fmt: skip
    if axis == "time":
        factor, unit = (1.0, " s") if found["time"].max() >= 1 else (1e3, " ms")
        found = found.assign(time=factor * found["time"])
        there = [one._replace(time=factor * one.time) for one in there]
    criteria, data = columns(found), list(dict.fromkeys(found["data"]))
    looks = [legend.look(name) for name in sorted(set(found["method"]), key=legend.place)]
    if axis == "time":
        looks += [legend.solver(name) for name in dict.fromkeys(one.name for one in there)]
    per_row, lines = (6, 3.2) if len(criteria) > 2 else (4, 5.2)  # of the legend, of the caption
    width = LEFT + WIDTH * len(criteria)
    below = BOTTOM + LINE * (-(-len(looks) // per_row) + lines)
    height = TOP + HEIGHT * len(data) + below
    settings: Any = {**mpl.rcParamsDefault, **SETTINGS, "backend": "agg"}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(width, height), dpi=DPI)
        beyond: list[str] = []
        for row, name in enumerate(data):
            part = found[found["data"] == name]
            exact = [one for one in there if one.data == name and axis == "time"]
            bottom = below + HEIGHT * (len(data) - 1 - row)
            for column, criterion in enumerate(criteria):
                left = LEFT + WIDTH * column
                place = left / width, bottom / height, (WIDTH - 0.55) / width, 2.1 / height
                panel = figure.add_axes(place)
                beyond += panels.curves(panel, part, criterion, axis, scale, exact)
                if row == 0:
                    panel.set_title(labels.CRITERIA[criterion], fontsize=10)
                if column == 0:
                    panel.set_ylabel(name, fontweight="bold", labelpad=8)
                if row == len(data) - 1:
                    panel.set_xlabel(labels.AXES[axis] + (f" ({unit.strip()})" if unit else ""))
        panels.key(figure, looks, per_row, (below - BOTTOM) / height)
        small: dict[str, Any] = {"fontsize": 7, "color": "#444444", "linespacing": 1.5}
        text = captions.curves(found, beyond) + captions.exact(there, axis, unit)
        text = captions.fitted(text, width)
        figure.text(0.5, 0.06 / height, text, ha="center", va="bottom", **small)
    return figure


def save(figure: Figure, path: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write a figure in each format; the same figure gives the same bytes."""
    dated: dict[str, Any] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    written = []
    for ending in formats:
        buffer = io.BytesIO()
        figure.savefig(buffer, format=ending, dpi=DPI, metadata=dated.get(ending))
        content = _fewer_colours(buffer) if ending == "png" else buffer.getvalue()
        written.append(store(path.with_name(f"{path.name}.{ending}"), content))
    return written


def _fewer_colours(image: io.BytesIO) -> bytes:
    """The same picture with a palette of 256 colours: a third of the size."""
    with Image.open(image) as full:
        plain = full.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    smaller = io.BytesIO()
    plain.save(smaller, format="png", optimize=True, dpi=(DPI, DPI))
    return smaller.getvalue()


def columns(found: Frame) -> list[str]:
    """The criteria of a figure: the optimal gap, or the objective where no optimum is known.

    In E1 neither: the paper measures it by the two criteria that need no optimum.
    """
    names = averages.known(found)
    left_out = {"objective"} if "optimal_gap" in names else set()
    if set(found["experiment"]) == {"E1"}:
        left_out = {"objective", "optimal_gap"}
    return [name for name in names if name not in left_out]


def _kinds(found: Frame) -> Iterator[tuple[str, Frame]]:
    """The parts of which one figure each is drawn, by name."""
    for (experiment, setting), part in found.groupby(["experiment", "setting"], sort=False):
        horizons = part.groupby("data")["horizon"].nunique()
        if part["horizon"].nunique() > 1 and horizons.max() == 1:
            yield slug(experiment, setting), part
            continue
        for horizon, one in part.groupby("horizon", sort=False):
            yield slug(experiment, setting, f"horizon-{horizon}"), one


def _cast(methods: set[str], cast: str) -> set[str]:
    """The methods of a figure; next to separate batches, only those that have such a form."""
    wanted = {name for name in methods if legend.look(name).group in CASTS[cast]}
    if cast == "separate":
        apart = {one.name for one in map(entrant, wanted) if one.gradient_batch == SEPARATE}
        wanted = {label for label in wanted if entrant(label).name in apart}
    return wanted
