"""Traces of single runs, averaged over seeds: mean and confidence interval per record.

Criteria that fall by orders of magnitude are averaged as logarithms (geometric mean), the
objective as it is. Intervals are those of the mean, at 95 %, by Student's t on the same scale.
Runs without a finite value at a record are left out of its mean and counted as lost.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np

from wolfnest_reproduction.judge.curves import FLOORS
from wolfnest_reproduction.show import labels, legend

# A pandas data frame. Pandas declares that indexing one gives almost anything, which a type
# checker can then do nothing with.
Frame = Any

GROUP = ["experiment", "data", "setting", "horizon"]
CELL = [*GROUP, "method"]
AXES = ("time", "step", "samples", "lmo")
CRITERIA = ("optimal_gap", "objective", "frank_wolfe_gap", "gradient_mapping")
LINEAR = ("objective",)
LEVEL = 0.95
NEEDED = [*CELL, "batch", "seed", "step", "time", "samples", "lmo", *CRITERIA]


class Results(Protocol):
    """What a run left behind (`wolfnest_reproduction.load` reads it from a folder)."""

    @property
    def traces(self) -> Frame: ...
    @property
    def cells(self) -> Frame: ...
    @property
    def baselines(self) -> Frame: ...
    @property
    def info(self) -> dict[str, Any]: ...
    @property
    def folder(self) -> Path | None: ...


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
    traces = checked(traces)
    cell = _numbered(traces, CELL)
    step = traces["step"].to_numpy()
    record, first = _paired(cell, step)
    count = len(first)
    found = traces[[*CELL, "step", "batch"]].iloc[first].reset_index(drop=True)
    found["seeds"] = _seeds(cell, traces["seed"].to_numpy())[cell[first]]
    runs = np.bincount(record, minlength=count)
    for axis in ("time", "samples", "lmo"):
        found[axis] = np.bincount(record, traces[axis].to_numpy(float), count) / runs
    group = _numbered(traces, GROUP)
    starts = np.full(int(cell.max()) + 1, np.inf)
    np.minimum.at(starts, cell, step)
    for name in CRITERIA:
        values = _scaled(traces[name].to_numpy(float, copy=True), name, group, step == starts[cell])
        mean, half, kept = _interval(values, record, count)
        back = (lambda y: y) if name in LINEAR else _power
        found[name] = back(mean)
        found[f"{name}_low"], found[f"{name}_high"] = back(mean - half), back(mean + half)
        found[f"{name}_lost"] = found["seeds"].to_numpy() - kept
    return _sorted(found)


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


def last(found: Frame) -> Frame:
    """The last record of every cell."""
    return found.groupby(CELL, sort=False, observed=True).tail(1).reset_index(drop=True)


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


def _numbered(traces: Frame, names: list[str]) -> np.ndarray:
    """Which of the different combinations of these columns a row has, from 0."""
    return traces.groupby(names, sort=False, observed=True).ngroup().to_numpy()


def _paired(cell: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number of every row's record, and the first row of every record."""
    order = np.lexsort((step, cell))
    fresh = np.ones(len(order), bool)
    fresh[1:] = (np.diff(cell[order]) != 0) | (np.diff(step[order]) != 0)
    record = np.empty(len(order), int)
    record[order] = np.cumsum(fresh) - 1
    return record, order[fresh]


def _seeds(cell: np.ndarray, seed: np.ndarray) -> np.ndarray:
    """How many seeds every cell has."""
    pairs = np.unique(np.stack([cell, seed]), axis=1)[0]
    return np.bincount(pairs)


def _scaled(values: np.ndarray, name: str, group: np.ndarray, at_start: np.ndarray) -> np.ndarray:
    """A criterion on the scale on which it is averaged; NaN where a run has no finite value.

    What is below the floor, a tiny share of the start, is rounding, and counts as the floor.
    """
    values[~np.isfinite(values)] = np.nan
    if name in LINEAR:
        return values
    floors = np.full(int(group.max()) + 1, np.finfo(float).tiny)
    begun = at_start & (values > 0)
    for code in range(len(floors)):
        starts = values[begun & (group == code)]
        if starts.size:
            floors[code] = max(FLOORS[name] * float(np.median(starts)), floors[code])
    return np.log10(np.maximum(values, floors[group]))


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


def _sorted(found: Frame) -> Frame:
    """Experiments, data and horizons in natural order, methods as in legends."""
    ranks = {
        "experiment": _ranks(found["experiment"], labels.natural),
        "data": _ranks(found["data"], labels.natural),
        "setting": _ranks(found["setting"], labels.natural, reverse=True),  # λ=1 before λ=0.2
        "horizon": found["horizon"],
        "method": _ranks(found["method"], legend.place),
        "step": found["step"],
    }
    order = np.lexsort([np.asarray(ranks[name]) for name in reversed(list(ranks))])
    return found.iloc[order].reset_index(drop=True)


def _ranks(names: Any, key: Any, *, reverse: bool = False) -> np.ndarray:
    order = sorted({str(name) for name in names}, key=key, reverse=reverse)
    rank = {name: k for k, name in enumerate(order)}
    return np.array([rank[str(name)] for name in names])
