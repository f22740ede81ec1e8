"""What functions and classes of the user refer to: globals, helpers, parts of modules."""

from __future__ import annotations

import dataclasses
import dis
import functools
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any

# Dunder names of a class that say nothing about what its methods compute.
NOISE = {"__module__", "__doc__", "__qualname__", "__firstlineno__", "__static_attributes__"}


@dataclasses.dataclass(frozen=True)
class OfModule:
    """What is used of a module that is the user's own."""

    name: str
    values: dict[str, Any]


@functools.cache
def installed(module: str | None) -> bool:
    """Whether a module comes with Python or an installed package: those do not change between
    two parts of a run. A module without a file is built in, except for notebooks and scripts.

    >>> installed("json"), installed("jax.numpy"), installed("__main__")
    (True, True, False)
    """
    if module is None or module == "__main__":
        return module is None
    top = module.partition(".")[0]
    if top in sys.builtin_module_names or top in sys.stdlib_module_names or top == "wolfnest":
        return True
    found = sys.modules.get(module) or sys.modules.get(top)
    place = getattr(found, "__file__", None)
    if place is None:
        return found is not None and getattr(found, "__spec__", None) is not None
    homes = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return any(Path(place).is_relative_to(home) for home in homes if home)


def of_function(function: types.FunctionType) -> dict[str, Any]:
    """The globals that the code of a function reads, by name."""
    if installed(function.__module__):
        return {}
    attributes: set[str] = set()
    names: set[str] = set()
    for code in _codes(function.__code__):
        attributes.update(code.co_names)
        names |= {
            str(one.argval)
            for one in dis.get_instructions(code)
            if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")
        }
    known = function.__globals__
    return {name: _used(known[name], attributes) for name in names if name in known}


def of_class(kind: type) -> tuple[Any, ...]:
    """The bases of a class, its functions and its plain values."""
    values = {name: _plain(value) for name, value in vars(kind).items() if name not in NOISE}
    kinds = types.FunctionType, bool, int, float, complex, str, tuple
    said = {name: value for name, value in values.items() if isinstance(value, kinds)}
    return (*kind.__bases__, said)


def _plain(value: Any) -> Any:
    """The function inside a class method, a static one, a property or a method of equinox."""
    inside = (getattr(value, name, None) for name in ("__func__", "fget", "method"))
    return next((found for found in inside if isinstance(found, types.FunctionType)), value)


def _used(value: Any, attributes: set[str]) -> Any:
    if not isinstance(value, types.ModuleType) or installed(value.__name__):
        return value
    members = {name: getattr(value, name) for name in attributes if hasattr(value, name)}
    return OfModule(value.__name__, members)


def _codes(code: types.CodeType) -> list[types.CodeType]:
    """The code of a function and of those that are defined inside it."""
    inside = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return [code, *(deeper for part in inside for deeper in _codes(part))]
