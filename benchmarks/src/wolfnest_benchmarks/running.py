"""Rows are run one after the other, each in a process of its own: threads, precision and memory
are then those of the row alone."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console

from wolfnest.common import environment
from wolfnest_benchmarks import rendering
from wolfnest_benchmarks.row import Options, Row


class RowError(RuntimeError):
    """A row that ended without a result."""


def run(
    rows: Sequence[Row],
    options: Options,
    *,
    out: Path | None = None,
    markdown: Path | None = None,
    console: Console | None = None,
) -> list[dict[str, Any]]:
    """Measure rows and print their tables. `out` gets all results as JSON, written anew after every
    row; sections are appended to `markdown`."""
    console = Console() if console is None else console
    for option, path in (("--out", out), ("--markdown", markdown)):
        if path is not None and not path.absolute().parent.is_dir():
            raise ValueError(f"{option}: there is no folder {path.absolute().parent}; make it.")
    results = []
    for row in rows:
        console.rule(f"row {row.number}: {row.title}", align="left")
        console.print(f"goal: {row.goal}\n", style="dim", markup=False)
        result = measured(row, options)
        results.append(result)
        for table in result["tables"]:
            rendering.show(console, table)
        if out is not None:
            found = [rendering.as_json(each) for each in results]
            out.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")
        if markdown is not None:
            with markdown.open("a", encoding="utf-8") as file:
                file.write(f"{rendering.report(row, result)}\n")
    return results


def measured(row: Row, options: Options) -> dict[str, Any]:
    """The result of one row, from a process of its own."""
    asked = dataclasses.asdict(options)
    asked["figures"] = None if options.figures is None else str(options.figures.absolute())
    core = environment.for_worker(environment.cores()[0])
    with tempfile.TemporaryDirectory() as folder, core if row.place == "core" else nullcontext():
        place = Path(folder) / "result.json"
        command = [sys.executable, "-m", "wolfnest_benchmarks", str(row.number), json.dumps(asked)]
        done = subprocess.run([*command, str(place)], env=dict(os.environ), check=False)
        if done.returncode or not place.exists():
            raise RowError(
                f"row {row.number} ({row.name}) ended with exit status {done.returncode} and "
                "without a result: its messages are above."
            )
        return rendering.from_json(json.loads(place.read_text(encoding="utf-8")))
