"""Traces as curves, one per method and group: the criteria over every axis, one row per seed.

Criteria that fall by orders of magnitude are kept as log10, not below a floor; the objective as it
is. Verdicts compare these curves, and figures average them over seeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

AXES = ("time", "step", "samples", "lmo")
LINEAR = ("objective",)
# Values below this share of the value at the start count as this share. The gradient mapping is a
# squared norm, so its share is squared as well.
FLOORS = {"optimal_gap": 1e-9, "frank_wolfe_gap": 1e-9, "gradient_mapping": 1e-18}
# The logarithm of a lost run. A number rather than infinity: two lost runs are then a tie, and
# means and quantiles stay free of NaN. `infinite` turns what it dominates into infinity.
LOST = 1e9


class Group(NamedTuple):
    """What is comparable: cells with the same experiment, data, setting and horizon."""

    experiment: str
    data: str
    setting: str
    horizon: int


class Facts(NamedTuple):
    """What is known of a cell beside its traces."""

    time_spread: float = 0.0  # of a whole run, relative to its median
    at_edge: bool = False  # whether a tuned setting ended at an edge of its grid
    certificate: float = 0.0  # how far the best value known may lie above the minimum


class Curve(NamedTuple):
    """All runs of one method in one group.

    `axes[name]` is (seeds, records); `values` is (criteria, seeds, records), NaN where a value is
    not finite; `lost` is (criteria, seeds). Of each seed the first `records` are its own, the
    rest repeat its last one.
    """

    method: str
    batch: int
    seeds: np.ndarray
    records: np.ndarray
    axes: dict[str, np.ndarray]
    criteria: tuple[str, ...]
    values: np.ndarray
    lost: np.ndarray
    facts: Facts = Facts()

    def end(self, axis: str) -> float:
        """The time (or number of samples) that the runs reached: their median."""
        last = self.axes[axis][:, -1]
        kept = ~self.lost.any(axis=0)
        return float(np.median(last[kept] if kept.any() else last))

    def until(self, axis: str, end: float) -> tuple[np.ndarray, np.ndarray]:
        """The curves at `end` and their means over [0, end], both (criteria, seeds).

        Between records, log10 is linear; before the first record it is that of the first, after
        the last record that of the last. The integral of that is exact: no grid is needed.

        >>> x, y = np.array([[1.0, 3.0]]), np.array([[[0.0, -2.0]]])
        >>> one, kept = np.array([0]), np.array([[False]])
        >>> curve = Curve("A", 1, one, one + 2, {"time": x}, ("gap",), y, kept)
        >>> value, mean = curve.until("time", 2.0)
        >>> float(value[0, 0]), float(mean[0, 0])
        (-1.0, -0.25)
        """
        x, y = self.axes[axis], self.values
        x = np.concatenate([np.zeros((len(x), 1)), x], axis=1)
        y = np.concatenate([y[..., :1], y], axis=2)
        last = (x <= end).sum(axis=1)[:, None] - 1
        following = np.minimum(last + 1, x.shape[1] - 1)
        (x0, y0), (x1, y1) = _at(x, y, last), _at(x, y, following)
        share = np.where(x1 > x0, (end - x0) / np.where(x1 > x0, x1 - x0, 1.0), 0.0)
        value = y0 + share * (y1 - y0)
        whole = np.diff(x, axis=1) * (y[..., 1:] + y[..., :-1]) / 2
        area = np.where(np.arange(whole.shape[2]) < last, whole, 0.0).sum(axis=2, keepdims=True)
        mean = (area + (end - x0) * (y0 + value) / 2) / end
        return np.where(self.lost, LOST, value[..., 0]), np.where(self.lost, LOST, mean[..., 0])


Curves = dict[Group, dict[str, Curve]]


def _at(x: np.ndarray, y: np.ndarray, record: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A record of every seed; `record` is (seeds, 1)."""
    return np.take_along_axis(x, record, 1), np.take_along_axis(y, record[None], 2)


def infinite(logs: np.ndarray) -> np.ndarray:
    """Means that lost runs dominate, as infinity: finite ones stay far below 300 decades."""
    return np.where(np.abs(logs) > 300, np.copysign(np.inf, logs), logs)


def read(
    traces: pd.DataFrame,
    criteria: tuple[str, ...],
    facts: Mapping[tuple[Group, str], Facts] | None = None,
) -> Curves:
    """The curves of every group by method, with those criteria that are finite somewhere in it.

    `facts` go with the curves of their cells. Optimal gaps count as no less than the certificate.
    """
    if len(traces) == 0:
        return {}
    setting = traces["setting"].astype(object)
    traces = traces.assign(setting=setting.where(setting.notna(), ""))
    # A column that is missing is NaN: it is then not compared.
    columns = {
        name: np.asarray(traces[name] if name in traces else np.full(len(traces), np.nan), float)
        for name in (*AXES, *criteria, "seed", "batch")
    }
    columns |= {name: np.nan_to_num(columns[name]).astype(int) for name in ("seed", "batch")}
    status = traces["status"].isin(["diverged"]) if "status" in traces else len(traces) * [False]
    columns["diverged"] = np.asarray(status, dtype=bool)
    cells: dict[Group, dict[str, dict[str, np.ndarray]]] = {}
    found: Any = traces.groupby([*Group._fields, "method"], sort=True, observed=True)
    for (experiment, data, setting, horizon, method), rows in found.indices.items():
        group = Group(experiment, data, setting, int(horizon))
        cells.setdefault(group, {})[method] = _records(columns, rows)
    return {group: _curves(group, of, criteria, facts or {}) for group, of in cells.items()}


def _records(columns: dict[str, np.ndarray], rows: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of a cell as (seeds, records); short runs repeat their last record."""
    rows = rows[np.lexsort((columns["step"][rows], columns["seed"][rows]))]
    starts, counts = np.unique(columns["seed"][rows], return_index=True, return_counts=True)[1:]
    places = starts[:, None] + np.minimum(np.arange(counts.max()), counts[:, None] - 1)
    return {name: column[rows[places]] for name, column in columns.items()} | {"records": counts}


def _curves(
    group: Group,
    cells: dict[str, dict[str, np.ndarray]],
    criteria: tuple[str, ...],
    facts: Mapping[tuple[Group, str], Facts],
) -> dict[str, Curve]:
    known = tuple(
        name for name in criteria if any(np.isfinite(cell[name]).any() for cell in cells.values())
    )
    certificate = max((one.certificate for (of, _), one in facts.items() if of == group), default=0)
    starts = lambda name: np.concatenate([cell[name][:, 0] for cell in cells.values()])
    floors = {name: floor(name, starts(name), certificate) for name in known}
    return {
        method: Curve(
            method,
            int(cell["batch"][0, 0]),
            cell["seed"][:, 0],
            cell["records"],
            {name: cell[name] for name in AXES},
            known,
            *_values(cell, floors),
            facts.get((group, method), Facts()),
        )
        for method, cell in cells.items()
    }


def floor(criterion: str, starts: np.ndarray, certificate: float = 0.0) -> float:
    """The least that a criterion counts as, from its values at the start.

    >>> starts = np.array([0.5, 1.0, np.nan, 2.0])
    >>> floor("optimal_gap", starts), floor("optimal_gap", starts, certificate=0.1)
    (1e-09, 0.1)
    """
    if criterion in LINEAR:
        return -np.inf
    starts = starts[np.isfinite(starts) & (starts > 0)]
    scale = float(np.median(starts)) if starts.size else 1.0
    least = max(FLOORS.get(criterion, 1e-9) * scale, float(np.finfo(float).tiny))
    return max(least, certificate) if criterion == "optimal_gap" else least


def _values(cell: dict[str, np.ndarray], floors: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """The criteria on the scale on which they are averaged, and which runs are lost."""
    shape = len(floors), *cell["seed"].shape
    values = np.reshape([cell[name] for name in floors], shape)
    values = np.where(np.isfinite(values), values, np.nan)
    lost = np.asarray(np.isnan(values).any(axis=2) | cell["diverged"].any(axis=1))
    for scaled, (name, least) in zip(values, floors.items(), strict=True):
        if name not in LINEAR:
            scaled[:] = np.log10(np.maximum(scaled, least))
    return values, lost
