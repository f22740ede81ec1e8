"""Row 10: time to a given gap, against copt, jaxopt and conic solvers through CVXPY.

Logistic regression and least squares on an L1 ball, matrix completion on a nuclear ball and minimum
variance on a capped simplex. A gap is `F(x) - min F` as a share of what there is to gain from the
start. First every method shows how many steps (or which tolerance) it needs for a gap; then runs of
that length are timed, round by round, ours next to the others.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Annotated

import jax
import numpy as np

from wolfnest import methods
from wolfnest.running import engine
from wolfnest.running.carry import Carry
from wolfnest.sets import NuclearBall
from wolfnest_benchmarks.peers.certified_minimum import CERTIFIED, CertifiedMinimum
from wolfnest_benchmarks.peers.clarabel_scs_highs import Conic
from wolfnest_benchmarks.peers.compared_method import MOST_STEPS, Method, Stepwise, Unsupported
from wolfnest_benchmarks.peers.convex_problems import Instance, instances
from wolfnest_benchmarks.peers.copt import Copt
from wolfnest_benchmarks.peers.jaxopt import Jaxopt
from wolfnest_benchmarks.results import Cell, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.timing import FEW, interleaved, missing, tracked

GAPS = (1e-2, 1e-4, 1e-6)
LONG = 3.0  # seconds above which a run is timed in a few rounds only
NAMES = ("logistic", "squares", "completion", "variance")
OURS = "wolfnest"


class Ours(Stepwise):
    """Pairwise steps on polytopes. The vertices of a curved set never come twice, and keeping them
    gains nothing: plain steps there, with a line search. Run by the compiled loop of `wn.solve`,
    without its records."""

    def __init__(self, instance: Instance) -> None:
        curved = isinstance(instance.domain, NuclearBall)
        name, settings = ("FW", {"step": "secant"}) if curved else ("PFW", {})
        self.label = ", ".join([OURS, name, *(f"{key}={value}" for key, value in settings.items())])
        self.solver = methods.method(name, **settings)
        self.problem, self.key, solver = instance.problem(), jax.random.key(0), self.solver
        self.parts = engine.Run(solver.iteration, self.problem)
        [stage] = solver.schedule.stages(MOST_STEPS, None)
        self.steps = engine.Steps(self.parts, engine.Setting.of(stage))

    def begin(self) -> Carry:
        return engine.begin(self.parts, self.problem.start(), self.key, 1)[0]

    def advance(self, carry: Carry, first: int, last: int) -> Carry:
        """What the state keeps grows in between where it must."""
        while first < last:
            room = self.solver.direction.room(carry.state)
            if room == 0:
                carry = engine.grow(self.parts, carry)
                continue
            n = last - first if room is None else min(last - first, room)
            carry, _, _ = self.steps(carry, self.key, first, first, n)
            first += n
        return carry

    def point(self, carry: Carry) -> jax.Array:
        return carry.state.x


# A method with the package that it needs.
ENTRIES: dict[str, tuple[str, Callable[[Instance], Method]]] = {
    OURS: ("wolfnest", Ours),
    "copt, Frank-Wolfe": ("copt", partial(Copt, variant="vanilla")),
    "copt, pairwise": ("copt", partial(Copt, variant="pairwise")),
    "copt, projected, accelerated": ("copt", partial(Copt, variant="projected")),
    "jaxopt, projected": ("jaxopt", partial(Jaxopt, stepsize="search")),
    "jaxopt, projected, steps 1/L": ("jaxopt", partial(Jaxopt, stepsize="constant")),
    "CVXPY, Clarabel": ("clarabel", partial(Conic, solver="CLARABEL")),
    "CVXPY, SCS": ("scs", partial(Conic, solver="SCS")),
}


class Search:
    """Watches a method and notes the least effort at which each gap was met."""

    def __init__(
        self, method: Method, instance: Instance, best: CertifiedMinimum, seconds: float
    ) -> None:
        self.method, self.instance, self.best = method, instance, best
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


def measure(
    options: Options,
    *,
    limit: Annotated[float, "seconds of processor time that a method may search"] = 60.0,
    seconds: Annotated[float, "least seconds of one measurement, which repeats runs"] = 0.05,
    only: Annotated[tuple[str, ...], "the problems", NAMES] = NAMES,
) -> list[Table]:
    asked = [instance for instance in instances(options.quick) if instance.name in only]
    limit = options.pick(limit, min(limit, 5.0))
    return [_table(instance, options, limit, seconds) for instance in asked]


def _table(instance: Instance, options: Options, limit: float, seconds: float) -> Table:
    runs, skipped = _searched(instance, limit)
    cells: dict[str, list[Cell]] = {label: [label] for label in runs}
    for gap in GAPS:
        efforts = {label: run.efforts.get(gap) for label, run in runs.items()}
        calls = {
            label: partial(runs[label].method.run, effort)
            for label, effort in efforts.items()
            if effort is not None
        }
        title = f"{instance.title}, {gap:.0e}"
        times = interleaved(calls, options, 5, seconds=seconds, long=LONG, title=title)
        own = next((label for label in times if isinstance(runs[label].method, Ours)), None)
        for label, effort in efforts.items():
            if effort is None:
                cells[label] += [None, None, None]
                continue
            over = 1 if label == own else times.ratio(label, str(own))
            cells[label] += [over, times.spread(label), runs[label].method.amount(effort)]
    for label, run in runs.items():
        cells[label].append(None if len(run.efforts) == len(GAPS) else run.least)
    headings = (f"{what} {gap:.0e}" for gap in GAPS for what in ("ratio to", "s to", "steps to"))
    return Table(
        instance.title,
        ("method", *headings, "least gap"),
        list(cells.values()),
        f"ratio: time over that of {OURS} next to it, above 1 where we are faster; median of "
        f"{options.repeats(5)} interleaved rounds ± half the distance of the quartiles ({FEW} "
        f"rounds of runs that take more than {LONG:g} s); then seconds, and steps or the solver's "
        f"tolerance. The least gap is that found in {limit:g} s, where this is not the last one. "
        "Processor time; compilation and CVXPY's rewriting of a problem are left out. The minimum "
        f"is known to {CERTIFIED:g} of what there is to gain.",
        skipped,
    )


def _searched(instance: Instance, limit: float) -> tuple[dict[str, Search], tuple[str, ...]]:
    """What every method needs for the gaps; and why some are missing."""
    best = CertifiedMinimum.of(instance)
    runs: dict[str, Search] = {}
    skipped: list[str] = []
    for label, (package, make) in tracked([*ENTRIES.items()], f"{instance.title}: steps needed"):
        reason = missing(package)
        try:
            method = make(instance) if reason is None else None
        except Unsupported as unsupported:
            method, reason = None, str(unsupported)
        if method is None:
            skipped.append(f"{label}: {reason}")
            continue
        name = method.label if isinstance(method, Ours) else label
        runs[name] = Search(method, instance, best, limit)
        method.trace(runs[name])
    return runs, tuple(skipped)


ROW = Row(
    number=10,
    name="gaps",
    title="time to a given gap on four convex problems, against copt, jaxopt, Clarabel and SCS",
    goal="sooner than conic solvers and other Frank-Wolfe codes; projections may be sooner",
    measure=measure,
)
