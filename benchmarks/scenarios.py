"""Many scenarios: mean-semideviation and CVaR beside conic solvers, at sizes that grow.

Synthetic heavy-tailed returns of 100 assets (`wn.datasets.factor_model`), weights on the simplex,
λ = 1, relative accuracy 1e-3. Every run is a process of its own, for its peak memory. Ours: time
from the table in memory to weights whose certificate is at most 1e-3 of the objective (once with
compilation, once without), in 32-bit floats. Theirs: the exact model through CVXPY, at sizes that
grow until one takes longer than the limit; what a solver did not finish is not tried larger.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

ASSETS, RISK, ACCURACY = 100, 1.0, 1e-3
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
# The gap at which a run stops is relative to mean and risk together: a little less than asked.
TOLERANCE = 0.8 * ACCURACY
MEASURES = ("semideviation", "cvar")
SOLVERS = {"semideviation": ("CLARABEL", "SCS"), "cvar": ("CLARABEL", "SCS", "HIGHS")}
HEADINGS = ("measure", "scenarios", "solver", "seconds", "again", "peak MiB", "objective", "note")
OURS = "wolfnest"


def returns_of(rows: int) -> np.ndarray:
    from wolfnest import datasets

    return datasets.factor_model(rows, ASSETS, seed=0).values


def exact(measure: str, returns: np.ndarray, weights: np.ndarray) -> float:
    from wolfnest.problems import risk

    weights = np.maximum(weights, 0) / np.maximum(weights, 0).sum()
    return RISK * risk.evaluate(measure, returns, weights) - float(returns.mean(0) @ weights)


# ---- in a process of its own -----------------------------------------------------------------


def ours(measure: str, returns: np.ndarray) -> dict[str, Any]:
    from wolfnest.portfolio import PortfolioOptimizer

    times = []
    for _ in range(2):
        began = time.perf_counter()
        model = PortfolioOptimizer(measure, RISK, tol=TOLERANCE).fit(returns)
        times.append(time.perf_counter() - began)
    relative = float(model.certificate_.relative)
    note = f"certificate {relative:.1e}, {model.solution_.steps} steps"
    if relative > ACCURACY:
        note = f"not reached: {note}"
    weights = np.asarray(model.weights_)
    return {"seconds": times[0], "again": times[1], "weights": weights.tolist(), "note": note}


def theirs(measure: str, returns: np.ndarray, solver: str) -> dict[str, Any]:
    import cvxpy as cp

    began = time.perf_counter()
    x = cp.Variable(returns.shape[1], nonneg=True)
    gains, mean = returns @ x, returns.mean(0)
    if measure == "cvar":
        tau = cp.Variable()
        rho = tau + cp.sum(cp.pos(-gains - tau)) / (0.05 * len(returns))
    else:
        rho = cp.norm(cp.pos(mean @ x - gains), 2) / math.sqrt(len(returns))
    program = cp.Problem(cp.Minimize(-mean @ x + RISK * rho), [cp.sum(x) == 1])
    program.solve(solver=solver)
    seconds = time.perf_counter() - began
    if x.value is None:
        return {"seconds": seconds, "note": f"failed: {program.status}"}
    return {"seconds": seconds, "weights": np.asarray(x.value).tolist(), "note": program.status}


def child(solver: str, measure: str, rows: int) -> None:
    returns = returns_of(rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = ours(measure, returns) if solver == OURS else theirs(measure, returns, solver)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found |= {"peak": peak / 1024, "table": returns.nbytes / 2**20, "before": before / 1024}
    if "weights" in found:
        found["objective"] = exact(measure, returns, np.asarray(found.pop("weights")))
    print(json.dumps(found))


# ---- all of them -----------------------------------------------------------------------------


def solvers() -> list[str]:
    import cvxpy

    return cvxpy.installed_solvers()


def run(solver: str, measure: str, rows: int, limit: float) -> dict[str, Any]:
    words = [sys.executable, __file__, "--child", solver, measure, str(rows)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"note": f"not done after {limit:.0f} s", "failed": True}
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        reason = "out of memory" if done.returncode < 0 else lines[-1] if lines else "failed"
        return {"note": reason[:80], "failed": True}
    return json.loads(done.stdout.splitlines()[-1])


def cells(measure: str, rows: int, solver: str, found: dict[str, Any]) -> list[str]:
    number = lambda key, form: form.format(found[key]) if key in found else "–"
    return [
        measure, f"{rows:,}", solver, number("seconds", "{:.1f}"), number("again", "{:.1f}"),
        number("peak", "{:,.0f}"), number("objective", "{:.6f}"), found["note"],
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  python benchmarks/scenarios.py --sizes 10000 100000 --limit 120",
    )
    add = parser.add_argument
    add("--sizes", type=int, nargs="+", default=list(SIZES), help="numbers of scenarios")
    add("--measures", nargs="+", default=list(MEASURES), choices=MEASURES)
    add("--limit", type=float, default=600.0, help="seconds for a peer (default: 600)")
    add("--only-ours", action="store_true", help="without peers")
    add("--markdown", type=Path, metavar="FILE", help="write the table to FILE, too")
    add("--child", nargs=3, metavar=("SOLVER", "MEASURE", "ROWS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child[0], options.child[1], int(options.child[2]))
        return
    console, grid = Console(), Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in HEADINGS:
        left = heading in ("measure", "solver", "note")
        grid.add_column(heading, justify="left" if left else "right")
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    installed = () if options.only_ours else solvers()
    beaten: set[tuple[str, str]] = set()
    errors = Console(stderr=True)
    with errors.status("") as status:
        for measure in options.measures:
            for rows in sorted(options.sizes):
                for solver in (OURS, *(one for one in SOLVERS[measure] if one in installed)):
                    if (measure, solver) in beaten:
                        continue
                    status.update(f"{measure}, {rows:,} scenarios, {solver}")
                    found = run(solver, measure, rows, options.limit)
                    if found.get("failed"):
                        beaten.add((measure, solver))
                    line = cells(measure, rows, solver, found)
                    grid.add_row(*line)
                    errors.print(" ".join(line), soft_wrap=True, highlight=False)
                    lines.append("| " + " | ".join(line) + " |")
                    if options.markdown is not None:  # a long run leaves what it has
                        options.markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")
    console.print(grid)


if __name__ == "__main__":
    main()
