"""A digest that tells one run from another, the same in every process."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
import types
from collections.abc import Mapping
from enum import Enum
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from wolfnest.running import references
from wolfnest.running.checksum import checksum


def fingerprint(*parts: Any) -> str:
    """A digest of nested values, arrays, modules and functions, the same in every process.

    Functions count by their name, their code, what they enclose and what they refer to: defaults,
    globals and helper functions, and what those refer to. What comes with an installed package
    counts by its name. Arrays count by all their bytes. Lists and tuples are alike, and so are
    NumPy and JAX arrays; the order of a dictionary does not matter.

    >>> fingerprint({"a": 1, "b": (2.0, None)}) == fingerprint({"b": [2.0, None], "a": 1})
    True
    >>> fingerprint(np.zeros(3)) == fingerprint(np.zeros(4))
    False
    """
    return _digest(parts, (), {}).hex()


def _digest(value: Any, above: tuple[int, ...], known: dict[int, tuple[Any, bytes]]) -> bytes:
    """`above` holds the ids of the enclosing values, so that a cycle ends instead of recursing;
    `known` the digests of what several functions may refer to, with the value that has the id."""
    if id(value) in known:
        return known[id(value)][1]
    kind, content = ("cycle", ()) if id(value) in above else _content(value)
    digest = hashlib.sha256(f"{kind}\0".encode())
    if isinstance(content, bytes):
        digest.update(content)
    else:
        digests = [_digest(part, (*above, id(value)), known) for part in content]
        for each in sorted(digests) if kind == "unordered" else digests:
            digest.update(each)
    if kind in ("function", "class", "user module") or kind.startswith("array"):
        known[id(value)] = value, digest.digest()
    return digest.digest()


def _content(value: Any) -> tuple[str, Any]:
    """A name for the kind of value, with its bytes or the parts to descend into."""
    if isinstance(value, Enum):
        return f"enum {_name(type(value))}", value.name.encode()
    if isinstance(value, np.ndarray | np.generic | jax.Array):
        return _array_content(value)
    if value is None or isinstance(value, bool | int | float | complex | str):
        return type(value).__name__, repr(value).encode()
    if isinstance(value, bytes | bytearray):
        return "bytes", bytes(value)
    if isinstance(value, os.PathLike):
        return "path", os.fsencode(value)
    if isinstance(value, Mapping):
        return "unordered", list(value.items())
    if isinstance(value, set | frozenset):
        return "unordered", list(value)
    if isinstance(value, tuple | list):
        named = _name(type(value)) if hasattr(value, "_fields") else ""
        return f"sequence {named}", value
    if isinstance(value, functools.partial):  # jax.tree_util.Partial is one as well
        return "partial", (value.func, value.args, value.keywords)
    if isinstance(value, types.MethodType):
        return "method", (value.__func__, value.__self__)
    if isinstance(value, types.ModuleType):
        return "module", value.__name__.encode()
    if isinstance(value, references.OfModule):
        return "user module", (value.name, value.values)
    if isinstance(value, type):
        if references.installed(value.__module__):
            return "callable", _name(value).encode()
        return "class", (_name(value), references.of_class(value))
    if isinstance(value, np.dtype):
        return "dtype", str(value).encode()
    if isinstance(value, jax.ShapeDtypeStruct):
        return "shape", f"{value.dtype} {value.shape}".encode()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):  # equinox modules too
        names = [field.name for field in dataclasses.fields(value)]
        parts = [(name, getattr(value, name, None)) for name in names]
        return f"object {_name(type(value))}", [*parts, *_class_of(value)]
    if isinstance(value, types.FunctionType):
        code = (value.__code__, value.__defaults__, value.__kwdefaults__)
        cells = [_cell(cell) for cell in value.__closure__ or ()]
        return "function", (_name(value), *code, cells, references.of_function(value))
    if isinstance(value, types.CodeType):
        return "code", (value.co_code, value.co_consts, value.co_names, value.co_varnames)
    if callable(value) and (hasattr(value, "__qualname__") or hasattr(value, "__name__")):
        # What `jax.jit` and the like return holds the function of the user.
        if hasattr(value, "__wrapped__") and not references.installed(value.__module__):
            return "wrapper", (_name(value), getattr(value, "__wrapped__"))  # noqa: B009
        return "callable", _name(value).encode()
    if hasattr(type(value), "__array__"):  # data frames and other libraries' arrays
        return _array_content(np.asarray(value))
    node = jax.tree_util.default_registry.flatten_one_level(value)
    parts = node if node is not None else getattr(value, "__dict__", {})
    return f"object {_name(type(value))}", (parts, *_class_of(value))


def _class_of(value: Any) -> tuple[Any, ...]:
    """The class of an object, where it is the user's: its methods may be what is called."""
    return () if references.installed(type(value).__module__) else (type(value),)


def _array_content(value: Any) -> tuple[str, Any]:
    if _is_key(value):
        return f"key {jax.random.key_impl(value)}", (jax.random.key_data(value),)
    described = f"array {value.dtype} {value.shape}"
    array = np.asarray(value)
    if array.dtype.hasobject:
        return described, array.tolist() if array.ndim else (array.item(),)
    return described, checksum(array)


def _cell(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _is_key(value: Any) -> bool:
    return isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key)


def _name(value: Any) -> str:
    """Module and qualified name: a repr may hold an address, which changes between processes."""
    named = getattr(value, "__qualname__", None) or getattr(value, "__name__", "")
    return f"{getattr(value, '__module__', '')}.{named}"
