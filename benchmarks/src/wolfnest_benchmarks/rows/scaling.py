"""Row 2: how the cost of an iteration grows with K, d, the batch, L and the inner steps.

PMVR-v1 (v2 for the inner steps), everything but the swept size as in row 1. The exponent is the
slope of the upper half of a sweep in logarithms: the lower half is what an iteration costs anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from wolfnest import methods, problems
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.sets.simplex import Simplex
from wolfnest_benchmarks.prepared import Prepared
from wolfnest_benchmarks.results import Spread, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.timing import interleaved

DAYS, ASSETS, BATCH = 25_105, 17, 128
FEW_ASSETS = 4  # with 1e8 rows, in 32-bit floats: 1.6 GB
FEW_DAYS = 1_000  # with 1e5 assets: 0.8 GB
BLOCK = 1 << 22


# ---- what is swept ---------------------------------------------------------------------------


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
    solver = methods.method(method, batch=batch, **settings)
    # A call that takes long enough to be timed and not much longer.
    steps = int(np.clip(4e8 // (table.shape[1] * batch), 4, 4_000))
    return Prepared(problems.mean_variance(table), solver, steps)


def _levels(count: int) -> Prepared:
    table = _returns(DAYS, ASSETS)
    layers = [Level(lambda y, r: jnp.tanh(r * y), data=table) for _ in range(count - 1)]
    problem = Problem([*layers, Level(lambda y, r: (r @ y) ** 2, data=table)], Simplex(ASSETS))
    return Prepared(problem, methods.method("PMVR-v1", batch=BATCH), 2_000)


class Sweep(NamedTuple):
    """What makes a run of a size, the sizes, tiny ones, and the exponent that is expected. Growth
    is fitted to what sizes exceed `origin` by: K levels have K - 1 layers below the last one."""

    make: Callable[[int], Prepared]
    sizes: Sequence[int]
    tiny: Sequence[int]
    expected: str
    origin: int = 0


# Neither the rows of a batch at large d nor random rows of long data fit into caches.
SWEEPS = {
    "K": Sweep(_levels, range(1, 9), (2, 3), "1 in K - 1", origin=1),
    "d": Sweep(
        lambda d: _portfolio(_returns(FEW_DAYS, d), BATCH),
        (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000),
        (4, 8),
        "1, up to caches",
    ),
    "batch": Sweep(
        lambda batch: _portfolio(_returns(DAYS, ASSETS), batch),
        (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000),
        (2, 4),
        "1",
    ),
    "L": Sweep(
        lambda days: _portfolio(_returns(days, FEW_ASSETS, np.float32), BATCH),
        (10**3, 10**4, 10**5, 10**6, 10**7, 10**8),
        (50, 100),
        "0, up to caches",
    ),
    "N": Sweep(
        lambda n: _portfolio(_returns(DAYS, ASSETS), BATCH, "PMVR-v2", inner=n),
        (1, 3, 10, 30, 100, 300, 1_000),
        (1, 3),
        "1",
    ),
}
Curves = Mapping[str, Mapping[int, Spread]]


# ---- the measurement -------------------------------------------------------------------------


def measure(options: Options) -> list[Table]:
    curves = {
        name: {
            size: _cost(sweep.make(size), f"{name} = {size:,}", options)
            for size in options.pick(sweep.sizes, sweep.tiny)
        }
        for name, sweep in SWEEPS.items()
    }
    growth = Table(
        "Growth of the cost of an iteration",
        ("size", "values", "µs, smallest", "µs, largest", "exponent", "expected"),
        [
            [
                *(name, f"{min(curve):,} … {max(curve):,}", curve[min(curve)], curve[max(curve)]),
                *(round(_exponent(name, curve), 2), SWEEPS[name].expected),
            ]
            for name, curve in curves.items()
        ],
        "The exponent is the slope of the upper half of the values, in logarithms.",
        ("the plot: no --figures folder was given",) if options.figures is None else (),
    )
    every = Table(
        "Every size",
        ("size", "value", "µs per iteration"),
        [[name, size, cost] for name, curve in curves.items() for size, cost in curve.items()],
        "K: levels `y ↦ tanh(r ∘ y)` under `(r·y)²`, d = 17. d: 1,000 rows. L: four assets in "
        "32-bit floats, uniform rows. N: PMVR-v2. Else mean-variance, d = 17, L = 25,105.",
    )
    if options.figures is not None:
        _plot(curves, options.figures / "scaling.png")
    return [growth, every]


def _cost(run: Prepared, title: str, options: Options) -> Spread:
    """Microseconds per iteration. Sizes are measured one after the other, not interleaved: the
    largest ones would not fit into memory together."""
    times = interleaved({title: run}, options, 5, seconds=0.2, title=title)
    return times.spread(title, 1e6 / run.steps)


def _exponent(name: str, curve: Mapping[int, Spread]) -> float:
    sizes = [size - SWEEPS[name].origin for size in curve]
    return slope(sizes, [cost.median for cost in curve.values()])


def slope(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """The exponent of growth, over the upper half of the sizes.

    >>> round(slope((1, 10, 100, 1000), [1.0, 1.0, 2.0, 20.0]), 3)
    1.0
    """
    half = len(sizes) // 2 if len(sizes) > 3 else 0
    return float(np.polyfit(np.log(sizes[half:]), np.log(costs[half:]), 1)[0])


def _plot(curves: Curves, path: Path) -> None:
    """One panel per size."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(curves), figsize=(15, 3), layout="constrained")
    for axis, (name, curve) in zip(axes, curves.items(), strict=True):
        costs, halves = zip(*((cost.median, cost.half) for cost in curve.values()), strict=True)
        axis.errorbar([*curve], costs, halves, marker="o", markersize=4, linewidth=1.5, color="C0")
        axis.set(xscale="log", yscale="log", xlabel=name)
        if max(curve) <= 10 * min(curve):  # less than a decade: powers of ten would not label it
            axis.set_xticks([*curve], [str(size) for size in curve])
            axis.minorticks_off()
        # At least two decades, so that what is flat looks flat.
        axis.set_ylim(min(costs) / 1.5, max(1.5 * max(costs), 100 * min(costs)))
        axis.set_title(f"exponent {_exponent(name, curve):.2f}", fontsize=10)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("µs per iteration")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


ROW = Row(
    number=2,
    name="scaling",
    title="growth of the cost of an iteration with K, d, batch, L and inner steps",
    goal="at most linear in K, d, batch and N, flat in L",
    measure=measure,
)
