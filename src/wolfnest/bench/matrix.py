"""Row 5: the matrix single-index model, projection-free methods against projected ones.

A projection onto the nuclear ball is a full singular value decomposition in every iteration. Time
until the gradient mapping has fallen to a share of its first value; the clock runs for the method
alone, not for criteria and compilation.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from wolfnest import methods, problems
from wolfnest.bench.row import Cell, Options, Row, Table
from wolfnest.bench.timing import shown
from wolfnest.solution import Solution
from wolfnest.solve import solve

SIZES, QUICK_SIZES = (500, 1_000), (6,)
ROWS, BATCH = 256, 16
SECONDS = {500: 40.0, 1_000: 80.0}  # of a method at a size, criteria included
SHARES = (0.3, 0.1, 0.03)
RUNS: dict[str, dict[str, Any]] = {
    "PMVR-v1": {"eta": 0.03, "alpha": 0.1},
    "PMVR-v2": {"eta": 0.3, "alpha": 0.1, "inner": 5},
    "SCSC": {},
    "NLASG": {},
}
OURS = ("PMVR-v1", "PMVR-v2")


def measure(options: Options) -> list[Table]:
    sizes = options.pick(SIZES, QUICK_SIZES)
    cells: list[list[Cell]] = []
    with jax.enable_x64(False), shown("E1", len(sizes) * len(RUNS)) as advance:
        for n in sizes:
            runs = {}
            for name, settings in RUNS.items():
                runs[name] = _run(n, name, settings, options)
                advance()
            cells += _lines(n, runs)
    return [
        Table(
            "E1: seconds until the gradient mapping is a share of its first value",
            (
                *("n", "method", "µs per step", "steps", "SVDs per step"),
                *(f"to {share:g}" for share in SHARES),
                *(f"fastest projected / this, to {share:g}" for share in SHARES),
            ),
            cells,
            f"{ROWS} fixed samples, batch {BATCH}, 32-bit floats. – is not reached within "
            f"{', '.join(f'{s:g} s at n = {n:,}' for n, s in SECONDS.items())} of wall time, which "
            "the criteria count towards.",
        )
    ]


def _run(n: int, name: str, settings: dict[str, Any], options: Options) -> Solution:
    problem = problems.matrix_single_index(n, rows=options.pick(ROWS, 16))
    solver = methods.method(name, batch=options.pick(BATCH, 4), **settings)
    limits: dict[str, Any] = {"budget": {"seconds": SECONDS.get(n, 1.0)}}
    return solve(
        problem,
        solver,
        jnp.asarray(problems.matrix_start(problem)),
        steps=options.pick(400, 4),
        criterion="gradient_mapping",
        record_every=options.pick(5, 2),
        progress=False,
        throw=False,
        **limits,
    )


def reached(run: Solution, share: float) -> float | None:
    """Seconds of the method until the criterion is a share of its first value."""
    values = np.asarray(run.trace.gradient_mapping)
    below = np.flatnonzero(values <= share * values[0])
    return float(np.asarray(run.trace.seconds)[below[0]]) if below.size else None


def _lines(n: int, runs: dict[str, Solution]) -> list[list[Cell]]:
    times = {name: [reached(run, share) for share in SHARES] for name, run in runs.items()}
    lines: list[list[Cell]] = []
    for name, run in runs.items():
        against: list[Cell] = []
        for place in range(len(SHARES)):
            own = times[name][place]
            others = [t[place] for rival, t in times.items() if rival not in OURS]
            known = [t for t in others if t is not None]
            fair = own is not None and known and name in OURS
            against.append(min(known) / own if fair else None)  # type: ignore[operator]
        per_step = 1e6 * run.seconds / max(1, run.steps)
        svds = 0 if name in OURS else 1
        lines.append([n, name, per_step, run.steps, svds, *times[name], *against])
    return lines


ROW = Row(
    number=5,
    name="matrix",
    title="E1 at n = 500 and 1,000: PMVR against methods that project",
    goal="sooner at every gradient mapping than methods that need a full SVD per step",
    measure=measure,
)
