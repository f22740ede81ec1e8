"""Solvers without sampling: their curves over time, and when sampling methods are ahead of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wolfnest_reproduction.define.experiments import EXPERIMENTS
from wolfnest_reproduction.run.baselines import TOLERANCE
from wolfnest_reproduction.show import averages
from wolfnest_reproduction.show.averages import Frame

COLUMNS = ("objective", "optimal_gap", "frank_wolfe_gap")
LEAST = 1e-16  # gaps below this are rounding, and count as this


class Baseline(NamedTuple):
    """One solver on one problem. `time` and each of `values` have one entry per record; a solver
    that only says when it was done has a single one."""

    name: str
    experiments: tuple[str, ...]
    """Those that pose this problem."""
    data: str
    setting: str
    time: np.ndarray
    values: dict[str, np.ndarray]

    @property
    def is_curve(self) -> bool:
        return len(self.time) > 1

    @property
    def solved(self) -> float:
        """When the problem was solved to the solver's tolerance; infinite if it stopped before."""
        if "optimal_gap" in self.values and "objective" in self.values:
            gap, scale = self.values["optimal_gap"][-1], abs(self.values["objective"][-1])
        else:
            gaps = self.values.get("frank_wolfe_gap", np.array([np.inf]))
            gap, scale = gaps[-1], gaps[0]
        met = len(self.time) > 0 and gap <= 1.01 * TOLERANCE * scale  # 1 % for rounding
        return float(self.time[-1]) if met else np.inf

    @property
    def where(self) -> tuple[tuple[str, ...], str, str]:
        """The same for solvers of the same problem."""
        return self.experiments, self.data, self.setting


def read(baselines: Frame | None, found: Frame) -> list[Baseline]:
    """The solvers with a time, each with those experiments of `found` that pose its problem.

    >>> import pandas as pd
    >>> row = {"experiment": "E2", "data": "D", "setting": "", "solver": "exact Frank-Wolfe",
    ...     "time": 2.0, "curve": '{"time": [1.0, 2.0], "optimal_gap": [0.5, null]}'}
    >>> there = pd.DataFrame({"experiment": ["E2", "E3", "E4"]})
    >>> one = read(pd.DataFrame([row]), there)[0]
    >>> one.experiments, one.values["optimal_gap"]
    (('E2', 'E4'), array([0.5, nan]))
    """
    return [one for _, one in _pairs(baselines, found) if len(one.time)]


def against(baselines: Frame | None, found: Frame) -> Frame:
    """Every solver, beside the sampling method that was lowest when it was done, and the last time
    at which some sampling method was lower than every solver.

    Lowest in the optimal gap where it is known, else in the Frank-Wolfe gap; over all horizons and
    all experiments with the same problem.
    """
    pairs, rows = _pairs(baselines, found), []
    for row, own in pairs:
        same = found["experiment"].isin(own.experiments) & (found["data"] == own.data)
        part = found[same & (found["setting"] == own.setting)]
        known = bool(np.isfinite(part["optimal_gap"].to_numpy(float)).any())
        criterion = "optimal_gap" if known else "frank_wolfe_gap"
        others = [one for _, one in pairs if one.where == own.where]
        told = {
            "setting": own.setting,
            "note": averages.text(row.get("note")),
            **_lowest(part, criterion, row.get("time")),
            "solved": own.solved if np.isfinite(own.solved) else np.nan,
            "ahead_until": ahead(part, others, criterion),
        }
        rows.append({name: value for name, value in row.items() if name != "curve"} | told)
    return pd.DataFrame(rows)


def ahead(part: Frame, solvers: Sequence[Baseline], criterion: str) -> float:
    """Until when a sampling method was lower than all solvers: infinite if no solver ever came
    lower, NaN if none of them was ever ahead.

    What a method has reached by some time is its lowest value until then. Once a solver has met its
    tolerance the problem is solved: what gets lower later comes too late.
    """
    part = part[np.isfinite(part[criterion].to_numpy(float)) & (part[f"{criterion}_lost"] == 0)]
    curves = [one for one in solvers if criterion in one.values]
    if part.empty or not curves:
        return float("nan")
    times = np.unique(np.concatenate([part["time"], *(one.time for one in curves)]))
    sampled = _reached(part["time"].to_numpy(float), part[criterion].to_numpy(float), times)
    exact = np.min([_reached(one.time, one.values[criterion], times) for one in curves], axis=0)
    exact[times >= min(one.solved for one in curves)] = 0.0
    (lower,) = np.nonzero(sampled < exact)
    if not lower.size:
        return float("nan")
    # It stays lower until the next record, which ends its lead.
    return float([*times, np.inf][lower[-1] + 1])


def _reached(time: np.ndarray, values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The lowest value until each of `times`; infinite before the first."""
    order = np.argsort(time, kind="stable")
    lowest = np.fmin.accumulate(np.where(np.isnan(values), np.inf, values)[order])
    place = np.searchsorted(time[order], times, side="right")
    return np.concatenate([[np.inf], lowest])[place]


def _lowest(part: Frame, criterion: str, done: Any) -> dict[str, Any]:
    """The method, with its experiment, that was lowest by then."""
    part = part[part["time"] <= (np.nan if done is None else float(done))]
    lowest = part[part[f"{criterion}_lost"] == 0].nsmallest(1, criterion)
    one = lowest.iloc[0] if len(lowest) else {}
    return {
        "best_method": str(one.get("method", "")),
        "best_experiment": str(one.get("experiment", "")),
        "best_criterion": criterion,
        "best_value": one.get(criterion, np.nan),
        "best_time": one.get("time", np.nan),
    }


def _pairs(baselines: Frame | None, found: Frame) -> list[tuple[dict[Any, Any], Baseline]]:
    """The rows of the table, each with what it says of a solver."""
    if baselines is None or len(baselines) == 0:
        return []
    there = list(dict.fromkeys(map(str, found["experiment"])))
    return [(row, _baseline(row, there)) for row in baselines.to_dict("records")]


def _baseline(row: Mapping[Any, Any], there: Sequence[str]) -> Baseline:
    own = str(row["experiment"])
    problem = lambda name: EXPERIMENTS[name].problem if name in EXPERIMENTS else name
    names = tuple(name for name in there if problem(name) == problem(own)) or (own,)
    curve = json.loads(averages.text(row.get("curve")) or "{}")
    given = curve or {name: [row.get(name)] for name in ("time", *COLUMNS)}
    time = _floats(given["time"])
    kept = np.isfinite(time)
    values = {name: _floats(given[name])[kept] for name in COLUMNS if name in given}
    for name in set(values) - set(averages.LINEAR):
        values[name] = np.maximum(values[name], LEAST)
    finite = {key: column for key, column in values.items() if np.isfinite(column).any()}
    setting = averages.text(row.get("setting"))
    return Baseline(str(row["solver"]), names, str(row["data"]), setting, time[kept], finite)


def _floats(values: Sequence[Any]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], float)
