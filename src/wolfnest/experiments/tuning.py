"""A search over a grid that grows where its edge wins, with the same budget for every method."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from wolfnest.experiments.grids import Axis

Settings = dict[str, float]

# Smaller gaps count as this one: a logarithm needs a floor.
LEAST = 1e-16


@dataclasses.dataclass(frozen=True)
class Tuned:
    """The best settings, and how they were found."""

    settings: Settings
    score: float
    grid: dict[str, list[float]]
    """All values that were tried, per parameter."""
    runs: int
    extended: list[Settings]
    """The values by which the grid grew, in order."""
    at_edge: list[str]
    """Parameters whose best value is the smallest or the largest that was tried, and might have
    been beyond."""
    scores: list[tuple[Settings, float]]

    def record(self) -> dict[str, Any]:
        """As JSON has it: a score that is not finite (a run that diverged) is None."""
        finite = lambda score: score if math.isfinite(score) else None
        return {
            "grid": self.grid,
            "runs": self.runs,
            "extended": self.extended,
            "at_edge": self.at_edge,
            "score": finite(self.score),
            "scores": [[settings, finite(score)] for settings, score in self.scores],
        }


def tune(
    score: Callable[[Settings], float], grid: Mapping[str, Axis], extensions: int = 0
) -> Tuned:
    """Minimise `score` over the product of the axes, then grow those whose end wins.

    At most `extensions` times, an axis whose end is best gets the next value beyond it, tried with
    all values of the others. What is not a number counts as infinite; of equal scores the first
    one wins.

    >>> found = tune(lambda s: abs(s["a"] - 3), {"a": Axis((1, 2), above=(3, 4))}, extensions=2)
    >>> found.settings, found.runs, found.extended, found.at_edge
    ({'a': 3}, 4, [{'a': 3}, {'a': 4}], [])
    """
    values = {name: axis.values for name, axis in grid.items()}
    scores: list[tuple[Settings, float]] = []

    def evaluate(axes: Mapping[str, tuple[float, ...]]) -> None:
        for point in itertools.product(*axes.values()):
            settings = dict(zip(axes, point, strict=True))
            found = float(score(settings))
            scores.append((settings, math.inf if math.isnan(found) else found))

    evaluate(values)
    extended: list[Settings] = []
    while len(extended) < extensions:
        best = min(scores, key=lambda entry: entry[1])[0]
        ahead = {name: axis.beyond(values[name], best[name]) for name, axis in grid.items()}
        open_ends = {name: value for name, value in ahead.items() if value is not None}
        if not open_ends or not math.isfinite(min(value for _, value in scores)):
            break
        # Both ends may win: the axes take turns.
        name = min(open_ends, key=lambda name: sum(name in grown for grown in extended))
        new = open_ends[name]
        evaluate({**values, name: (new,)})
        values[name] = tuple(sorted((*values[name], new)))
        extended.append({name: new})
    settings, lowest = min(scores, key=lambda entry: entry[1])
    at_edge = [
        name
        for name, tried in values.items()
        if settings[name] in (tried[0], tried[-1]) and settings[name] != grid[name].limit
    ]
    grids = {name: list(tried) for name, tried in values.items()}
    return Tuned(settings, lowest, grids, len(scores), extended, at_edge, scores)


def area(samples: np.ndarray, gaps: np.ndarray, budget: float) -> float:
    """The mean of log10 of the gap over [0, budget] samples, averaged over seeds.

    `gaps` is (seeds, records); before the first record the gap is that of the first, after the
    last that of the last. A gap that is not finite makes it infinite.

    >>> area(np.array([0, 10]), np.array([[1.0, 0.01]]), budget=20)
    -1.5
    """
    if not np.isfinite(gaps).all():
        return math.inf
    logs = np.log10(np.maximum(gaps, LEAST))
    x = np.concatenate([[0.0], samples, [max(budget, float(samples[-1]))]])
    y = np.concatenate([logs[:, :1], logs, logs[:, -1:]], axis=1)
    return float(np.mean(np.trapezoid(y, x, axis=1) / x[-1]))
