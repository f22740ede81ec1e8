"""Traces of single runs, averaged over seeds: mean and confidence interval per record.

Criteria that fall by orders of magnitude are averaged as logarithms (geometric mean), the
objective as it is. Intervals are those of the mean, at 95 %, by Student's t on the same scale.
Runs without a finite value at a record are left out of its mean and counted as lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from wolfnest_reproduction.judge import curves
from wolfnest_reproduction.judge.curves import AXES, LINEAR, Curve, Group
from wolfnest_reproduction.show import labels, legend

# A pandas data frame. Pandas declares that indexing one gives almost anything, which a type
# checker can then do nothing with.
Frame = Any

GROUP = list(Group._fields)
CELL = [*GROUP, "method"]
CRITERIA = ("optimal_gap", "objective", "frank_wolfe_gap", "gradient_mapping")
LEVEL = 0.95
NEEDED = [*CELL, "batch", "seed", *AXES, *CRITERIA]


def points(traces: Frame) -> Frame:
    """One row per cell and record: axes, and for each criterion its mean, low, high and lost.

    >>> import pandas as pd
    >>> seeds = [{"experiment": "E2", "data": "D", "setting": "", "horizon": 9, "method": "PMM-v1",
    ...     "batch": 8, "seed": seed, "step": 9, "time": 0.1, "samples": 72, "lmo": 9,
    ...     "objective": 1.0, "optimal_gap": gap, "frank_wolfe_gap": gap, "gradient_mapping": gap}
    ...     for seed, gap in enumerate([0.01, 1.0])]
    >>> float(points(pd.DataFrame(seeds))["optimal_gap"].iloc[0])
    0.1
    """
    groups = curves.read(checked(traces), CRITERIA)
    cells = [(group, curve) for group, methods in groups.items() for curve in methods.values()]
    # Experiments, data and horizons in natural order, methods as in legends; λ=1 before λ=0.2.
    cells.sort(key=lambda cell: (cell[0].horizon, legend.place(cell[1].method)))
    cells.sort(key=lambda cell: labels.natural(cell[0].setting), reverse=True)
    cells.sort(key=lambda cell: tuple(map(labels.natural, (cell[0].experiment, cell[0].data))))
    return pd.concat([_averaged(*cell) for cell in cells], ignore_index=True)


def _averaged(group: Group, curve: Curve) -> Frame:
    """The records of a cell."""
    own = np.arange(curve.axes["step"].shape[1]) < curve.records[:, None]
    steps, record, runs = np.unique(
        curve.axes["step"][own], return_inverse=True, return_counts=True
    )
    sizes = {"step": steps.astype(int), "batch": curve.batch, "seeds": len(curve.seeds)}
    found = {**group._asdict(), "method": curve.method, **sizes}
    for axis in ("time", "samples", "lmo"):
        found[axis] = np.bincount(record, curve.axes[axis][own], len(steps)) / runs
    scaled = dict(zip(curve.criteria, curve.values, strict=True))
    for name in CRITERIA:
        values = scaled[name][own] if name in scaled else np.full(len(record), np.nan)
        mean, half, kept = _interval(values, record, len(steps))
        back = (lambda y: y) if name in LINEAR else _power
        found[name] = back(mean)
        found[f"{name}_low"], found[f"{name}_high"] = back(mean - half), back(mean + half)
        found[f"{name}_lost"] = len(curve.seeds) - kept
    return pd.DataFrame(found)


def checked(traces: Frame) -> Frame:
    """Traces with all their columns, settings as text, or an error that says what is missing."""
    missing = [name for name in NEEDED if name not in traces]
    if missing or len(traces) == 0:
        what = f"without the columns {', '.join(missing)}" if missing else "without rows"
        raise ValueError(
            f"the report needs traces with the columns {', '.join(NEEDED)}, got traces {what}. "
            "Run `wolfnest reproduce` into that folder first, or name the folder of a finished run."
        )
    setting = traces["setting"].astype(object)
    return traces.assign(setting=setting.where(setting.notna(), "").astype(str))


def text(value: Any) -> str:
    """Text of a cell that may be missing.

    >>> text("λ=1"), text(None), text(float("nan"))
    ('λ=1', '', '')
    """
    return value if isinstance(value, str) else ""


def known(found: Frame) -> list[str]:
    """The criteria that have a value somewhere."""
    return [name for name in CRITERIA if np.isfinite(found[name].to_numpy(float)).any()]


def mean_and_half(values: np.ndarray) -> tuple[float, float]:
    """The mean of one sample and the half width of its interval.

    >>> [round(number, 2) for number in mean_and_half(np.array([1.0, 3.0]))]
    [2.0, 12.71]
    """
    mean, half, _ = _interval(np.asarray(values, float), np.zeros(len(values), int), 1)
    return float(mean[0]), float(half[0])


def _interval(
    values: np.ndarray, codes: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, half width of its interval (NaN for a single run) and number of finite values."""
    from scipy.special import stdtrit

    there = ~np.isnan(values)
    codes, values = codes[there], values[there]
    kept = np.bincount(codes, minlength=count)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(codes, values, count) / kept
        squares = np.bincount(codes, (values - mean[codes]) ** 2, count)
        error = np.sqrt(squares / (kept - 1) / kept)
        quantile = stdtrit(np.maximum(kept - 1, 1), 0.5 + LEVEL / 2)
        half = np.where(kept > 1, quantile * error, np.nan)
    return mean, half, kept


def _power(logs: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return 10.0**logs
