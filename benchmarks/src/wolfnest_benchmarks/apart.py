"""Questions that a process of its own answers: its memory and processor time are then those of
the question alone, and one that takes too long can be stopped."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

Answer = dict[str, Any]


def asked(module: str, question: Mapping[str, Any], limit: float | None = None) -> Answer:
    """What `python -m module QUESTION` prints last, as JSON, with the peak of its memory in bytes.
    After `limit` seconds of processor time it is stopped; `status` then says so, and `seconds` is
    None."""
    command = [sys.executable, "-m", module, json.dumps(question)]
    stop = None if limit is None else lambda: _stop_after(limit)
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=stop)
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    if limit is not None and done.returncode == -signal.SIGXCPU:
        status = f"over {limit:g} s"
    else:
        # Messages of the solver, or the line with which Python gave up, or killed for memory.
        last = done.stderr.strip() or f"exit status {done.returncode}"
        status = last.splitlines()[-1][:80]
    return {"seconds": None, "value": None, "status": status, "memory": None}


def _stop_after(limit: float) -> None:
    seconds = max(1, round(limit))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))


def tell(answer: Answer) -> None:
    """Print the answer to a question, in the process that was asked."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024
    print(json.dumps(answer | {"memory": float(peak * unit)}))


def question() -> Mapping[str, Any]:
    """The question that this process was asked; 64-bit floats unless told otherwise."""
    os.environ.setdefault("JAX_ENABLE_X64", "1")
    return json.loads(sys.argv[1])
