"""Parameters of sets that are arrays: checked once, when the set is made."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from wolfnest.common import checks


def numbers(name: str, value: Any) -> Array | np.ndarray:
    """`value` as an array of finite floats; of a traced value only the shape is known."""
    array = _floats(name, value)
    if isinstance(array, np.ndarray):
        refuse_where(name, array, ~np.isfinite(array), "finite")
    return array


def vector(name: str, value: Any) -> Array | np.ndarray:
    """`value` as a vector of finite floats, with at least one entry."""
    array = numbers(name, value)
    if array.ndim != 1 or not array.size:
        raise ValueError(
            f"{name} must be a vector with at least one entry, got shape {array.shape}."
        )
    return array


def per_entry(name: str, value: Any, dim: int, least: float = -np.inf) -> Array | np.ndarray:
    """`value` as `dim` floats of at least `least`, from as many or from one for all of them; they
    may be infinite."""
    array = _floats(name, value)
    if isinstance(array, np.ndarray):
        refuse_where(name, array, np.isnan(array), "a number")
        refuse_where(name, array, array < least, f"at least {least:g}")
    if array.shape not in ((), (dim,)):
        raise ValueError(f"{name} must be a number or have shape ({dim},), got {array.shape}.")
    library = np if isinstance(array, np.ndarray) else jnp
    return library.broadcast_to(array, (dim,))


def refuse_where(name: str, array: np.ndarray, bad: np.ndarray, expected: str) -> None:
    """An error that names the first bad entry."""
    if np.any(bad):
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        where = f" at index {at}" if at else ""
        raise ValueError(f"{name} must be {expected}, got {array[at]}{where}.")


def _floats(name: str, value: Any) -> Array | np.ndarray:
    if checks.is_traced(value):
        return jnp.asarray(value)
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers, got {value!r}.") from None
