"""Rows are measured one after the other, each in a process of its own."""

from __future__ import annotations

import dataclasses
import datetime
import importlib.metadata
import json
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console

from wolfnest.common import environment, files
from wolfnest_benchmarks import apart, rendering, rows
from wolfnest_benchmarks.results import Result
from wolfnest_benchmarks.row import Options, Row

FACTS = ("cpu", "cores", "python", "wolfnest", "jax", "numpy")
BESIDE = ("jaxlib", "scipy", "numba", "torch", "cvxpy-base", "clarabel", "scs", "highspy")
BESIDE += ("skfolio", "copt", "jaxopt")


class RowError(RuntimeError):
    """A row that ended without a result."""


def run(
    asked: Sequence[Row],
    options: Options,
    *,
    own: Sequence[str] = (),
    out: Path | None = None,
    markdown: Path | None = None,
    console: Console | None = None,
) -> list[Result]:
    """Measure rows and print their tables. `own` are options of one row alone, as words of a
    command line. `out` gets all results as JSON, written anew after every row; sections are
    appended to `markdown`."""
    console = Console() if console is None else console
    for option, path in (("--out", out), ("--markdown", markdown)):
        if path is not None and not path.absolute().parent.is_dir():
            raise ValueError(f"{option}: there is no folder {path.absolute().parent}; make it.")
    if own and len(asked) != 1:
        raise ValueError(f"{own[0]} is an option of one row: name that row alone, before it.")
    results = []
    for row in asked:
        row.own_options(own)  # ends here if there is something wrong with them
        console.rule(f"row {row.number}: {row.title}", align="left")
        console.print(f"goal: {row.goal}\n", style="dim", markup=False)
        result = measured(row, options, own)
        results.append(result)
        for table in result.tables:
            rendering.show(console, table)
        if out is not None:
            found = [dataclasses.asdict(each) for each in results]
            files.store(out, json.dumps(found, indent=1, ensure_ascii=False))
        if markdown is not None:
            with markdown.open("a", encoding="utf-8") as file:
                file.write(f"{rendering.section(row, result)}\n")
    return results


def measured(row: Row, options: Options, own: Sequence[str] = ()) -> Result:
    """The result of one row, from a process of its own."""
    core = environment.for_worker(environment.cores()[0])
    with core if row.place == "core" else nullcontext():
        done = apart.work(here, row.name, options, own)
    if done.answer is None:
        raise RowError(
            f"row {row.number} ({row.name}) ended with {done.status} and without a result: its "
            "messages are above."
        )
    return done.answer


def here(name: str, options: Options, own: Sequence[str]) -> Result:
    """The result of one row, from this process."""
    import jax

    if options.quick:
        jax.config.update("jax_disable_most_optimizations", True)
    row, start = rows.find(name), time.perf_counter()
    tables = row.measure(options, **row.own_options(own))
    return Result(
        row=row.number,
        name=row.name,
        quick=options.quick,
        own=own,
        tables=tables,
        seconds=time.perf_counter() - start,
        peak_bytes=apart.peak_bytes(),
        machine=machine(),
    )


def machine() -> dict[str, Any]:
    """Where and with what this was measured, and when."""
    import jax

    found = environment.describe()
    kept = {name: found[name] for name in FACTS}
    for name in BESIDE:
        try:
            kept[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    device = jax.devices()[0]
    kept["device"] = f"{device.platform} ({device.device_kind})"
    kept["date"] = datetime.datetime.now(datetime.UTC).date().isoformat()
    return kept
