"""Files as they are written: whole or not at all, under names that every system takes."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

TEMPORARY = ".tmp"  # how names of files end that are still being written


def store(path: Path, content: str | bytes, *, durable: bool = False) -> Path:
    """Write a file under a temporary name and rename it: nobody ever sees half a file.

    What is `durable` survives a power failure, too, once this has returned; that takes longer.
    """
    with replacing(path, durable=durable) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return path


@contextmanager
def replacing(path: Path, *, durable: bool = False) -> Iterator[IO[bytes]]:
    """A binary file to write to that takes the place of `path` in the end, or, after an error,
    leaves no trace. For content that does not fit into memory; else there is `store`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with replacing(Path(home, "numbers.bin")) as file:
    ...         _ = file.write(b"123"), file.write(b"456")
    ...     Path(home, "numbers.bin").read_bytes(), os.listdir(home)
    (b'123456', ['numbers.bin'])
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not by `tempfile`: its files are for the eyes of their owner only, whatever the umask says.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{TEMPORARY}")
    try:
        with open(temporary, "xb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    if durable:
        _sync(path.parent)


def store_all(folder: Path, contents: Mapping[str, str]) -> Path:
    """Write several files into a folder, all of them or none; return the last one's path.

    An error leaves the folder as it was, or does not make it.

    >>> with tempfile.TemporaryDirectory() as home:
    ...     page = store_all(Path(home, "report"), {"a.csv": "1", "index.html": "<p>"})
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


def remove_leftovers(folder: Path, name: str = "") -> None:
    """Remove what killed processes left half written in a folder: of the file `name`, or all."""
    for left in folder.glob(f".{name}*{TEMPORARY}"):
        with suppress(OSError):
            left.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Make new names in a folder survive a power failure, where the system can do that."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            with suppress(OSError):  # some network file systems refuse; the file itself is safe
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def slug(*parts: object) -> str:
    """Parts of a name as one plain file name.

    >>> slug("E2", "λ=0.2", "horizon 400", "", "time")
    'E2-lambda-0.2-horizon-400-time'
    """
    plain = (str(part).replace("λ", "lambda-") for part in parts)
    clean = (re.sub(r"[^A-Za-z0-9.]+", "-", part).strip("-.") for part in plain)
    return "-".join(part for part in clean if part)
