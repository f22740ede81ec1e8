"""Row 7: the same solver code on whatever device JAX finds, meant for a GPU; 32-bit floats.

The floor of an iteration is the time to read each sampled row once at the bandwidth that a copy on
the device reaches (bytes read and written both count). Data are made on the device.
"""

from __future__ import annotations

import functools
import time
from typing import Any, NamedTuple

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
from wolfnest_benchmarks.timing import interleaved, tracked

ASSETS, DAYS, BATCH = 10_000, 100_000, 8_192
SIDE, SAMPLES, MATRICES = 4_096, 256, 64
SEEDS = 1_000
METHODS = ("PMVR-v1", "PMM-v1")
COPY = 1 << 29  # numbers in the array that is copied, 2 GiB
# The work is done elsewhere than in this process: by the clock.
timed = functools.partial(interleaved, clock=time.perf_counter)


def measure(options: Options) -> list[Table]:
    with jax.enable_x64(False):
        bandwidth = _copy_bandwidth(options)
        cells: list[list[Cell]] = []
        for make in (_portfolio, _matrix):  # one after the other: together they would not fit
            cells += _against_floor(make(options), options, bandwidth.median)
        return [_floors(bandwidth, cells), _seeds(options)]


def _copy_bandwidth(options: Options) -> Spread:
    """Bytes per second, read and written, of a copy within the device's memory."""
    source = jax.random.normal(jax.random.key(0), (options.pick(COPY, 1 << 12),), jnp.float32)
    copy = jax.jit(lambda a: a + 1)
    calls = {"copy": lambda: jax.block_until_ready(copy(source))}
    times = timed(calls, options, 9, title="bandwidth")
    return Spread.of(2 * source.nbytes / t for t in times["copy"])


# ---- large problems against the floor --------------------------------------------------------


class Large(NamedTuple):
    """A problem, where to start, and how many samples to take in a step."""

    title: str
    problem: Problem
    x0: Any
    batch: int


def _portfolio(options: Options) -> Large:
    """Mean-variance with many assets."""
    days, assets = options.pick((DAYS, ASSETS), (64, 8))
    noise = jax.jit(lambda key: 0.05 + jax.random.normal(key, (days, assets), jnp.float32))
    problem = problems.mean_variance(noise(jax.random.key(0)))
    return Large(f"mean-variance, d = {assets:,}", problem, None, options.pick(BATCH, 4))


def _matrix(options: Options) -> Large:
    """E1 with large matrices, as a finite sum: rows are read, not drawn."""
    side, samples = options.pick((SIDE, SAMPLES), (6, 8))
    truth = problems.matrix_truth(side)

    @functools.partial(jax.jit, donate_argnums=0)
    def fill(data: Any, place: Any, key: Any) -> Any:
        one = jnp.eye(side) + 0.3 * jax.random.normal(key, (side, side), jnp.float32)
        return jax.lax.dynamic_update_slice(data, one[None], (place, 0, 0))

    data = jnp.zeros((samples, side, side), jnp.float32)
    for place in tracked(range(samples), "matrices"):
        data = fill(data, place, jax.random.fold_in(jax.random.key(1), place))
    labels = jax.jit(lambda a, b: jnp.einsum("kij,ij->k", a, b) ** 2)(data, truth)
    problem = Problem([Level(_loss, data=(data, labels))], NuclearBall((side, side)))
    start = problems.matrix_start(problem)
    return Large(f"E1, n = {side:,}", problem, start, options.pick(MATRICES, 2))


def _loss(b: Any, sample: Any) -> Any:
    a, y = sample
    return (y - jnp.vdot(a, b) ** 2) ** 2


def _against_floor(posed: Large, options: Options, bandwidth: float) -> list[list[Cell]]:
    steps, cells = options.pick(50, 3), []
    runs: dict[str, Prepared] = {}
    for name in options.pick(METHODS, METHODS[:1]):
        solver = methods.method(name, batch=posed.batch, eta=1e-3)
        runs[name] = Prepared(posed.problem, solver, steps, x0=posed.x0)
    times = timed(runs, options, 7, title=posed.title).per({n: r.steps for n, r in runs.items()})
    floor = posed.batch * posed.problem.composition.sample_bytes / bandwidth
    for name, run in runs.items():
        micros, over = times.spread(name, 1e6), times.spread(name, 1 / floor)
        calls = run.calls / run.steps
        cells.append([posed.title, name, posed.batch, micros, 1e6 * floor, over, calls])
    return cells


def _floors(bandwidth: Spread, cells: list[list[Cell]]) -> Table:
    device = jax.devices()[0]
    peak = (device.memory_stats() or {}).get("peak_bytes_in_use")
    return Table(
        f"On {device.device_kind}: iterations against the floor",
        ("problem", "method", "batch", "µs per step", "floor, µs", "over the floor", "LMO calls"),
        cells,
        f"The floor reads each sampled row once at the measured copy bandwidth, "
        f"{bandwidth.median / 1e9:,.0f} ± {bandwidth.half / 1e9:,.0f} GB/s. Oracle calls are part "
        "of a step and not of the floor. Data are arguments of the compiled function. Peak memory "
        f"on the device: {'not known' if peak is None else f'{peak / 2**30:.1f} GiB'}.",
    )


# ---- many seeds of row 1 ---------------------------------------------------------------------


def _seeds(options: Options) -> Table:
    """Row 1's mean-variance: one run, and a thousand at once."""
    days, assets = options.pick((25_105, 17), (100, 5))
    table = datasets.factor_model(days, assets, seed=0).values.astype(np.float32)
    problem, steps = problems.mean_variance(table), options.pick(1_000, 4)
    batch, count = options.pick((128, SEEDS), (4, 3))
    cells: list[list[Cell]] = []
    for name in options.pick(("PMVR-v1", "PMVR-v2", "PMM-v1", "PMFS-v1"), ("PMFS-v1",)):
        solver = methods.method(name, batch=batch)
        runs = {
            "alone": Prepared(problem, solver, steps),
            "all": Prepared(problem, solver, steps, seeds=count),
        }
        times = timed(runs, options, 5, title=name)
        each = times.per({run: made.steps for run, made in runs.items()})
        share = times.per({"alone": 1, "all": count}).ratio("all", "alone")
        cells.append([name, each.spread("alone", 1e6), each.spread("all", 1e6), share])
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
