"""A search for the best settings, with the same number of trials for every method."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from wolfnest_reproduction.define.grids import Axis

Settings = dict[str, float]
Point = tuple[float, ...]

# Smaller gaps count as this one: a logarithm needs a floor.
LEAST = 1e-16
# Values whose ratio is smaller than this are not told apart.
CLOSE = 1.2


class Tuned(NamedTuple):
    """The best settings, and how they were found."""

    settings: Settings
    score: float
    grid: dict[str, list[float]]
    """All values that were tried, per parameter."""
    runs: int
    extended: list[Settings]
    """Values beyond the grid that were tried."""
    at_edge: list[str]
    """Parameters whose best value is the smallest or the largest that there was to try."""
    scores: list[tuple[Settings, float]]

    def record(self) -> dict[str, Any]:
        """As JSON has it: a score that is not finite (a run that diverged) is None."""
        finite = lambda score: score if math.isfinite(score) else None
        scores = [[settings, finite(score)] for settings, score in self.scores]
        found = self._asdict() | {"score": finite(self.score), "scores": scores}
        del found["settings"]
        return found


NOTHING = Tuned({}, math.nan, grid={}, runs=0, extended=[], at_edge=[], scores=[])


def tune(score: Callable[[Settings], float], grid: Mapping[str, Axis], total: int) -> Tuned:
    """Minimise `score` over the product of the axes, then search around the best.

    What is left of `total` trials goes to the neighbours of the best point, one axis at a time:
    the next values of the ladder, beyond the grid where its end wins; once all are tried, values
    half-way (geometrically) to them. Values that take more time have a price (`Axis.price`). What
    is not a number counts as infinite; of equal scores the first one wins.

    >>> found = tune(lambda s: abs(s["a"] - 3), {"a": Axis((1, 2), above=(3, 4))}, total=4)
    >>> found.settings, found.runs, found.extended, found.at_edge
    ({'a': 3}, 4, [{'a': 3}, {'a': 4}], [])
    """
    axes = list(grid.values())
    ladders = [list(axis.ladder) for axis in axes]
    scores: dict[Point, float] = {}
    named = lambda point: dict(zip(grid, point, strict=True))

    def evaluate(point: Point) -> None:
        found = float(score(named(point)))
        scores[point] = math.inf if math.isnan(found) else found

    def priced(point: Point) -> float:
        return scores[point] + sum(axis.cost(at) for axis, at in zip(axes, point, strict=True))

    for point in itertools.product(*(axis.values for axis in axes)):
        evaluate(point)
    while len(scores) < total and math.isfinite(min(scores.values())):
        best = min(scores, key=priced)
        ahead = next((new for new in _neighbours(best, ladders) if new not in scores), None)
        if ahead is not None:
            evaluate(ahead)
        elif not _refine(best, axes, ladders):
            break
    best = min(scores, key=priced)
    tried = {name: sorted({point[i] for point in scores}) for i, name in enumerate(grid)}
    return Tuned(
        settings=named(best),
        score=scores[best],
        grid=tried,
        runs=len(scores),
        extended=[
            {name: value}
            for name, axis in grid.items()
            for value in tried[name]
            if not axis.values[0] <= value <= axis.values[-1]
        ],
        at_edge=[name for name, at in named(best).items() if grid[name].ends_at(at)],
        scores=[(named(point), value) for point, value in scores.items()],
    )


def _beside(value: float, ladder: list[float]) -> list[float]:
    """The next lower and the next higher value, where there are such."""
    at = ladder.index(value)
    return [*ladder[max(at - 1, 0) : at], *ladder[at + 1 : at + 2]]


def _neighbours(best: Point, ladders: list[list[float]]) -> Iterator[Point]:
    """The next values on every axis, the others left as they are."""
    for i, ladder in enumerate(ladders):
        yield from ((*best[:i], value, *best[i + 1 :]) for value in _beside(best[i], ladder))


def _refine(best: Point, axes: list[Axis], ladders: list[list[float]]) -> bool:
    """Put values between the best one and its neighbours; whether there was room for any."""
    refined = False
    for value, axis, ladder in zip(best, axes, ladders, strict=True):
        for other in _beside(value, ladder):
            if not axis.whole and max(value, other) / min(value, other) > CLOSE:
                ladder.append(float(f"{math.sqrt(value * other):.3g}"))
                refined = True
        ladder.sort()
    return refined


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
