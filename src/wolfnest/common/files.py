"""Files as they are written: whole or not at all, under names that every system takes."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path


def store(path: Path, content: str | bytes) -> Path:
    """Write a file under a temporary name and rename it: nobody ever sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = content.encode() if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def slug(*parts: object) -> str:
    """Parts of a name as one plain file name.

    >>> slug("E2", "λ=0.2", "horizon 400", "", "time")
    'E2-lambda-0.2-horizon-400-time'
    """
    plain = (str(part).replace("λ", "lambda-") for part in parts)
    clean = (re.sub(r"[^A-Za-z0-9.]+", "-", part).strip("-.") for part in plain)
    return "-".join(part for part in clean if part)
