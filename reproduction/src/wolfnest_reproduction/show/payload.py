"""What the page's chart reads: averaged curves, how methods look, what things are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wolfnest.page.looks import MARKERS
from wolfnest.page.packing import LOG_STEP, log10, pack, thin, unit
from wolfnest_reproduction.show import averages, labels, legend
from wolfnest_reproduction.show.averages import Frame
from wolfnest_reproduction.show.baseline_curves import Baseline

COUNTS = ("step", "samples", "lmo")


def payload(found: Frame, baselines: Sequence[Baseline] = ()) -> dict[str, Any]:
    """Everything for the chart as JSON values; methods are known by their place in the list."""
    methods = sorted({str(name) for name in found["method"]}, key=legend.place)
    exact = list(dict.fromkeys(one.name for one in baselines))
    looks = [*map(legend.look, methods), *map(legend.solver, exact)]
    number = {look.name: k for k, look in enumerate(looks)}
    criteria = averages.known(found)
    groups = []
    for (experiment, data, setting, horizon), part in found.groupby(averages.GROUP, sort=False):
        curves = [
            {"m": number[str(method)], **_curve(curve, criteria)}
            for method, curve in part.groupby("method", sort=False)
        ]
        batches = sorted({int(batch) for batch in part["batch"]})
        where = {"e": str(experiment), "d": str(data), "s": str(setting), "h": int(horizon)}
        groups.append({**where, "b": batches, "curves": curves})
    told = {name: labels.experiment(name) for name in dict.fromkeys(one["e"] for one in groups)}
    return {
        "experiments": {key: {"title": one.title, "text": one.whole} for key, one in told.items()},
        "methods": [look.drawn() for look in looks],
        "markers": MARKERS,
        "groups": groups,
        "groupNames": legend.GROUPS,
        "criteria": {name: labels.CRITERIA[name] for name in criteria},
        "linear": list(averages.LINEAR),
        "axes": labels.AXES,
        "exact": [{"m": number[one.name], **_baseline(one)} for one in baselines],
    }


def _curve(curve: Frame, criteria: list[str]) -> dict[str, Any]:
    """A method's curve over all axes: the mean, and how far above it the interval ends."""
    curve = curve.iloc[thin(len(curve))]
    time, *counts = (curve[name].to_numpy(float) for name in ("time", *COUNTS))
    x = {name: pack(values, 1) for name, values in zip(COUNTS, counts, strict=True)}
    y = {}
    for name in criteria:
        mean, high = (curve[column].to_numpy(float) for column in (name, f"{name}_high"))
        if not np.isfinite(mean).any():
            continue
        if name in averages.LINEAR:
            y[name] = [pack(mean, unit(mean)), pack(high - mean, unit(mean))]
        else:
            y[name] = [pack(log10(mean), LOG_STEP), pack(log10(high / mean), 10 * LOG_STEP)]
    lost = {name: int(curve[f"{name}_lost"].max()) for name in y}
    return {
        "n": int(curve["seeds"].iloc[0]),
        "x": {"time": pack(time, unit(time)), **x},
        "y": y,
        "lost": {name: count for name, count in lost.items() if count},
    }


def _baseline(one: Baseline) -> dict[str, Any]:
    """A curve without a band, over time only; one record where a solver only says when it ends."""
    kept = thin(len(one.time))
    time, y = one.time[kept], {}
    for name, values in one.values.items():
        shown, scale = log10(values[kept]), LOG_STEP
        if name in averages.LINEAR:
            shown, scale = values[kept], unit(values[kept])
        y[name] = [pack(shown, scale)]
    where = {"e": one.experiments, "d": one.data, "s": one.setting}
    return {**where, "x": {"time": pack(time, unit(time))}, "y": y}
