"""Row 3: the first call. Cold processes: import, compile, first solve; and what compiles again.

The processes are started one after the other on all cores, as a user starts them. The problem is
mean-deviation (K = 3), 25,105 x 17, 32-bit floats, 400 steps of PMVR-v1.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from wolfnest_benchmarks.results import Cell, Spread, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.timing import tracked

# What a user's script does, with the times of its parts; compilations are counted by JAX itself.
SCRIPT = """
import json, sys, time
begun = time.perf_counter()
import wolfnest as wn
imported = time.perf_counter()
import jax
compiled = []
def note(name, seconds, **_):
    if name == "/jax/core/compile/backend_compile_duration":
        compiled.append(seconds)
jax.monitoring.register_event_duration_secs_listener(note)
days, steps = int(sys.argv[1]), int(sys.argv[2])
table = wn.datasets.factor_model(days, 17, seed=0)
made = time.perf_counter()
problem = wn.problems.mean_deviation(table)
run = wn.solve(problem, wn.method("PMVR-v1"), steps=steps, progress=False)
solved = time.perf_counter()
first = len(compiled)
print(json.dumps({
    "import": imported - begun, "data": made - imported, "solve": solved - made,
    "compilations": first, "compiling": sum(compiled[:first]),
}))
"""
CACHE = {
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}
PROCESSES = ("no cache", "cache, first ever run", "cache, later runs")
PARTS = ("import", "data", "solve", "compiling", "whole")


def measure(options: Options) -> list[Table]:
    return [_cold(options), _again(options)]


def _cold(options: Options) -> Table:
    """Processes that start from nothing, from a full cache, and the one that fills it."""
    rounds, (none, first, later) = options.pick(options.repeats(5), 1), PROCESSES
    with tempfile.TemporaryDirectory() as folder:
        cached = CACHE | {"JAX_COMPILATION_CACHE_DIR": folder}
        runs: dict[str, list[dict[str, float]]] = {name: [] for name in PROCESSES}
        for name in tracked([first, *(none, later) * rounds], "cold processes"):
            runs[name].append(_process({} if name == none else cached, options))
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    cells: list[list[Cell]] = []
    for name, found in runs.items():
        line: list[Cell] = [name, *(Spread.of(run[part] for run in found) for part in PARTS)]
        cells.append([*line, int(found[-1]["compilations"])])
    headings = ("import", "data", "problem and solve", "of which compiling", "whole process")
    return Table(
        "A K = 3 solve from a cold process, in seconds",
        ("process", *headings, "compiled or loaded"),
        cells,
        "The cache is JAX's own: JAX_COMPILATION_CACHE_DIR, with "
        f"{' and '.join(f'{k}={v}' for k, v in CACHE.items())}; it holds {size / 2**20:.1f} MiB "
        "afterwards. Making synthetic data is part of the process.",
    )


def _process(settings: dict[str, str], options: Options) -> dict[str, float]:
    """The times of one cold process."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JAX_COMPILATION_CACHE", "JAX_PERSISTENT_CACHE"))
    }
    arguments = [str(size) for size in options.pick((25_105, 400), (100, 2))]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        env=environment | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    whole = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"a cold process ended with {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1]) | {"whole": whole}


def _again(options: Options) -> Table:
    """Solves in this process that differ in one thing from the first: what compiles for it."""
    import jax

    from wolfnest import datasets, methods, problems
    from wolfnest.running.solve import solve

    compiled: list[float] = []

    def note(event: str, duration_secs: float, **kwargs: Any) -> None:
        if event == "/jax/core/compile/backend_compile_duration":
            compiled.append(duration_secs)

    jax.monitoring.register_event_duration_secs_listener(note)
    days = options.pick(25_105, 100)
    table, other = (datasets.factor_model(days, 17, seed=seed).values for seed in (0, 1))
    longer = datasets.factor_model(days + 1, 17, seed=0).values

    def run(returns: Any = table, risk: float = 1.0, key: int = 0, steps: int = 50, **at: Any):
        problem = problems.mean_deviation(returns, risk)
        return solve(problem, methods.method("PMVR-v1", **at), key=key, steps=steps, progress=False)

    jax.clear_caches()  # as in a new process, whatever was compiled before
    changes: dict[str, dict[str, Any]] = {
        "nothing: the first solve": {},
        "key": {"key": 1},
        "η and α": {"eta": 0.02, "alpha": 0.2},
        "λ of the problem": {"risk": 0.5},
        "returns of the same shape": {"returns": other},
        "number of steps": {"steps": 75},
        "batch (a size)": {"batch": 64},
        "number of rows (a size)": {"returns": longer},
    }
    cells: list[list[Cell]] = []
    for change, arguments in changes.items():
        before = len(compiled)
        start = time.perf_counter()
        run(**arguments)
        cells.append([change, len(compiled) - before, round(time.perf_counter() - start, 3)])
    return Table(
        "What compiles again in the same process",
        ("what differs from the first solve", "compilations", "seconds of the solve"),
        cells,
        "Hyper-parameters, keys and data are arguments of the compiled code; sizes are not.",
    )


ROW = Row(
    number=3,
    name="latency",
    title="first-call latency: import, compilation, first solve; what compiles again",
    goal="a K = 3 solve under 2 s from a cold process after the first ever run; no compilation for "
    "other parameters, keys or data of the same shape",
    measure=measure,
    place="machine",
)
