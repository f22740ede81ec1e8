"""Several files into a folder: all of them, or none."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from wolfnest.common.files import store


def publish(folder: Path, contents: Mapping[str, str]) -> Path:
    """Write all files beside the folder first, then move them in; return the last one's path.

    An error before that leaves the folder as it was, or does not make it.

    >>> with tempfile.TemporaryDirectory() as home:
    ...     page = publish(Path(home, "report"), {"a.csv": "1", "index.html": "<p>"})
    ...     page.name, sorted(os.listdir(page.parent)), os.listdir(home)
    ('index.html', ['a.csv', 'index.html'], ['report'])
    """
    folder = Path(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # In the same file system, where moving a file is one operation.
    staging = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        for name, content in contents.items():
            store(staging / name, content)
        folder.mkdir(exist_ok=True)
        for name in contents:
            os.replace(staging / name, folder / name)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return folder / list(contents)[-1]
