"""Shapes and dtypes of pytrees in words, and where a warning about them points to."""

from __future__ import annotations

import sys
from typing import Any

import jax
import numpy as np
from jaxtyping import PyTree


def describe(tree: PyTree) -> str:
    """Shapes and dtypes of a pytree, short: `(float64[], float64[17])`."""
    short = jax.tree.map(lambda a: _Shape(a), tree)
    return repr(short)


class _Shape:
    def __init__(self, leaf: Any) -> None:
        self.text = f"{np.dtype(leaf.dtype).name}{list(leaf.shape)}".replace(" ", "")

    def __repr__(self) -> str:
        return self.text


def user_level() -> int:
    """The stack level of the first caller outside this package, for warnings."""
    level, frame = 1, sys._getframe(1)
    while frame and frame.f_globals.get("__name__", "").split(".")[0] in ("wolfnest", "equinox"):
        level, frame = level + 1, frame.f_back
    return level
