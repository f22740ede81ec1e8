"""Cost of one PMVR-v1 iteration against a hand-written NumPy loop, measured side by side.

Mean-variance (d = 17, L = 25,105, batch 128, float64), sampling included, on one core:
`python benchmarks/iteration.py`. Also shows that memory beside the data does not grow with L.
"""

from __future__ import annotations

import argparse
import statistics
import time

from _timing import ASSETS, BATCH, DAYS, RISK, mean_variance  # pins to one core: before the rest

# isort: split

import jax
import numpy as np
from rich.console import Console
from rich.table import Table

import wolfnest as wn
from wolfnest import engine

ETA, ALPHA = 0.01, 0.1


def returns(days: int = DAYS) -> np.ndarray:
    rng = np.random.default_rng(0)
    market = rng.standard_t(4, size=(days, 1))
    return 0.04 + 0.8 * market + 0.5 * rng.standard_t(4, size=(days, ASSETS))


# ---- the same method by hand -----------------------------------------------------------------


def batch_gradient(x, y1, y2, r1, r2):
    """Paired product of the Jacobians of the two levels, averaged over the batch."""
    residual = r2 @ y2 + y1
    slope = 1 + 2 * RISK * residual
    return (-(slope @ r1) + 2 * RISK * (residual @ r2)) / len(r1)


def numpy_loop(table: np.ndarray, steps: int, seed: int) -> tuple[np.ndarray, float]:
    """PMVR-v1, written for this problem alone. Returns the point and µs per iteration."""
    rng = np.random.default_rng(seed)
    days, assets = table.shape
    x = np.full(assets, 1 / assets)
    r1, r2 = table[rng.integers(days, size=(2, BATCH))]
    y1, y2 = -(r1 @ x).mean(), x.copy()
    objective = y1 + RISK * np.mean((r2 @ y2 + y1) ** 2)
    v = batch_gradient(x, y1, y2, r1, r2)
    start = time.perf_counter()
    for _ in range(steps):
        z = np.zeros(assets)
        z[np.argmin(v)] = 1.0
        old_x, old_y1, old_y2 = x, y1, y2
        x = x + ETA * (z - x)
        r1, r2 = table[rng.integers(days, size=(2, BATCH))]
        y1 = (1 - ALPHA) * (y1 + (r1 @ old_x).mean()) - (r1 @ x).mean()
        y2 = (1 - ALPHA) * (y2 - old_x) + x
        now = y1 + RISK * np.mean((r2 @ y2 + y1) ** 2)
        before = old_y1 + RISK * np.mean((r2 @ old_y2 + old_y1) ** 2)
        objective = (1 - ALPHA) * (objective - before) + now
        g_now = batch_gradient(x, y1, y2, r1, r2)
        g_before = batch_gradient(old_x, old_y1, old_y2, r1, r2)
        v = (1 - ALPHA) * (v - g_before) + g_now
    return x, (time.perf_counter() - start) / steps * 1e6


def wolfnest_loop(problem: wn.Problem, steps: int, seed: int) -> tuple[np.ndarray, float]:
    solver = wn.method("PMVR-v1", eta=ETA, alpha=ALPHA, batch=BATCH)
    run = wn.solve(problem, solver, steps=steps, key=seed, record_every=steps, progress=False)
    return np.asarray(run.x), run.seconds / steps * 1e6


# ---- memory ----------------------------------------------------------------------------------


def memory_beside_data(days: int) -> tuple[int, int]:
    """Bytes of the data, and bytes that the compiled loop needs beside its arguments."""
    problem = mean_variance(returns(days))
    solver = wn.method("PMVR-v1", batch=BATCH)
    parts = engine.Run(solver.estimator, solver.direction, problem, False, False, False)
    key = jax.random.key(0)
    carry, _ = engine.begin(parts, problem.start(), key, BATCH)
    zero = np.asarray(0, np.int32)
    setting = engine.Setting.of(solver.schedule.stages(10)[0])
    compiled = engine.advance.lower(parts, carry, key, setting, zero, zero, zero).compile()
    analysis = compiled.compiled.memory_analysis()
    return 2 * days * ASSETS * 8, analysis.temp_size_in_bytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40_000, help="steps per repetition")
    parser.add_argument("--repeat", type=int, default=7, help="interleaved repetitions")
    options = parser.parse_args()
    console, table = Console(), returns()
    problem = mean_variance(table)
    wolfnest_loop(problem, options.steps, 0)  # compiles
    by_hand, ours = [], []
    for seed in range(options.repeat):
        x, cost = numpy_loop(table, options.steps // 8, seed)
        by_hand.append((cost, float(problem.value(x))))
        x, cost = wolfnest_loop(problem, options.steps, seed)
        ours.append((cost, float(problem.value(x))))
    rows = Table(
        title=f"PMVR-v1, mean-variance, d = {ASSETS}, L = {DAYS:,}, batch {BATCH}, one core"
    )
    for heading in ("loop", "µs per iteration (median)", "best", "objective reached"):
        rows.add_column(heading, justify="left" if heading == "loop" else "right")
    for name, found in (("NumPy, by hand", by_hand), ("wolfnest", ours)):
        costs = [cost for cost, _ in found]
        value = statistics.median(value for _, value in found)
        rows.add_row(name, f"{statistics.median(costs):.2f}", f"{min(costs):.2f}", f"{value:.4f}")
    console.print(rows)
    ratios = [hand[0] / own[0] for hand, own in zip(by_hand, ours, strict=True)]
    console.print(
        f"ratio NumPy / wolfnest, median of pairs: [bold]{statistics.median(ratios):.1f}×[/bold]"
    )
    console.print("memory of the compiled loop beside its arguments:")
    for days in (1_000, 25_105, 1_000_000):
        data, extra = memory_beside_data(days)
        console.print(
            f"  L = {days:>9,}: data {data / 2**20:8.1f} MiB, loop {extra / 2**10:8.1f} KiB"
        )


if __name__ == "__main__":
    main()
