"""Crash-safe storage of a run.

A state is one file that takes the place of the former one when it is complete: whenever the writer
is killed, the directory holds one of the two.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from wolfnest.common import files

FILE = "state.npz"
FORMAT = "wolfnest state"
VERSION = 1
HEADER = "__wolfnest__"


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """Where a run is stored, how often, and whether an earlier one there is continued.

    `every` is in seconds; 0 stores at every opportunity. Each run needs its own directory.

    >>> Checkpoint("runs/first", every=60).resume
    True
    """

    directory: str | Path
    every: float = 30.0
    resume: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.directory, str | Path) or not str(self.directory):
            raise ValueError(f"directory must be a path such as 'runs/1', got {self.directory!r}.")
        number = isinstance(self.every, int | float) and not isinstance(self.every, bool)
        if not number or not 0 <= self.every < math.inf:
            raise ValueError(f"every must be seconds, a number of at least 0, got {self.every!r}.")
        if not isinstance(self.resume, bool):
            raise ValueError(f"resume must be True or False, got {self.resume!r}.")


def prepare(directory: str | Path) -> Path:
    """Create the directory if need be and make sure that it can be written to."""
    directory = Path(directory)
    try:
        if directory.exists() and not directory.is_dir():
            raise ValueError(
                f"{directory} is a file, and a checkpoint needs a directory. Name another one."
            )
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise OSError(
            error.errno,
            f"cannot write checkpoints there ({error.strerror}); name a directory you may write to",
            str(directory),
        ) from error
    return directory


def save(directory: str | Path, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """Replace the stored state by these arrays and this JSON metadata, or change nothing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     save(place, {"x": np.zeros(3)}, {"step": 7})
    ...     load(place)
    ({'x': array([0., 0., 0.])}, {'step': 7})
    """
    directory = Path(directory)
    stored, kinds = {}, {}
    for name, value in arrays.items():
        stored[name], kinds[name] = _storable(name, value)
    try:
        header = json.dumps({"format": FORMAT, "version": VERSION, "arrays": kinds, "meta": meta})
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"meta must hold JSON values only ({error}). Convert the value, or pass it as an array."
        ) from error
    stored[HEADER] = np.frombuffer(header.encode(), np.uint8)

    files.remove_leftovers(directory, FILE)
    try:
        with (
            files.replacing(directory / FILE, durable=True) as file,
            zipfile.ZipFile(file, "w") as archive,
        ):
            for name, array in stored.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            error.errno,
            "the new state vanished while it was written: does another run store there as well? "
            "Give each run its own directory",
            str(directory),
        ) from error


def load(directory: str | Path) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
    """The arrays and metadata stored last, complete and checked; None if there are none."""
    path = Path(directory) / FILE
    try:
        file = open(path, "rb")  # noqa: SIM115  (closed below; only the opening may find nothing)
    except FileNotFoundError:
        return None
    with file:
        with _named_damage(path):
            archive = zipfile.ZipFile(file)
            header = json.loads(_member(archive, HEADER).tobytes())
            if header["format"] != FORMAT:
                raise ValueError(f"format {header['format']!r}")
            version = int(header["version"])
        if version > VERSION:
            raise ValueError(
                f"{path} has format version {version}, and this wolfnest reads up to version "
                f"{VERSION}. Update wolfnest, or name another directory."
            )
        with _named_damage(path):
            arrays = {}
            for name, kind in header["arrays"].items():
                array = _member(archive, name)
                arrays[name] = array if kind is None else array.view(getattr(ml_dtypes, kind))
            return arrays, header["meta"]


def _storable(name: str, value: Any) -> tuple[np.ndarray, str | None]:
    """The array to write and, for a dtype that NumPy's format lacks, the name of that dtype."""
    if not isinstance(name, str) or name == HEADER or "\0" in name:
        raise ValueError(f"An array cannot be stored under the name {name!r}; choose another.")
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        raise ValueError(f"{name!r} is a typed random key; store jax.random.key_data(key).")
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise ValueError(
            f"{name!r} is an array of Python objects (dtype {array.dtype}), which would need "
            "pickle. Store numbers, or put it into the metadata."
        )
    if array.dtype.isbuiltin != 2:
        return array, None
    kind = array.dtype.name
    if not hasattr(ml_dtypes, kind):
        raise ValueError(f"{name!r} has dtype {kind}, which cannot be stored; convert it first.")
    return array.view(f"u{array.dtype.itemsize}"), kind


def _member(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    # All bytes are read first: their checksum is verified before anything interprets them.
    return np.lib.format.read_array(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False)


@contextmanager
def _named_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # zipfile, json and NumPy raise a dozen kinds on damaged bytes
        raise ValueError(
            f"{path} is damaged or not a stored wolfnest run ({type(error).__name__}: {error}). "
            "Delete it to start afresh, or name another directory."
        ) from error
