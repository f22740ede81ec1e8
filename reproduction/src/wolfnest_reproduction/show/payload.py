"""What the page's chart reads: averaged curves, how methods look, what things are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wolfnest.page import packing
from wolfnest.page.looks import MARKERS
from wolfnest_reproduction.show import averages, labels, legend
from wolfnest_reproduction.show.averages import Frame
from wolfnest_reproduction.show.baseline_curves import Baseline


def payload(found: Frame, solvers: Sequence[Baseline] = ()) -> dict[str, Any]:
    """Everything for the chart as JSON values."""
    methods = sorted({str(name) for name in found["method"]}, key=legend.place)
    exact = list(dict.fromkeys(one.name for one in solvers))
    number = {name: k for k, name in enumerate((*methods, *exact))}
    criteria = averages.known(found)
    groups = []
    for key, part in found.groupby(averages.GROUP, sort=False):
        experiment, data, setting, horizon = key
        curves = [
            {"m": number[str(method)], **_curve(curve, criteria)}
            for method, curve in part.groupby("method", sort=False)
        ]
        groups.append(
            {
                "e": str(experiment),
                "d": str(data),
                "s": str(setting),
                "h": int(horizon),
                "b": sorted({int(batch) for batch in part["batch"]}),
                "curves": curves,
            }
        )
    return {
        "experiments": {
            name: {"title": labels.experiment(name).title, "text": labels.experiment(name).whole}
            for name in dict.fromkeys(group["e"] for group in groups)
        },
        "methods": [
            one.drawn() for one in (*map(legend.look, methods), *map(legend.solver, exact))
        ],
        "markers": MARKERS,
        "groups": groups,
        "groupNames": legend.GROUPS,
        "criteria": {name: labels.CRITERIA[name] for name in criteria},
        "linear": list(averages.LINEAR),
        "axes": labels.AXES,
        "exact": [{"m": number[one.name], **_solver(one)} for one in solvers],
    }


def _curve(curve: Frame, criteria: list[str]) -> dict[str, Any]:
    curve = curve.iloc[packing.thin(len(curve))]
    time = curve["time"].to_numpy(float)
    seeds = int(curve["seeds"].iloc[0])
    packed: dict[str, Any] = {
        "n": seeds,
        "x": {
            "time": packing.pack(time, packing.unit(time)),
            **{axis: packing.pack(curve[axis].to_numpy(float), 1) for axis in _COUNTS},
        },
        "y": {},
        "lost": {},
    }
    for name in criteria:
        mean = curve[name].to_numpy(float)
        if not np.isfinite(mean).any():
            continue
        high = curve[f"{name}_high"].to_numpy(float)
        if name in averages.LINEAR:
            scale = packing.unit(mean)
            packed["y"][name] = [packing.pack(mean, scale), packing.pack(high - mean, scale)]
        else:
            half = packing.pack(_log10(high / mean), 10 * packing.LOG_STEP)
            packed["y"][name] = [packing.pack(_log10(mean), packing.LOG_STEP), half]
        lost = int(curve[f"{name}_lost"].max())
        if lost:
            packed["lost"][name] = lost
    return packed


_COUNTS = ("step", "samples", "lmo")


def _solver(one: Baseline) -> dict[str, Any]:
    """A curve without a band, over time only; one record where a solver only says when it ends."""
    kept = packing.thin(len(one.time))
    time = one.time[kept]
    packed: dict[str, Any] = {
        "e": one.experiments,
        "d": one.data,
        "s": one.setting,
        "x": {"time": packing.pack(time, packing.unit(time))},
        "y": {},
    }
    for name, values in one.values.items():
        linear = name in averages.LINEAR
        shown = values[kept] if linear else _log10(values[kept])
        scale = packing.unit(shown) if linear else packing.LOG_STEP
        packed["y"][name] = [packing.pack(shown, scale)]
    return packed


def _log10(values: np.ndarray) -> np.ndarray:
    """NaN where there is no logarithm."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log10(np.where(values > 0, values, np.nan))
