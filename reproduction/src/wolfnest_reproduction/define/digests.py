"""Short names for what results depend on: a definition, returns, code."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path
from typing import Any

import jax

import wolfnest
from wolfnest.datasets import Returns

# What a cell computes. A new number makes all cells new.
FORMAT = 3
# What no result depends on.
BESIDE = ("portfolio/", "page/", "cli.py", "__main__.py")


def of_definition(definition: Any) -> str:
    """Of what plain values define, in these versions."""
    versions = {"wolfnest": wolfnest.__version__, "jax": jax.__version__, "format": FORMAT}
    text = json.dumps([definition, versions], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def of_returns(returns: Returns) -> str:
    """Of the numbers themselves, wherever they come from."""
    found = hashlib.sha256(repr(returns.shape).encode())
    found.update(returns.values.tobytes())
    return found.hexdigest()[:16]


@functools.cache
def of_code() -> str:
    """Of the code that results come from: the library, and what defines and runs experiments."""
    library, here = Path(wolfnest.__file__).parent, Path(__file__).parents[1]
    files = [(path, path.relative_to(library).as_posix()) for path in library.rglob("*.py")]
    files = [(path, name) for path, name in files if not name.startswith(BESIDE)]
    for folder in ("define", "run"):
        files += [(path, f"{folder}/{path.name}") for path in (here / folder).glob("*.py")]
    found = hashlib.sha256()
    for path, name in sorted(files, key=lambda file: file[1]):
        found.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]
