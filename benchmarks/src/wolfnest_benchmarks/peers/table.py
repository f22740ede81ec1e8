"""How much effort a gap takes a method, how long that takes, and the table of it."""

from __future__ import annotations

import dataclasses
import math
import statistics
import time

import numpy as np

from wolfnest_benchmarks.peers.methods import Method
from wolfnest_benchmarks.peers.minima import Minimum
from wolfnest_benchmarks.peers.others import TOLERANCES, Conic
from wolfnest_benchmarks.peers.problems import Instance

GAPS = (1e-2, 1e-4, 1e-6)
# Runs that take longer than this many seconds are timed in so many rounds only.
LONG, ROUNDS_OF_LONG = 3.0, 3


class Search:
    """Watches a method and notes the least effort at which each gap was met."""

    def __init__(self, instance: Instance, best: Minimum, seconds: float) -> None:
        self.instance, self.best = instance, best
        self.efforts: dict[float, int] = {}
        self.until, self.least = time.process_time() + seconds, math.inf

    def __call__(self, effort: int, x: np.ndarray) -> bool:
        # Conic solvers end a little outside of the set; what that gains does not count.
        inside = np.asarray(self.instance.domain.project(x))
        gap = self.best.relative(self.instance.value(inside))
        self.least = min(self.least, gap)
        for wanted in GAPS:
            if gap <= wanted:
                self.efforts.setdefault(wanted, effort)
        return len(self.efforts) < len(GAPS) and time.process_time() < self.until


@dataclasses.dataclass
class Row:
    """A method on an instance, or the reason why there is none; its times and their ratios to
    ours, one list per gap."""

    label: str
    ours: bool
    method: Method | None
    search: Search | None
    reason: str | None
    seconds: dict[float, list[float]] = dataclasses.field(
        default_factory=lambda: {gap: [] for gap in GAPS}
    )
    ratios: dict[float, list[float]] = dataclasses.field(
        default_factory=lambda: {gap: [] for gap in GAPS}
    )

    def effort(self, gap: float) -> int | None:
        return None if self.search is None else self.search.efforts.get(gap)

    def due(self, gap: float, number: int) -> bool:
        """Whether a long run is still to be timed in this round."""
        first = self.seconds[gap][:1]
        return number < ROUNDS_OF_LONG or not first or first[0] <= LONG


def measure(rows: list[Row], number: int, least: float) -> None:
    """One round of one instance: for every gap, ours and then each of the others."""
    for gap in GAPS:
        own = None
        for row in rows:
            effort = row.effort(gap)
            if row.method is None or effort is None or not (row.ours or row.due(gap, number)):
                continue
            if number == 0:
                row.method.run(effort)  # compiles
            spent = cost(row.method, effort, least)
            own = spent if row.ours else own
            row.seconds[gap].append(spent)
            if own is not None:
                row.ratios[gap].append(spent / own)


def cost(method: Method, effort: int, least: float) -> float:
    """Processor time of a run, repeated for at least so many seconds."""
    runs, start = 0, time.process_time()
    while True:
        method.run(effort)
        runs, spent = runs + 1, time.process_time() - start
        if spent >= least:
            return spent / runs


# ---- in words --------------------------------------------------------------------------------


def table(rows: list[Row], limit: float) -> list[str]:
    """The lines of a table in Markdown."""
    headings = ["", *(f"gap {gap:.0e}" for gap in GAPS)]
    lines = [headings, ["---"] * len(headings)]
    for row in rows:
        cells = [f"–, because {row.reason}", "–", "–"]
        if row.reason is None:
            cells = [cell(row, gap, limit) for gap in GAPS]
        lines.append([row.label, *cells])
    return [f"| {' | '.join(cells)} |" for cells in lines]


def cell(row: Row, gap: float, limit: float) -> str:
    effort = row.effort(gap)
    if effort is None:
        least = row.search.least if row.search is not None else math.nan
        return f"not in {limit:g} s (at {least:.0e})"
    median, spread = middle(row.seconds[gap])
    amount = f"tol {TOLERANCES[effort]:.0e}" if isinstance(row.method, Conic) else f"{effort:,}"
    if row.ours:
        return f"1 ({figure(median)} ± {figure(spread)} s; {amount})"
    told = f"({figure(median)} s; {amount})"
    if not row.ratios[gap]:
        return told
    ratio, spread = middle(row.ratios[gap])
    return f"**{figure(ratio)}** ± {figure(spread)} {told}"


def middle(values: list[float]) -> tuple[float, float]:
    """The median, and half the distance of the quartiles."""
    if len(values) < 2:
        return values[0], 0.0
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return median, (high - low) / 2


def figure(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2g}"
