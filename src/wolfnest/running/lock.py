"""One process at a time in a directory."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be removed: see `_take`
    fcntl = None  # type: ignore[assignment]

FILE = "lock"


class Lock:
    """Keeps a directory to one run until `release`, or until the process ends in any way.

    The system holds the lock and drops it with the process: what a killed one left is stale at
    once, whoever has its number now.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / FILE
        self.descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock, or say who has it."""
        while self.descriptor is None:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            if not _take(descriptor):
                holder = os.read(descriptor, 32).decode(errors="replace").strip()
                os.close(descriptor)
                raise ValueError(
                    f"{self.path.parent} is in use by another run"
                    f"{f' (process {holder})' if holder else ''}: wait for its end, or name "
                    "another directory. Each run needs its own."
                )
            if self._is_ours(descriptor):
                self.descriptor = descriptor
            else:  # the former holder removed the file between opening and taking it
                os.close(descriptor)
        os.ftruncate(self.descriptor, 0)
        os.write(self.descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Leave the directory to others, with no trace. Later calls do nothing."""
        if self.descriptor is not None:
            with suppress(OSError):
                self.path.unlink()
            os.close(self.descriptor)
            self.descriptor = None

    def _is_ours(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(descriptor))
        except FileNotFoundError:
            return False


def _take(descriptor: int) -> bool:
    """Whether the system gives us the lock; where it has none, everyone has it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
