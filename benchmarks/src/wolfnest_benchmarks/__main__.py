"""One row in a process of its own: `python -m wolfnest_benchmarks NUMBER OPTIONS RESULT`, for
`running`. The command for people is `wolfnest bench`; this one also runs where no package for
command lines is installed, prints its tables if told `{"show": true}`, and takes JSON for options.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import jax
from rich.console import Console

from wolfnest.common import environment
from wolfnest_benchmarks import rendering
from wolfnest_benchmarks.registry import find
from wolfnest_benchmarks.row import Options

BESIDE = ("jaxlib", "scipy", "numba", "torch", "cvxpy-base")


def main() -> None:
    number, asked, place = sys.argv[1:]
    settings = json.loads(asked)
    shown = settings.pop("show", False)
    if settings.get("figures") is not None:
        settings["figures"] = Path(settings["figures"])
    row, options = find(number), Options(**settings)
    if options.quick:
        jax.config.update("jax_disable_most_optimizations", True)
    start = time.perf_counter()
    tables = row.measure(options)
    result = {
        "row": row.number,
        "name": row.name,
        "quick": options.quick,
        "tables": tables,
        "seconds": time.perf_counter() - start,
        "peak_bytes": peak_bytes(),
        "machine": machine(),
    }
    text = json.dumps(rendering.as_json(result), ensure_ascii=False)
    Path(place).write_text(text, encoding="utf-8")
    for table in tables if shown else ():
        rendering.show(Console(width=160), table)


def peak_bytes() -> int:
    """The largest memory that the process, or one that it started, has had (resident)."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    most = max(resource.getrusage(each).ru_maxrss for each in who)
    return most * (1 if sys.platform == "darwin" else 1024)


def machine() -> dict[str, Any]:
    """Where and with what this was measured, and when."""
    found = environment.describe()
    kept = {name: found[name] for name in ("cpu", "cores", "python", "wolfnest", "jax", "numpy")}
    for name in BESIDE:
        try:
            kept[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    device = jax.devices()[0]
    kept["device"] = f"{device.platform} ({device.device_kind})"
    kept["date"] = datetime.datetime.now(datetime.UTC).date().isoformat()
    return kept


if __name__ == "__main__":
    main()
