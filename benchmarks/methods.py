"""Cost per iteration of every method, relative to PMVR-v1, measured side by side on one core.

Two problems over the simplex with 25,105 samples of d = 17 synthetic returns, batch 128, float64:
mean-variance (K = 2) and least squares (K = 1); and mean-variance with d = 100 for the methods
that keep dense Jacobians. Compilation, the start of a run and criteria are not timed; exact passes
within a run are.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import statistics
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from _timing import ASSETS, BATCH, DAYS, mean_variance  # pins to one core: before the rest

# isort: split

import jax
import numpy as np
from rich import box
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import wolfnest as wn
from wolfnest import engine
from wolfnest.estimators import Snapshot, Svrg
from wolfnest.estimators.spider import EpochEstimator
from wolfnest.schedules import Stagewise

REFERENCE = "PMVR-v1"
# Batches stay the same throughout a run; all else is as it comes.
SETTINGS = {"SPIDER-FW": {"regime": "nonconvex"}, "SCGS": {"batch_growth": 0.0}}
MANY_ASSETS, DENSE = 100, (REFERENCE, "SMVR", "Nested-SPIDER")
COLUMNS = ("ratio", "µs", "samples", "evaluations", "LMO", "bytes")
NOTE = (
    "ratio: time of an iteration over that of PMVR-v1 next to it, median of {rounds} rounds ± half "
    "the distance of the quartiles (the first row is PMVR-v1 against itself); samples, evaluations "
    "(samples × points) and oracle calls per iteration; bytes: the state of a run. Runs have "
    "{steps:,} iterations, rounded up to whole periods or epochs; stage-wise ones {staged:,}, in "
    "whole stages. LiNASA+ICG, NCGS and SGD+ICG make more oracle calls in longer runs (the latter "
    "two at most {inner:,} in a prox step)."
)


# ---- problems --------------------------------------------------------------------------------


def residual(x, row):
    return (row[:-1] @ x - row[-1]) ** 2


def least_squares(table: np.ndarray) -> wn.Problem:
    """The last asset as a mixture of the others: one level."""
    level = wn.Level(residual, data=table)
    return wn.Problem([level], wn.sets.Simplex(table.shape[1] - 1), convex=True)


def problems(days: int, quick: bool) -> dict[str, tuple[wn.Problem, tuple[str, ...]]]:
    """Problems by title, each with the methods to be timed on it; the last one is the large one."""
    table = wn.datasets.factor_model(days, ASSETS + 1, seed=0).values
    wide = wn.datasets.factor_model(days, MANY_ASSETS, seed=0).values
    every = one = wn.methods.names()
    if quick:  # those that mean-variance leaves out
        one = (REFERENCE, *(name for name in every if wn.methods.REGISTRY[name].most_levels == 1))
    return {
        f"K = 2, d = {ASSETS}": (mean_variance(table[:, :-1]), every),
        f"K = 1, d = {ASSETS}": (least_squares(table), one),
        f"K = 2, d = {MANY_ASSETS}": (mean_variance(wide), DENSE),
    }


# ---- one method on one problem ---------------------------------------------------------------


class Timed:
    """A method on a problem, compiled; `micros` times its iterations, always from the start."""

    def __init__(self, problem: wn.Problem, solver: wn.Solver, steps: int, seconds: float) -> None:
        self.problem, self.solver, self.key = problem, solver, jax.random.key(0)
        self.parts = engine.Run(solver.estimator, solver.direction, problem, False, False, False)
        self.stages = solver.schedule.stages(
            whole_steps(solver, problem, steps), problem.composition.largest
        )
        self.settings = [engine.Setting.of(stage) for stage in self.stages]
        self.steps = sum(stage.steps for stage in self.stages)
        batch = solver.initial_batch or self.stages[0].batch
        self.first, _ = engine.begin(self.parts, problem.start(), self.key, batch)
        self.calls, finite = self._run()  # compiles
        if not finite:
            raise SystemExit(f"{solver.name} left the finite numbers: its times mean nothing.")
        self.repeat = 1
        self.repeat = max(1, math.ceil(seconds * 1e6 / (self.micros() * self.steps)))

    def _run(self) -> tuple[int, bool]:
        """All stages; oracle calls made, and whether all is finite in the end."""
        carry, made, calls, finite = self.first, 0, [], True
        for number, (stage, setting) in enumerate(zip(self.stages, self.settings, strict=True)):
            if number:
                carry, _ = engine.begin_stage(
                    self.parts, carry, self.key, np.int32(number), stage.restart, False
                )
            place = map(np.int32, (made, 0, stage.steps))
            carry, lmo, finite = engine.advance(self.parts, carry, self.key, setting, *place)
            made, calls = made + stage.steps, [*calls, lmo]
        return sum(map(int, calls)), bool(finite)

    def micros(self) -> float:
        """Processor time of an iteration: on a shared core, others do not count."""
        start = time.process_time()
        for _ in range(self.repeat):
            self._run()
        return (time.process_time() - start) / (self.repeat * self.steps) * 1e6

    def costs(self) -> tuple[float, float, float]:
        """Samples, evaluations and oracle calls per iteration."""
        solver, composition = self.solver, self.problem.composition
        parts = [solver.stage_cost(composition, stage) for stage in self.stages[1:]]
        for stage in self.stages:
            parts.append(solver.estimator.steps_cost(composition, stage.batch, 1, stage.steps))
        totals = sum(part.samples for part in parts), sum(part.evaluations for part in parts)
        return totals[0] / self.steps, totals[1] / self.steps, self.calls / self.steps

    def state_bytes(self) -> int:
        return sum(leaf.nbytes for leaf in jax.tree.leaves(self.first.state))


def whole_steps(solver: wn.Solver, problem: wn.Problem, steps: int) -> int:
    """At least `steps`, in whole periods or epochs; whole stages are longer, since every stage
    is a call of its own."""
    estimator, composition = solver.estimator, problem.composition
    if isinstance(solver.schedule, Stagewise):
        return staged_steps(solver.schedule, steps)
    period = 1
    if isinstance(estimator, Snapshot):
        period = estimator.period_for(composition, BATCH)
    elif isinstance(estimator, Svrg | EpochEstimator):
        period = estimator.length(composition)
    return period * math.ceil(steps / period)


def staged_steps(schedule: Stagewise, steps: int) -> int:
    total = count = 0
    while total < 4 * steps:
        total, count = total + schedule.stage(count).steps, count + 1
    return total


# ---- all of them, interleaved ----------------------------------------------------------------


@dataclasses.dataclass
class Row:
    timed: Timed
    micros: list[float] = dataclasses.field(default_factory=list)
    ratios: list[float] = dataclasses.field(default_factory=list)

    def cells(self) -> list[str]:
        low, middle, high = statistics.quantiles(self.ratios, n=4, method="inclusive")
        spread = (high - low) / 2
        return [
            f"{middle:.2f} ± {spread:.2f}",
            f"{statistics.median(self.micros):.1f}",
            *map(short, self.timed.costs()),
            f"{self.timed.state_bytes():,}",
        ]


Group = dict[str, Row]


def short(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 or number == int(number) else f"{number:.3g}"


def prepared(
    problem: wn.Problem, names: Iterable[str], options: argparse.Namespace, shown: Any
) -> Group:
    group = {}
    for name in names:
        solver = wn.method(name, batch=BATCH, **SETTINGS.get(name, {}))
        if solver.supports(problem) is None:
            group[name] = Row(Timed(problem, solver, options.steps, options.seconds))
        shown()
    return group


def measure(group: Group, shown: Any) -> None:
    """One round: every method between two measurements of the reference."""
    reference = group[REFERENCE].timed
    before = reference.micros()
    for row in group.values():
        own, after = row.timed.micros(), reference.micros()
        row.micros.append(own)
        row.ratios.append(own / statistics.mean((before, after)))
        before = after
        shown()


# ---- tables ----------------------------------------------------------------------------------


def lines(groups: dict[str, Group]) -> Iterable[list[str]]:
    """Rows of a table with one group of columns per problem."""
    for name in dict.fromkeys(name for group in groups.values() for name in group):
        cells = [name]
        for group in groups.values():
            cells += group[name].cells() if name in group else ["–"] * len(COLUMNS)
        yield cells


def terminal_table(groups: dict[str, Group]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("method", no_wrap=True)
    for problem in groups:
        for column in COLUMNS:
            over = problem if column == COLUMNS[0] else ""
            heading = f"{over}\n{column}" if len(groups) > 1 else column
            table.add_column(heading, justify="right", no_wrap=True)
    if len(groups) == 1:
        table.title = next(iter(groups))
    for cells in lines(groups):
        table.add_row(*cells)
    return table


def markdown_table(groups: dict[str, Group]) -> str:
    headings = ["method"]
    for problem in groups:
        headings += [f"{problem}: {COLUMNS[0]}", *COLUMNS[1:]]
    rule = ["---"] + ["---:"] * (len(headings) - 1)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (headings, rule, *lines(groups)))


def show(console: Console, groups: dict[str, Group]) -> None:
    """One table if it fits, else one for each problem."""
    whole = terminal_table(groups)
    if console.measure(whole, options=console.options.update_width(1000)).maximum <= console.width:
        console.print(whole, "")
        return
    for problem, group in groups.items():
        console.print(terminal_table({problem: group}), "")


# ---- the command -----------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  python benchmarks/methods.py --rounds 15 --markdown table.md",
    )
    add = parser.add_argument
    add("--steps", type=int, default=10_000, help="iterations of a run (default: 10000)")
    add("--rounds", type=int, default=11, help="interleaved rounds, two or more (default: 11)")
    add(
        "--seconds",
        type=float,
        default=0.1,
        help="least time of one measurement, for which runs are repeated (default: 0.1)",
    )
    add("--markdown", type=Path, metavar="FILE", help="write the tables to FILE, too")
    add(
        "--quick",
        action="store_true",
        help="only see that all methods run, each on one problem: little data, few steps, no "
        "optimisation by the compiler; the times mean nothing",
    )
    options = parser.parse_args()
    if options.rounds < 2 or options.steps < 1:
        parser.error("--rounds must be 2 or more, --steps 1 or more")
    if options.markdown is not None and not options.markdown.parent.is_dir():
        parser.error(f"--markdown: there is no folder {options.markdown.parent}")
    options.days = DAYS
    if options.quick:
        options.steps, options.rounds, options.seconds, options.days = 20, 2, 0.0, 1_000
        jax.config.update("jax_disable_most_optimizations", True)
    return options


def timed(options: argparse.Namespace) -> dict[str, Group]:
    """Everything compiled, then timed round by round; the state of affairs on stderr."""
    asked, groups = problems(options.days, options.quick), {}
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        total = sum(len(names) for _, names in asked.values())
        task = progress.add_task("compiling", total=total)
        for title, (problem, names) in asked.items():
            groups[title] = prepared(problem, names, options, lambda: progress.advance(task))
        total = options.rounds * sum(map(len, groups.values()))
        rounds = progress.add_task("timing", total=total)
        for _ in range(options.rounds):
            for group in groups.values():
                measure(group, lambda: progress.advance(rounds))
    return groups


def main() -> None:
    options, console = arguments(), Console()
    groups = timed(options)
    *both, large = groups
    tables = [{title: groups[title] for title in both}, {large: groups[large]}]
    staged = max(row.timed.steps for group in groups.values() for row in group.values())
    inner = wn.methods.settings("NCGS")["inner"]
    note = NOTE.format(rounds=options.rounds, steps=options.steps, staged=staged, inner=inner)
    for table in tables:
        show(console, table)
    console.print(note)
    if options.markdown is not None:
        texts = [*map(markdown_table, tables), f"{note}\n"]
        options.markdown.write_text("\n".join(texts), encoding="utf-8")


if __name__ == "__main__":
    main()
