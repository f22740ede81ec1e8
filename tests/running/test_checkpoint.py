"""Checkpoints: complete or not there, bit for bit, and never taken for another run's."""

from __future__ import annotations

import doctest
import functools
import json
import os
import subprocess
import sys
import zipfile

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from wolfnest.running import checkpoint
from wolfnest.running import fingerprint as fingerprints
from wolfnest.running.checkpoint import Checkpoint, load, prepare, save
from wolfnest.running.fingerprint import fingerprint


def some_arrays():
    return {
        "x": jnp.arange(6, dtype=jnp.float32).reshape(2, 3) / 7,
        "flags": jnp.array([True, False]),
        "key": jax.random.key_data(jax.random.key(3)),
        "old key": jax.random.PRNGKey(4),
        "scalar": np.float64(np.nan),
        "zero-d": jnp.asarray(2, jnp.int32),
        "empty": np.zeros((0, 4)),
        "strided": np.arange(24.0).reshape(4, 6)[::2, ::-3],
        "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "bf16": jnp.asarray([1.5, -jnp.inf, 3e-5], jnp.bfloat16),
        "fp8": jnp.asarray(0.5, jnp.float8_e4m3fn),
        "u[0]['a/b']": np.array(["text", "é"]),
        "file": np.array([-0.0]),
    }


def stored(directory):
    state = load(directory)
    assert state is not None
    return state


def write_header(path, array):
    with zipfile.ZipFile(path, "w") as archive, archive.open("__wolfnest__.npy", "w") as member:
        np.lib.format.write_array(member, array)


@pytest.mark.parametrize("module", [checkpoint, fingerprints])
def test_examples(module):
    failed, tried = doctest.testmod(module)
    assert tried > 0
    assert failed == 0


def test_round_trip_is_exact(tmp_path):
    arrays, meta = some_arrays(), {"step": 3, "who": "é", "nested": {"a": [1, None, 2.5]}}
    save(tmp_path, arrays, meta)
    loaded, loaded_meta = stored(tmp_path)
    assert loaded_meta == meta
    assert list(loaded) == list(arrays)
    for name, value in arrays.items():
        expected = np.asarray(value)
        assert loaded[name].dtype == expected.dtype, name
        assert loaded[name].shape == expected.shape, name
        assert loaded[name].tobytes() == expected.tobytes(), name
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]
    np.testing.assert_array_equal(np.load(tmp_path / "state.npz")["x"], arrays["x"])


def test_nothing_stored_is_none(tmp_path):
    assert load(tmp_path) is None
    assert load(tmp_path / "missing") is None


def test_a_save_replaces_the_former_state(tmp_path):
    save(tmp_path, {"old": np.ones(2)}, {"step": 1})
    save(tmp_path, {"new": np.ones(3)}, {"step": 2})
    arrays, meta = stored(tmp_path)
    assert list(arrays) == ["new"]
    assert meta == {"step": 2}


@pytest.mark.parametrize(
    ("arrays", "meta", "message"),
    [
        ({"bad": np.array([{}, None])}, {}, "'bad' is an array of Python objects"),
        ({"key": jax.random.key(0)}, {}, "jax.random.key_data"),
        ({"__wolfnest__": np.ones(1)}, {}, "choose another"),
        ({1: np.ones(1)}, {}, "choose another"),
        ({}, {"step": np.int64(3)}, "JSON"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_changes_nothing(tmp_path, arrays, meta, message):
    save(tmp_path, {"x": np.ones(2)}, {"step": 1})
    with pytest.raises(ValueError, match=message):
        save(tmp_path, arrays, meta)
    assert stored(tmp_path)[1] == {"step": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]


def test_a_failed_write_keeps_the_former_state(tmp_path, monkeypatch):
    save(tmp_path, {"x": np.ones(2)}, {"step": 1})

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        save(tmp_path, {"x": np.zeros(2)}, {"step": 2})
    assert stored(tmp_path)[1] == {"step": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]


WRITER = """
import os, random, signal, sys, time, warnings
from pathlib import Path
import numpy as np
from wolfnest.running.checkpoint import load, save

warnings.simplefilter("ignore")
place, last, leftovers, kills = Path(sys.argv[1]), 0, 0, 0
# On a busy machine a writer gets less done before it is killed: go on until enough was written.
while kills < 30 or last <= 30 or not leftovers:
    kills += 1
    writer = os.fork()
    if writer == 0:
        step = last
        while True:
            step += 1
            save(place, {"a": np.full(40_000, step), "b": np.full((), step)}, {"step": step})
    time.sleep(random.uniform(0.005, 0.06))
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    leftovers += len(list(place.glob(".*")))
    stored = load(place)
    if stored is not None:
        arrays, meta = stored
        assert meta["step"] >= last and sorted(arrays) == ["a", "b"]
        assert (arrays["a"] == meta["step"]).all() and arrays["b"] == meta["step"]
        last = meta["step"]
save(place, {}, {})
print(last, leftovers, [path.name for path in place.iterdir()])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork to be fast")
def test_a_killed_writer_always_leaves_a_complete_state(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", WRITER, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    last, leftovers, names = run.stdout.split(maxsplit=2)
    assert int(last) > 30
    assert int(leftovers) > 0, "no writer was killed in the middle of a write"
    assert names.strip() == "['state.npz']"


def test_every_damaged_byte_is_noticed_or_harmless(tmp_path):
    save(tmp_path, {"x": np.arange(3.0), "flag": np.array(True)}, {"step": 1})
    path = tmp_path / "state.npz"
    good, (arrays, meta) = path.read_bytes(), stored(tmp_path)
    noticed = 0
    for position in range(len(good)):
        bad = bytearray(good)
        bad[position] ^= 0xFF
        path.write_bytes(bad)
        try:
            loaded, loaded_meta = stored(tmp_path)
        except ValueError as error:
            assert "state.npz is damaged" in str(error)  # noqa: PT017
            noticed += 1
        else:  # a time stamp or the like
            assert loaded_meta == meta
            assert {name: a.tobytes() for name, a in loaded.items()} == {
                name: a.tobytes() for name, a in arrays.items()
            }
    assert noticed > len(good) / 2
    for length in range(0, len(good), 7):
        path.write_bytes(good[:length])
        with pytest.raises(ValueError, match="Delete it to start afresh"):
            load(tmp_path)


def test_foreign_and_newer_files_are_refused(tmp_path):
    path = tmp_path / "state.npz"
    np.savez(path, x=np.ones(3))
    with pytest.raises(ValueError, match="not a stored wolfnest run"):
        load(tmp_path)
    header = {"format": checkpoint.FORMAT, "version": 2, "something": "new"}
    write_header(path, np.frombuffer(json.dumps(header).encode(), np.uint8))
    with pytest.raises(ValueError, match=r"format version 2.*Update wolfnest"):
        load(tmp_path)
    write_header(path, np.array([print], dtype=object))  # never unpickled
    with pytest.raises(ValueError, match="damaged"):
        load(tmp_path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ValueError, match="damaged"):
        load(tmp_path)


def test_prepare(tmp_path):
    made = prepare(str(tmp_path / "a" / "b"))
    assert made.is_dir()
    assert list(prepare(made).iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is a file"):
        prepare(tmp_path / "file")
    with pytest.raises(NotADirectoryError, match="cannot write checkpoints there"):
        prepare(tmp_path / "file" / "below")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="POSIX permissions")
def test_prepare_notices_a_read_only_directory(tmp_path):
    tmp_path.chmod(0o555)
    was = os.geteuid()
    if was == 0:  # permissions do not bind the superuser
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError, match="name a directory you may write to"):
            prepare(tmp_path)
    finally:
        os.seteuid(was)
        tmp_path.chmod(0o755)


def test_two_runs_in_one_directory_are_told(tmp_path, monkeypatch):
    real = os.fsync

    def interrupted(descriptor):
        real(descriptor)
        for temporary in tmp_path.glob(".state.npz.*.tmp"):
            temporary.unlink()

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(FileNotFoundError, match="Give each run its own directory"):
        save(tmp_path, {}, {})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"directory": ""}, "directory"),
        ({"directory": 3}, "directory"),
        ({"directory": "a", "every": -1}, "every"),
        ({"directory": "a", "every": float("nan")}, "every"),
        ({"directory": "a", "every": "30"}, "every"),
        ({"directory": "a", "resume": "yes"}, "resume"),
    ],
)
def test_checkpoint_checks_its_arguments(arguments, message):
    with pytest.raises(ValueError, match=f"{message} must be"):
        Checkpoint(**arguments)


FINGERPRINTS = """
import enum, functools, math
from pathlib import Path
import equinox as eqx, jax, jax.numpy as jnp, numpy as np
from wolfnest.running.fingerprint import fingerprint

class Kind(enum.Enum):
    A = 1

class Module(eqx.Module):
    scale: jax.Array
    fn: object
    name: str = eqx.field(static=True, default="m")

class Plain:
    def __init__(self):
        self.me, self.words = self, {"b", "a", "c"}
    def method(self): ...

def outer():
    return lambda x: x

module = Module(jnp.ones(3), jax.tree_util.Partial(jnp.dot, jnp.ones(2)))
print(fingerprint(
    {"a": 1, "z": [2.5, None, True, 1j, b"x"]}, {"p", "q", "r"}, Kind.A, Path("a/b"), math.sin,
    np.add, jnp.add, jax.jit(outer), outer(), functools.partial(outer, 1, b=2), module,
    eqx.filter_jit(outer), Plain(), Plain().method, Plain, np, np.dtype("f4"), object(),
    jax.random.key(1), jax.ShapeDtypeStruct((2, 3), "float32"), np.arange(600_000.0),
    jnp.arange(600_000.0), np.array([1, "a", None], dtype=object), jax.nn.relu,
))
"""


def test_fingerprint_is_the_same_in_every_process():
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", FINGERPRINTS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    digests = {run.communicate(timeout=60)[0].strip() for run in runs}
    assert len(digests) == 1
    assert len(digests.pop()) == 64


class Scaled(eqx.Module):
    scale: jax.Array
    name: str = eqx.field(static=True, default="")


class Other(eqx.Module):
    scale: jax.Array
    name: str = eqx.field(static=True, default="")


def test_fingerprint_tells_values_apart():
    one = jnp.ones(2)
    values = [
        *(0, 0.0, -0.0, False, None, "", b"", "0", (), {}, 1, 2**70, float("nan")),
        *(((1,), 2), (1, (2,)), (1, 2), ("ab", "c"), ("a", "bc"), {"a": 1}, {"a": 2}, {1: "a"}),
        *(np.zeros(2), np.zeros((2, 1)), np.zeros(2, np.float32), np.zeros(2, int), np.ones(2)),
        *(Scaled(one), Scaled(one * 2), Scaled(one, "b"), Other(one), Scaled),
        *(functools.partial(max, 1), functools.partial(max, 2), functools.partial(min, 1), max),
        *(jax.tree_util.Partial(max, one), jax.tree_util.Partial(max, one * 2)),
        *(jax.random.key(0), jax.random.key(1), jax.random.key(0, impl="rbg")),
        *(jax.ShapeDtypeStruct((2,), "float32"), jax.ShapeDtypeStruct((3,), "float32")),
    ]
    digests = [fingerprint(value) for value in values]
    assert len(set(digests)) == len(values)
    assert fingerprint(1, 2) != fingerprint(2, 1)


def test_fingerprint_of_equal_values():
    assert fingerprint(np.ones(2, np.float32)) == fingerprint(jnp.ones(2, jnp.float32))
    assert fingerprint(np.ones((2, 3)).T) == fingerprint(np.ones((3, 2)))
    big = np.random.default_rng(0).normal(size=(100_000, 17)).astype(np.float32)
    assert fingerprint(big) == fingerprint(jnp.asarray(big)) == fingerprint(big.copy())
