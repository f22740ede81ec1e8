"""Where a run takes place: versions and processor for the record, one core for a process."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

# One thread for all that computes, 64-bit floats, the processor and not an accelerator: times of
# different methods must be comparable.
WORKER = {
    "JAX_ENABLE_X64": "1",
    "JAX_PLATFORMS": "cpu",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def describe(*beside: str) -> dict[str, Any]:
    """Versions, system, processor and cores; nothing that names the machine.

    `beside` are further packages whose versions count; those that are not installed are left out.

    >>> list(describe("equinox"))
    ['python', 'wolfnest', 'jax', 'numpy', 'equinox', 'platform', 'cpu', 'cores']
    """
    return {
        "python": platform.python_version(),
        **_versions("wolfnest", "jax", "numpy", *beside),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": _processor(),
        "cores": len(cores()),
    }


def cores() -> list[int]:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


@contextmanager
def for_worker(core: int) -> Iterator[None]:
    """While entered, a process that is started computes on this core, with one thread and in 64-bit
    floats."""
    changes = WORKER | {"XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD}".strip()}
    former = {name: os.environ.get(name) for name in changes}
    pinned = hasattr(os, "sched_setaffinity")
    allowed = cores()
    os.environ.update(changes)
    try:
        if pinned:
            os.sched_setaffinity(0, {core})
        yield
    finally:
        if pinned:
            os.sched_setaffinity(0, allowed)
        for name, value in former.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _versions(*packages: str) -> dict[str, str]:
    found = {}
    for package in packages:
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def _processor() -> str:
    """The name of the processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"
