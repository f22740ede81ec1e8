"""Aggregate tables, tidy: one row per method, criterion or cell; nothing per seed or per day."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wolfnest.common.files import store
from wolfnest_reproduction.judge import curves
from wolfnest_reproduction.judge.judgement import Judgement
from wolfnest_reproduction.run.store import Results
from wolfnest_reproduction.show import averages, baseline_curves, labels, legend, verdict_tables
from wolfnest_reproduction.show.averages import Frame

COSTS = ["microseconds_per_iteration", "samples_per_iteration", "lmo_per_iteration"]
ALL = "comparisons-all.csv.gz"
TUNING = ("grid", "runs", "extended", "at_edge", "score")


def write(results: Results, found: Frame, judgement: Judgement | None, folder: Path) -> list[Path]:
    """Write all tables as CSV; return their paths."""
    made = {
        "final": final(found),
        "areas": areas(results.traces),
        "tuned": tuned(results.cells),
        "costs": costs(results.cells),
        "baselines": baseline_curves.against(results.baselines, found),
        **{name: make(judgement) for name, make in verdict_tables.TABLES.items() if judgement},
    }
    for name in ("baselines", *verdict_tables.TABLES):  # of an earlier report
        (folder / f"{name}.csv").unlink(missing_ok=True)
    (folder / ALL).unlink(missing_ok=True)
    written = [
        store(folder / f"{name}.csv", _csv(frame)) for name, frame in made.items() if len(frame)
    ]
    if judgement and len(judgement.figures) > len(made["comparisons"]):
        whole = gzip.compress(_csv(judgement.figures).encode(), mtime=0)
        written.append(store(folder / ALL, whole))
    return written


def final(found: Frame) -> Frame:
    """Mean and interval of every criterion at the last record of every cell."""
    last = found.groupby(averages.CELL, sort=False).tail(1).reset_index(drop=True)
    parts = []
    for name in averages.known(found):
        part = last[[*averages.CELL, "batch", "seeds", *averages.AXES]].copy()
        part.insert(5, "group", [legend.look(method).group for method in part["method"]])
        part["criterion"] = name
        part["average"] = "mean" if name in averages.LINEAR else "geometric mean"
        for side in ("", "_low", "_high", "_lost"):
            part[side.strip("_") or "mean"] = last[f"{name}{side}"]
        parts.append(part[np.isfinite(part["mean"].to_numpy(float))])
    return pd.concat(parts, ignore_index=True)


def areas(traces: Frame) -> Frame:
    """Mean of log10 of a criterion from 0 to where the first method of its group ends.

    Lower is better: this is the area under the curve, divided by its width, averaged over seeds;
    `low` and `high` bound that average at 95 %.
    """
    criteria = tuple(name for name in averages.CRITERIA if name not in averages.LINEAR)
    rows = []
    for group, methods in curves.read(averages.checked(traces), criteria).items():
        for axis in ("time", "samples"):
            ends = [curve.end(axis) for curve in methods.values()]
            end = min(ends)
            if not end > 0:
                continue
            for method in sorted(methods, key=legend.place):
                curve = methods[method]
                means = curve.until(axis, end)[1]
                for k, name in enumerate(curve.criteria):
                    kept = means[k][~curve.lost[k]]
                    mean, half = averages.mean_and_half(kept)
                    rows.append(
                        {
                            **group._asdict(), "method": method, "group": legend.look(method).group,
                            "criterion": name, "axis": axis, "until": end, "seeds": len(means[k]),
                            "lost": int(curve.lost[k].sum()), "mean_log10": mean,
                            "low": mean - half, "high": mean + half,
                        }
                    )  # fmt: skip
    return pd.DataFrame(rows)


def tuned(cells: Frame) -> Frame:
    """Chosen settings of every cell, with the grid they come from."""
    rows = []
    for row in _ordered(cells):
        tuning = row.get("tuning")
        tuning = tuning if isinstance(tuning, Mapping) else {}
        rows.append({**_where(row), "name": row.get("name"), "settings": row.get("settings"),
                     **{name: tuning.get(name) for name in TUNING}})  # fmt: skip
    return pd.DataFrame(rows)


def costs(cells: Frame) -> Frame:
    """What an iteration of every cell takes and asks for."""
    return pd.DataFrame(
        [{**_where(row), **{name: row.get(name) for name in COSTS}} for row in _ordered(cells)]
    )


def _where(row: Mapping[Any, Any]) -> dict[str, Any]:
    where = {name: row.get(name) for name in (*averages.CELL, "batch", "seeds")}
    return {**where, "setting": averages.text(where["setting"])}


def _ordered(cells: Frame | None) -> list[dict[Any, Any]]:
    """The cells in the order of the page."""
    if cells is None or len(cells) == 0:
        return []
    return sorted(
        cells.to_dict("records"),
        key=lambda row: (
            labels.natural(str(row["experiment"])),
            labels.natural(str(row["data"])),
            averages.text(row.get("setting")),
            int(row["horizon"]),
            legend.place(str(row["method"])),
        ),
    )


def _csv(frame: Frame) -> str:
    """Six digits; lists and dictionaries as JSON."""
    frame = frame.copy()
    for name in frame.columns:
        nested = [isinstance(value, Mapping | list) for value in frame[name]]
        if any(nested):
            frame[name] = [
                json.dumps(value, ensure_ascii=False) if is_nested else value
                for value, is_nested in zip(frame[name], nested, strict=True)
            ]
    buffer = io.StringIO()
    frame.to_csv(buffer, index=False, float_format="%.6g", lineterminator="\n")
    return buffer.getvalue()
