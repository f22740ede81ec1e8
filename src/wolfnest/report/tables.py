"""Aggregate tables, tidy: one row per method, criterion or cell; nothing per seed or per day."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wolfnest.experiments import curves
from wolfnest.report import averages, style
from wolfnest.report.averages import Frame
from wolfnest.report.files import store

COSTS = ["microseconds_per_iteration", "samples_per_iteration", "lmo_per_iteration"]
MOST = 3000
ALL = "comparisons-all.csv.gz"
TUNING = ("grid", "runs", "extended", "at_edge", "score")


def write(results: averages.Results, found: Frame, judgement: Any, folder: Path) -> list[Path]:
    """Write all tables as CSV; return their paths."""
    made = {
        "final": final(found),
        "areas": areas(results.traces),
        "tuned": tuned(results.cells),
        "costs": costs(results.cells),
        "baselines": against_baselines(results.baselines, found),
    }
    if judgement is not None:
        made["claims"] = verdicts(judgement)
        made["comparisons"] = listed(judgement.figures)
    for name in ("baselines.csv", "claims.csv", "comparisons.csv", ALL):  # of an earlier report
        (folder / name).unlink(missing_ok=True)
    written = [
        store(folder / f"{name}.csv", _csv(frame)) for name, frame in made.items() if len(frame)
    ]
    if judgement is not None and len(judgement.figures) > len(made["comparisons"]):
        whole = gzip.compress(_csv(judgement.figures).encode(), mtime=0)
        written.append(store(folder / ALL, whole))
    return written


def listed(comparisons: Frame) -> Frame:
    """The comparisons that are worth reading: those that count, and not too many.

    Where there are more than a few thousand, those with the strongest rival of each.
    """
    for name in ("counted", "best_rival"):
        if name in comparisons and (name == "counted" or len(comparisons) > MOST):
            comparisons = comparisons[comparisons[name].astype(bool)]
    return comparisons.head(2 * MOST)


def final(found: Frame) -> Frame:
    """Mean and interval of every criterion at the last record of every cell."""
    import pandas as pd

    last = averages.last(found)
    parts = []
    for name in averages.known(found):
        part = last[[*averages.CELL, "batch", "seeds", *averages.AXES]].copy()
        part.insert(5, "group", [style.look(method).group for method in part["method"]])
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
    import pandas as pd

    criteria = tuple(name for name in averages.CRITERIA if name not in averages.LINEAR)
    rows = []
    for group, methods in curves.read(averages.checked(traces), criteria).items():
        for axis in curves.AXES:
            ends = [curve.end(axis) for curve in methods.values()]
            end = min(ends)
            if not end > 0:
                continue
            for method in sorted(methods, key=style.place):
                curve = methods[method]
                means = curve.until(axis, end)[1]
                for k, name in enumerate(curve.criteria):
                    kept = means[k][~curve.lost[k]]
                    mean, half = averages.mean_and_half(kept)
                    rows.append(
                        {
                            **group._asdict(), "method": method, "group": style.look(method).group,
                            "criterion": name, "axis": axis, "until": end, "seeds": len(means[k]),
                            "lost": int(curve.lost[k].sum()), "mean_log10": mean,
                            "low": mean - half, "high": mean + half,
                        }
                    )  # fmt: skip
    return pd.DataFrame(rows)


def tuned(cells: Frame) -> Frame:
    """Chosen settings of every cell, with the grid they come from."""
    import pandas as pd

    rows = []
    for row in _ordered(cells):
        tuning = row.get("tuning")
        tuning = tuning if isinstance(tuning, Mapping) else {}
        rows.append({**_where(row), "name": row.get("name"), "settings": row.get("settings"),
                     **{name: tuning.get(name) for name in TUNING}})  # fmt: skip
    return pd.DataFrame(rows)


def costs(cells: Frame) -> Frame:
    """What an iteration of every cell takes and asks for."""
    import pandas as pd

    return pd.DataFrame(
        [{**_where(row), **{name: row.get(name) for name in COSTS}} for row in _ordered(cells)]
    )


def against_baselines(baselines: Frame | None, found: Frame) -> Frame:
    """Exact solvers, each beside the sampling method that was lowest when the solver was done.

    Lowest in the optimal gap where it is known, else in the Frank-Wolfe gap.
    """
    import pandas as pd

    if baselines is None or len(baselines) == 0:
        return pd.DataFrame()
    rows = []
    for row in baselines.to_dict("records"):
        row = {**row, "setting": _text(row.get("setting")), "note": _text(row.get("note"))}
        keys = ("experiment", "data", "setting")
        part = found[np.logical_and.reduce([found[key] == row[key] for key in keys])]
        done = row.get("time")
        part = part[part["time"] <= (np.nan if done is None else float(done))]
        criterion = "optimal_gap" if np.isfinite(part["optimal_gap"]).any() else "frank_wolfe_gap"
        lowest = part[part[f"{criterion}_lost"] == 0].nsmallest(1, criterion)
        one = lowest.iloc[0] if len(lowest) else None
        rows.append(
            {
                **row,
                "best_method": "" if one is None else f"{one['method']}",
                "best_criterion": "" if one is None else criterion,
                "best_value": np.nan if one is None else one[criterion],
                "best_time": np.nan if one is None else one["time"],
            }
        )
    return pd.DataFrame(rows)


def verdicts(judgement: Any) -> Frame:
    import pandas as pd

    names = ("claim", "verdict", "text", "reason")
    return pd.DataFrame(
        [{name: getattr(one, name) for name in names} for one in judgement.verdicts]
    )


def _where(row: Mapping[Any, Any]) -> dict[str, Any]:
    where = {name: row.get(name) for name in (*averages.CELL, "batch", "seeds")}
    return {**where, "setting": _text(where["setting"])}


def _ordered(cells: Frame | None) -> list[dict[Any, Any]]:
    """The cells in the order of the page."""
    if cells is None or len(cells) == 0:
        return []
    return sorted(
        cells.to_dict("records"),
        key=lambda row: (
            style.natural(str(row["experiment"])),
            style.natural(str(row["data"])),
            _text(row.get("setting")),
            int(row["horizon"]),
            style.place(str(row["method"])),
        ),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


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
