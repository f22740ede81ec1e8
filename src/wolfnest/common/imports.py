"""Imports that wait: packages that may be missing, and names loaded when they are asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any


def optional(module: str, extra: str, user: str) -> ModuleType:
    """A module of an optional package, or an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"{user} needs {package}, which cannot be imported ({error}). Install it with "
            f"pip install 'wolfnest[{extra}]' or pip install {package}."
        ) from error


def deferred(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package; `homes` are its modules, each with its public names.

    No module may have the name of something that the package exports: it would hide it.

    >>> load = deferred("wolfnest.common", {"formatting": "count duration", "files": "slug"})
    >>> load("duration")(65)
    '1m 05s'
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
