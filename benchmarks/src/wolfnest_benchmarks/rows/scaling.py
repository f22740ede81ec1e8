"""Row 2: how the cost of an iteration grows with K, d, the batch, L and the inner steps.

PMVR-v1 (v2 for the inner steps), everything but the swept size as in row 1. The exponent is the
slope of the upper half of a sweep in logarithms: the lower half is what an iteration costs anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from wolfnest import methods, problems
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.sets.simplex import Simplex
from wolfnest_benchmarks.prepared import Prepared
from wolfnest_benchmarks.results import Cell, Spread, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.timing import interleaved, missing

DAYS, ASSETS, BATCH = 25_105, 17, 128
FEW_ASSETS = 4  # with 1e8 rows, in 32-bit floats: 1.6 GB
FEW_DAYS = 1_000  # with 1e5 assets: 0.8 GB
BLOCK = 1 << 22

# What is swept: its values, and tiny ones.
SIZES = {
    "K": ((1, 2, 3, 4, 5, 6, 7, 8), (2, 3)),
    "d": ((10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000), (4, 8)),
    "batch": ((1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000), (2, 4)),
    "L": ((10**3, 10**4, 10**5, 10**6, 10**7, 10**8), (50, 100)),
    "N": ((1, 3, 10, 30, 100, 300, 1_000), (1, 3)),
}
# What growth is fitted to is counted from here: K levels have K - 1 layers below the last one.
ORIGIN = {"K": 1}
# Neither the rows of a batch at large d nor random rows of long data fit into caches.
EXPECTED = {
    "K": "1 in K - 1",
    "d": "1, up to caches",
    "batch": "1",
    "L": "0, up to caches",
    "N": "1",
}


def measure(options: Options) -> list[Table]:
    cells: list[list[Cell]] = []
    curves: dict[str, tuple[tuple[int, ...], list[Spread]]] = {}
    for name, make in SWEEPS.items():
        sizes = options.pick(*SIZES[name])
        found = [Spread.of(times) for times in _sweep(name, make, sizes, options)]
        curves[name] = sizes, found
        cells.append([
            *(name, f"{sizes[0]:,} … {sizes[-1]:,}", found[0], found[-1]),
            *(round(_exponent(name, sizes, found), 2), EXPECTED[name]),
        ])  # fmt: skip
    every = Table(
        "Every size",
        ("size", "value", "µs per iteration"),
        [
            [name, size, one]
            for name, (sizes, found) in curves.items()
            for size, one in zip(sizes, found, strict=True)
        ],
        "K: levels `y ↦ tanh(r ∘ y)` under `(r·y)²`, d = 17. d: 1,000 rows. L: four assets in "
        "32-bit floats, uniform rows. N: PMVR-v2. Else mean-variance, d = 17, L = 25,105.",
    )
    skipped = _plot(curves, options.figures)
    whole = Table(
        "Growth of the cost of an iteration",
        ("size", "values", "µs, smallest", "µs, largest", "exponent", "expected"),
        cells,
        "The exponent is the slope of the upper half of the values, in logarithms.",
        skipped,
    )
    return [whole, every]


def slope(sizes: tuple[int, ...], costs: list[float]) -> float:
    """The exponent of growth, over the upper half of the sizes.

    >>> round(slope((1, 10, 100, 1000), [1.0, 1.0, 2.0, 20.0]), 3)
    1.0
    """
    half = len(sizes) // 2 if len(sizes) > 3 else 0
    return float(np.polyfit(np.log(sizes[half:]), np.log(costs[half:]), 1)[0])


def _exponent(name: str, sizes: tuple[int, ...], found: list[Spread]) -> float:
    counted = tuple(size - ORIGIN.get(name, 0) for size in sizes)
    return slope(counted, [each.median for each in found])


def _sweep(
    name: str, make: Callable[[int], Prepared], sizes: tuple[int, ...], options: Options
) -> Iterator[list[float]]:
    """Microseconds per iteration of every size. Sizes are measured one after the other, not
    interleaved: the largest ones would not fit into memory together."""
    for size in sizes:
        run = make(size)
        pause = options.pick(0.2, 0.0)
        title = f"{name} = {size:,}"
        times = interleaved({title: run}, options.repeats(5), seconds=pause, title=title)
        yield [1e6 * t / run.steps for t in times[title]]


def _steps(work: int) -> int:
    """Iterations of a call that takes long enough to be timed and not much longer."""
    return int(np.clip(4e8 // max(1, work), 4, 4_000))


def _returns(days: int, assets: int, dtype: Any = np.float64) -> np.ndarray:
    """Returns without structure, made quickly and in place: what they are does not matter."""
    rng = np.random.default_rng(0)
    table = np.empty((days, assets), dtype)
    flat = table.reshape(-1)
    for begin in range(0, flat.size, BLOCK):
        part = flat[begin : begin + BLOCK]
        part[:] = rng.random(part.size, np.float32) - np.float32(0.45)
    return table


def _portfolio(table: np.ndarray, batch: int, method: str = "PMVR-v1", **settings: Any) -> Prepared:
    problem = problems.mean_variance(table)
    steps = _steps(table.shape[1] * batch)
    return Prepared(problem, methods.method(method, batch=batch, **settings), steps)


def _layer(y: Any, r: Any) -> Any:
    return jnp.tanh(r * y)


def _square(y: Any, r: Any) -> Any:
    return (r @ y) ** 2


def _levels(count: int) -> Prepared:
    table = _returns(DAYS, ASSETS)
    levels = [Level(_layer, data=table) for _ in range(count - 1)]
    problem = Problem([*levels, Level(_square, data=table)], Simplex(ASSETS))
    return Prepared(problem, methods.method("PMVR-v1", batch=BATCH), 2_000)


SWEEPS: dict[str, Callable[[int], Prepared]] = {
    "K": _levels,
    "d": lambda d: _portfolio(_returns(FEW_DAYS, d), BATCH),
    "batch": lambda batch: _portfolio(_returns(DAYS, ASSETS), batch),
    "L": lambda days: _portfolio(_returns(days, FEW_ASSETS, np.float32), BATCH),
    "N": lambda n: _portfolio(_returns(DAYS, ASSETS), BATCH, "PMVR-v2", inner=n),
}


def _plot(curves: dict[str, Any], folder: Path | None) -> tuple[str, ...]:
    """`scaling.png`: one panel per size; returns why there is none."""
    if folder is None:
        return ("the plot: no --figures folder was given",)
    why = missing("matplotlib")
    if why:
        return (f"the plot: {why}",)
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(curves), figsize=(15, 3), layout="constrained")
    for axis, (name, (sizes, found)) in zip(axes, curves.items(), strict=True):
        costs, halves = [one.median for one in found], [one.half for one in found]
        axis.errorbar(sizes, costs, halves, marker="o", markersize=4, linewidth=1.5, color="C0")
        axis.set(xscale="log", yscale="log", xlabel=name)
        if sizes[-1] <= 10 * sizes[0]:  # less than a decade: powers of ten would not label it
            axis.set_xticks(sizes, [str(size) for size in sizes])
            axis.minorticks_off()
        # At least two decades, so that what is flat looks flat.
        axis.set_ylim(min(costs) / 1.5, max(1.5 * max(costs), 100 * min(costs)))
        axis.set_title(f"exponent {_exponent(name, sizes, found):.2f}", fontsize=10)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("µs per iteration")
    figure.savefig(folder / "scaling.png", dpi=110)
    pyplot.close(figure)
    return ()


ROW = Row(
    number=2,
    name="scaling",
    title="growth of the cost of an iteration with K, d, batch, L and inner steps",
    goal="at most linear in K, d, batch and N, flat in L",
    measure=measure,
)
