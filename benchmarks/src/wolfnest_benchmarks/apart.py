"""Work in a process of its own: its threads, memory and processor time are then those of the work
alone, and what takes too long can be stopped."""

from __future__ import annotations

import pickle
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Done(NamedTuple):
    """What work came to: its answer and the peak of its memory in bytes; or, in `status`, why there
    is none."""

    answer: Any = None
    memory: float | None = None
    status: str = ""


def work(
    function: Callable[..., Any], *arguments: Any, limit: float | None = None, quiet: bool = False
) -> Done:
    """`function(*arguments)` by a new process. After `limit` seconds of processor time it is
    stopped. What it prints is shown, unless `quiet`; its last message is then the status if it
    fails."""
    with tempfile.TemporaryDirectory() as folder:
        question, answer = Path(folder) / "question", Path(folder) / "answer"
        question.write_bytes(pickle.dumps((function, arguments, limit)))
        ended = subprocess.run(
            [sys.executable, "-c", f"from {__name__} import reply; reply()", question, answer],
            capture_output=quiet,
            text=True,
            check=False,
        )
        if ended.returncode == 0:
            return Done(*pickle.loads(answer.read_bytes()))
    if limit is not None and ended.returncode == -signal.SIGXCPU:
        return Done(status=f"over {limit:g} s")
    # The line with which Python gave up; who is killed for memory leaves none.
    last = (ended.stderr or "").strip() or f"exit status {ended.returncode}"
    return Done(status=last.splitlines()[-1][:80])


def peak_bytes() -> float:
    """The largest memory that this process, or one that it started, has had (resident)."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    most = max(resource.getrusage(each).ru_maxrss for each in who)
    return float(most * (1 if sys.platform == "darwin" else 1024))


def reply() -> None:
    """What the new process does."""
    question, answer = map(Path, sys.argv[1:])
    function, arguments, limit = pickle.loads(question.read_bytes())
    if limit is not None:
        seconds = max(1, round(limit))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))
    found = function(*arguments)
    answer.write_bytes(pickle.dumps((found, peak_bytes())))
