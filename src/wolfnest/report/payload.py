"""What the page's chart reads: averaged curves, how methods look, what things are called."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wolfnest.report import averages, packing, style, words
from wolfnest.report.averages import Frame


def payload(found: Frame, baselines: Frame | None) -> dict[str, Any]:
    """Everything for the chart as JSON values."""
    methods = sorted({str(name) for name in found["method"]}, key=style.place)
    number = {name: k for k, name in enumerate(methods)}
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
            name: words.experiment(name)._asdict() for name in dict.fromkeys(g["e"] for g in groups)
        },
        "methods": [_look(name) for name in methods],
        "markers": {key: style.MARKERS[key] for key in style.MARKERS},
        "groups": groups,
        "groupNames": style.GROUPS,
        "criteria": {name: words.CRITERIA[name] for name in criteria},
        "linear": list(averages.LINEAR),
        "axes": words.AXES,
        "baselines": _baselines(baselines),
    }


def _look(name: str) -> dict[str, Any]:
    look = style.look(name)._asdict()
    return {**look, "dash": " ".join(f"{look['width'] * dash:.1f}" for dash in look["dash"])}


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
            with np.errstate(divide="ignore", invalid="ignore"):
                center, half = np.log10(mean), np.log10(high / mean)
            packed["y"][name] = [
                packing.pack(center, packing.LOG_STEP),
                packing.pack(half, 10 * packing.LOG_STEP),
            ]
        lost = int(curve[f"{name}_lost"].max())
        if lost:
            packed["lost"][name] = lost
    return packed


_COUNTS = ("step", "samples", "lmo")


def _baselines(baselines: Frame | None) -> list[dict[str, Any]]:
    if baselines is None or len(baselines) == 0:
        return []
    rows = []
    for row in baselines.to_dict("records"):
        values = {name: _finite(row.get(name)) for name in ("time", *averages.CRITERIA)}
        rows.append(
            {
                "e": str(row["experiment"]),
                "d": str(row["data"]),
                "s": text(row.get("setting")),
                "solver": str(row["solver"]),
                **{name: value for name, value in values.items() if value is not None},
            }
        )
    return rows


def text(value: Any) -> str:
    """Text of a cell that may be missing."""
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    return "" if missing else str(value)


def _finite(value: Any) -> float | None:
    try:
        real = float(value)
    except (TypeError, ValueError):
        return None
    return float(f"{real:.4g}") if math.isfinite(real) else None
