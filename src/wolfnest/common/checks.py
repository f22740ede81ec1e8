"""Checks of values at the boundary: every message says what was got and what was expected."""

from __future__ import annotations

import operator
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

# Numbers that compiled code counts with are 32-bit integers.
MOST = 2**31 - 1


def is_traced(value: Any) -> bool:
    """Values inside a transformation are not known; checks of values are skipped there."""
    return any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(value))


def whole(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """`value` as an int that is at least `least`, and at most `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool | np.bool_) or number < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    if most is not None and number > most:
        raise ValueError(f"{name} must be at most {most:,}, got {value!r}.")
    return number


def positive(name: str, value: Any) -> np.ndarray | jax.Array:
    """`value` as a finite, positive scalar array (a leaf, so that new values do not recompile)."""
    return _scalar(name, value, "a positive, finite number", lambda number: number > 0)


def non_negative(name: str, value: Any) -> np.ndarray | jax.Array:
    """`value` as a finite scalar array that is zero or more."""
    return _scalar(name, value, "a finite number of at least 0", lambda number: number >= 0)


def finite(name: str, value: Any) -> float:
    """`value` as a finite float."""
    return float(_scalar(name, value, "a finite number", lambda number: True))


def _scalar(name: str, value: Any, expected: str, fits: Any) -> np.ndarray | jax.Array:
    if is_traced(value):
        return value
    try:
        number = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        number = None
    if number is None or number.ndim or not (np.isfinite(number) and fits(number)):
        raise ValueError(f"{name} must be {expected}, got {value!r}.")
    return number


def choice(name: str, value: Any, options: tuple[str, ...]) -> str:
    """`value`, if it is one of `options`."""
    if value not in options:
        known = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} must be one of {known}, got {value!r}.")
    return value
