"""A portfolio by three nested levels: `python examples/portfolio.py --help`.

Chooses weights that maximise mean return minus standard deviation, with several methods, and
draws how fast each closes the Frank-Wolfe gap.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

import jax.numpy as jnp
import matplotlib
import numpy as np
from rich.console import Console
from rich.table import Table

import wolfnest as wn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

METHODS = {
    "PMVR-v1": wn.method("PMVR-v1", gradient_batch="separate"),
    "PMVR-v2": wn.method("PMVR-v2", gradient_batch="separate"),
    "PMM-v1": wn.method("PMM-v1", gradient_batch="separate"),
    "PMFS-v1": wn.method("PMFS-v1", gradient_batch="separate"),
    "automatic": None,
}


def made_up_returns(days: int = 25_000, assets: int = 12) -> tuple[np.ndarray, list[str]]:
    """Heavy-tailed daily returns in percent, driven by a market and assets of their own."""
    rng = np.random.default_rng(7)
    market = rng.standard_t(4, size=(days, 1))
    own = rng.standard_t(4, size=(days, assets)) * rng.uniform(0.3, 0.9, assets)
    exposure, drift = rng.uniform(0.3, 0.9, assets), rng.uniform(0.0, 0.15, assets)
    return drift + exposure * market + own, [f"asset {i + 1}" for i in range(assets)]


def read_returns(path: Path) -> tuple[np.ndarray, list[str]]:
    """A CSV file with a header and one return per asset; a first column of dates is left out."""
    with path.open(newline="") as file:
        header, *rows = [row for row in csv.reader(file) if row]
    dated = (
        header[0].strip().lower() in ("", "date", "day", "time", "caldt") or "-" in rows[0][0][1:]
    )
    return np.array([row[dated:] for row in rows], dtype=float), header[dated:]


def mean_deviation(returns: np.ndarray) -> wn.Problem:
    """`minimise -E[r·x] + √Var[r·x]` over the simplex, as three levels."""
    mean = wn.Level(lambda x, r: (r @ x, x), data=returns)
    variance = wn.Level(lambda y, r: (y[0], (r @ y[1] - y[0]) ** 2), data=returns)
    score = wn.Level(lambda z: -z[0] + jnp.sqrt(jnp.maximum(z[1], 0) + 1e-6))
    return wn.Problem([mean, variance, score], wn.sets.Simplex(returns.shape[1]), convex=True)


def draw(runs: dict[str, wn.Solution], path: Path) -> None:
    figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for axes, column in zip(panels, ("samples", "time"), strict=True):
        for name, run in runs.items():
            label = name if name != "automatic" else f"automatic ({run.solver.name})"
            axes.plot(run.trace[column], run.trace.frank_wolfe_gap, label=label)
        axes.set(yscale="log", xlabel={"time": "seconds"}.get(column, column))
    panels[0].set(ylabel="Frank-Wolfe gap", title="by samples")
    panels[1].set(title="by time")
    panels[0].legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="example: python examples/portfolio.py --samples 2000000 --out out/demo",
    )
    parser.add_argument(
        "--returns",
        type=Path,
        help="CSV with a header, one column of returns per asset and, first, one of dates if any; "
        "made-up returns if not given",
    )
    parser.add_argument(
        "--samples", type=int, default=20_000_000, help="samples per method (default 20 million)"
    )
    parser.add_argument("--out", type=Path, default=Path("out/demo"), help="folder for the figure")
    options = parser.parse_args()
    console = Console()

    returns, names = read_returns(options.returns) if options.returns else made_up_returns()
    problem = mean_deviation(returns)
    source = options.returns.name if options.returns else "made-up returns"
    console.print(
        f"[bold]{problem}[/bold]\ndata: {source}, {len(returns):,} days × {len(names)} assets"
    )

    runs = {}
    for name, solver in METHODS.items():
        runs[name] = wn.solve(
            problem,
            solver,
            budget={"samples": options.samples},
            progress=True,
            record_every=max(1, options.samples // 25_000),
        )
    console.print(f"automatic choice: {runs['automatic'].reason}")

    table = Table(title="Results")
    for heading in (
        "method",
        "objective",
        "Frank-Wolfe gap",
        "samples",
        "LMO calls",
        "µs per step",
    ):
        table.add_column(heading, justify="left" if heading == "method" else "right")
    for name, run in runs.items():
        cells = (run.trace.objective[-1], run.trace.frank_wolfe_gap[-1])
        costs = (f"{run.counts.samples:,}", f"{run.counts.lmo:,}")
        speed = f"{1e6 * run.seconds / run.steps:.1f}"
        table.add_row(name, f"{cells[0]:.6f}", f"{cells[1]:.2e}", *costs, speed)
    console.print(table)

    weights = np.asarray(runs["automatic"].x)
    chosen = sorted(zip(weights, names, strict=True), reverse=True)
    console.print("weights: " + ", ".join(f"{n} {w:.1%}" for w, n in chosen if w > 0.005))
    figure = options.out / "convergence.png"
    draw(runs, figure)
    console.print(f"figure: {figure}")


if __name__ == "__main__":
    sys.exit(main())
