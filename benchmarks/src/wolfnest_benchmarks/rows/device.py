"""Row 7: the same solver code on whatever device JAX finds, meant for a GPU; 32-bit floats.

The floor of an iteration is the time to read each sampled row once at the bandwidth that a copy on
the device reaches (bytes read and written both count). Data are made on the device.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from wolfnest import datasets, methods, problems
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.sets.singular_values import NuclearBall
from wolfnest_benchmarks.prepared import Prepared
from wolfnest_benchmarks.results import Cell, Spread, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.timing import interleaved, shown

ASSETS, DAYS, BATCH = 10_000, 100_000, 8_192
SIDE, SAMPLES, MATRICES = 4_096, 256, 64
SEEDS = 1_000
METHODS = ("PMVR-v1", "PMM-v1")
COPY = 1 << 29  # numbers in the array that is copied, 2 GiB


def measure(options: Options) -> list[Table]:
    with jax.enable_x64(False):
        bandwidth = Spread.of(_copy_bandwidth(options.pick(COPY, 1 << 12), options.repeats(9)))
        cells: list[list[Cell]] = []
        for make in (_portfolio, _matrix):
            cells += _against_floor(make, options, bandwidth.median)
        return [_floors(bandwidth, cells), _seeds(options)]


def _copy_bandwidth(count: int, rounds: int) -> list[float]:
    """Bytes per second, read and written, of a copy within the device's memory."""
    source = jax.random.normal(jax.random.key(0), (count,), jnp.float32)
    copy = jax.jit(lambda a: a + 1)
    times = _wall({"copy": lambda: jax.block_until_ready(copy(source))}, rounds, "bandwidth")
    return [2 * source.nbytes / t for t in times["copy"]]


def _wall(calls: dict[str, Callable[[], Any]], rounds: int, title: str) -> dict[str, list[float]]:
    """Times by the clock: the work is done elsewhere than in this process."""
    return interleaved(calls, rounds, clock=time.perf_counter, title=title)


# ---- large problems against the floor --------------------------------------------------------


def _portfolio(options: Options) -> tuple[str, Problem, Any, int, tuple[str, ...]]:
    """Mean-variance with many assets: title, problem, start, batch, methods."""
    days, assets = options.pick((DAYS, ASSETS), (64, 8))
    noise = jax.jit(lambda key: 0.05 + jax.random.normal(key, (days, assets), jnp.float32))
    table = noise(jax.random.key(0))
    title = f"mean-variance, d = {table.shape[1]:,}"
    return title, problems.mean_variance(table), None, options.pick(BATCH, 4), METHODS


def _matrix(options: Options) -> tuple[str, Problem, Any, int, tuple[str, ...]]:
    """E1 with large matrices, as a finite sum: rows are read, not drawn."""
    side, samples = options.pick((SIDE, SAMPLES), (6, 8))
    truth = problems.matrix_truth(side)

    @functools.partial(jax.jit, donate_argnums=0)
    def fill(data: Any, place: Any, key: Any) -> Any:
        one = jnp.eye(side) + 0.3 * jax.random.normal(key, (side, side), jnp.float32)
        return jax.lax.dynamic_update_slice(data, one[None], (place, 0, 0))

    data = jnp.zeros((samples, side, side), jnp.float32)
    with shown("matrices", samples) as advance:
        for place in range(samples):
            data = fill(data, place, jax.random.fold_in(jax.random.key(1), place))
            advance()
    labels = jax.jit(lambda a, b: jnp.einsum("kij,ij->k", a, b) ** 2)(data, truth)
    problem = Problem([Level(_loss, data=(data, labels))], NuclearBall((side, side)))
    start = problems.matrix_start(problem)
    return f"E1, n = {side:,}", problem, start, options.pick(MATRICES, 2), METHODS


def _loss(b: Any, sample: Any) -> Any:
    a, y = sample
    return (y - jnp.vdot(a, b) ** 2) ** 2


def _against_floor(make: Any, options: Options, bandwidth: float) -> list[list[Cell]]:
    title, problem, start, batch, every = make(options)
    names = options.pick(every, every[:1])
    steps, rounds = options.pick(50, 3), options.repeats(7)
    runs = {
        name: Prepared(problem, methods.method(name, batch=batch, eta=1e-3), steps, x0=start)
        for name in names
    }
    floor = batch * problem.composition.sample_bytes / bandwidth
    times = _wall(dict(runs), rounds, title)
    return [
        [
            *(title, name, batch, Spread.of(1e6 * t / runs[name].steps for t in found)),
            *(1e6 * floor, Spread.of(t / runs[name].steps / floor for t in found)),
            runs[name].calls / runs[name].steps,
        ]
        for name, found in times.items()
    ]  # fmt: skip


def _floors(bandwidth: Spread, cells: list[list[Cell]]) -> Table:
    device = jax.devices()[0]
    return Table(
        f"On {device.device_kind}: iterations against the floor",
        ("problem", "method", "batch", "µs per step", "floor, µs", "over the floor", "LMO calls"),
        cells,
        f"The floor reads each sampled row once at the measured copy bandwidth, "
        f"{bandwidth.median / 1e9:,.0f} ± {bandwidth.half / 1e9:,.0f} GB/s. Oracle calls are part "
        "of a step and not of the floor. Data are arguments of the compiled function. Peak memory "
        f"on the device: {_peak(device)}.",
    )


def _peak(device: Any) -> str:
    stats = device.memory_stats() or {}
    found = stats.get("peak_bytes_in_use")
    return "not known" if found is None else f"{found / 2**30:.1f} GiB"


# ---- many seeds of row 1 ---------------------------------------------------------------------


def _seeds(options: Options) -> Table:
    """Row 1's mean-variance: one run, and a thousand at once."""
    days, assets = options.pick((25_105, 17), (100, 5))
    table = datasets.factor_model(days, assets, seed=0).values.astype(np.float32)
    problem, steps = problems.mean_variance(table), options.pick(1_000, 4)
    batch = options.pick(128, 4)
    cells: list[list[Cell]] = []
    for name in options.pick(("PMVR-v1", "PMVR-v2", "PMM-v1", "PMFS-v1"), ("PMFS-v1",)):
        solver = methods.method(name, batch=batch)
        alone = Prepared(problem, solver, steps)
        many = Prepared(problem, solver, steps, seeds=options.pick(SEEDS, 3))
        times = _wall({"alone": alone, "many": many}, options.repeats(5), name)
        share = [b / a / many.key.size for a, b in zip(times["alone"], times["many"], strict=True)]
        cells.append([
            *(name, Spread.of(1e6 * t / alone.steps for t in times["alone"])),
            *(Spread.of(1e6 * t / many.steps for t in times["many"]), Spread.of(share)),
        ])  # fmt: skip
    count = options.pick(SEEDS, 3)
    return Table(
        f"{count:,} seeds at once, mean-variance, d = {assets}, L = {days:,}, batch {batch}",
        ("method", "one, µs per step", "all, µs per step", "a run of many over one alone"),
        cells,
        "32-bit floats; every seed draws its own rows.",
    )


ROW = Row(
    number=7,
    name="device",
    title="the same code on an accelerator: time of an iteration over that of reading its rows",
    goal="within 3 times the floor on one GPU",
    measure=measure,
    place="machine",
)
