"""Do the levels fit each other, their data and the set? Asked before anything is compiled."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from wolfnest.common.checks import is_traced
from wolfnest.objective.level import Level
from wolfnest.objective.shapes import describe, user_level
from wolfnest.sets.base import AbstractSet

# What JAX raises where a function leaves it for NumPy or Python.
NOT_JAX = (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError)


def fit_levels(levels: Sequence[Level], domain: AbstractSet) -> tuple[tuple[Level, ...], Any]:
    """The levels, with data promoted to floats, and the dtype to compute in."""
    if isinstance(levels, Level) or not isinstance(levels, Sequence) or not levels:
        raise ValueError(
            f"levels must be a list of at least one Level, f_1 first, got {type(levels).__name__}"
            f"{'' if levels else ' without entries'}: pass [level] for a single one."
        )
    for number, level in enumerate(levels, 1):
        if not isinstance(level, Level):
            raise ValueError(f"level {number} must be a wn.Level, got {level!r}: wrap it in Level.")
        _check_data(number, level)
    levels = tuple(levels)
    dtype = _common_dtype(levels)
    y = jax.eval_shape(lambda: domain.start(dtype))
    fitted = []
    for number, level in enumerate(levels, 1):
        level, y = _fit_level(number, level, y, dtype)
        fitted.append(level)
    if jax.tree.structure(y) != jax.tree.structure(0) or y.shape != ():
        raise ValueError(
            f"level {len(levels)}, the last one, must return a scalar, got {describe(y)}."
        )
    return tuple(fitted), dtype


def _check_data(number: int, level: Level) -> None:
    if level.data is None:
        return
    leaves = jax.tree_util.tree_leaves_with_path(level.data)
    if not leaves:
        raise ValueError(f"the data of level {number} hold no array: pass at least one.")
    lengths = {jax.tree_util.keystr(path) or "data": np.shape(leaf) for path, leaf in leaves}
    if len({shape[:1] for shape in lengths.values()}) > 1 or () in lengths.values():
        some = [f"{name}: {list(shape)}" for name, shape in lengths.items()][:9]
        raise ValueError(
            f"the arrays in the data of level {number} must share their leading sample axis, "
            f"got {', '.join(some)}."
        )
    if (level.size or 0) >= 2**31:
        raise ValueError(f"the data of level {number} have {level.size} samples; at most 2^31 - 1.")
    if level.size == 0:
        raise ValueError(f"the data of level {number} are empty: expected at least one sample.")
    for path, leaf in leaves:
        name = jax.tree_util.keystr(path)
        if not jnp.issubdtype(leaf.dtype, jnp.number) and leaf.dtype != jnp.bool_:
            raise ValueError(
                f"the data{name} of level {number} have dtype {leaf.dtype}; expected numbers."
            )
        if is_traced(leaf) or not jnp.issubdtype(leaf.dtype, jnp.inexact):
            continue
        if not bool(jnp.all(jnp.isfinite(leaf))):
            row = int(np.argwhere(~np.isfinite(np.asarray(leaf)))[0][0])
            raise ValueError(
                f"the data{name} of level {number} hold NaN or infinite entries, the first in "
                f"sample {row}; expected finite numbers: drop or fill them."
            )


def _common_dtype(levels: tuple[Level, ...]) -> Any:
    """The floating dtype that all samples promote to; the default float where none has one."""
    found: dict[Any, int] = {}
    for number, level in enumerate(levels, 1):
        samples = None if level.kind == "deterministic" else _one_sample(number, level)
        for leaf in jax.tree.leaves(samples):
            if jnp.issubdtype(leaf.dtype, jnp.floating):
                found.setdefault(np.dtype(leaf.dtype), number)
    if not found:
        return jnp.zeros(()).dtype
    dtype = jnp.result_type(*found)
    if len(found) > 1:
        seen = ", ".join(f"{kind.name} in level {number}" for kind, number in found.items())
        warnings.warn(
            f"the samples mix dtypes ({seen}): computing in {dtype.name}. Convert them to one "
            "dtype to silence this.",
            UserWarning,
            stacklevel=user_level(),
        )
    return dtype


def _fit_level(number: int, level: Level, y: PyTree, dtype: Any) -> tuple[Level, PyTree]:
    """Evaluate the shapes of one level at an input of shapes `y`."""
    integers = [
        a.dtype for a in jax.tree.leaves(level.data) if not jnp.issubdtype(a.dtype, jnp.inexact)
    ]
    if not integers:
        return level, _output(number, level, y)
    promoted = eqx.tree_at(
        lambda lv: lv.data, level, jax.tree.map(lambda a: _to_float(a, dtype), level.data)
    )
    try:
        output = _output(number, promoted, y)
    except ValueError:
        # Integers that serve as indices cannot be floats: keep them if the level works so.
        return level, _output(number, level, y)
    warnings.warn(
        f"the data of level {number} are {integers[0].name}; promoted to {np.dtype(dtype).name}. "
        "Pass floats to silence this.",
        UserWarning,
        stacklevel=user_level(),
    )
    return promoted, output


def _to_float(leaf: Any, dtype: Any) -> Any:
    return leaf if jnp.issubdtype(leaf.dtype, jnp.inexact) else leaf.astype(dtype)


def _output(number: int, level: Level, y: PyTree) -> PyTree:
    source = "a point of the set" if number == 1 else f"the output of level {number - 1}"
    arguments = (y,) if level.kind == "deterministic" else (y, _one_sample(number, level))
    try:
        output = jax.eval_shape(level.fn, *arguments)
    except Exception as error:
        got = f"{source}, {describe(y)}"
        if len(arguments) == 2:
            got += f", and one sample, {describe(arguments[1])}"
        hint = ""
        if isinstance(error, NOT_JAX):
            hint = " In a level use jax.numpy, not numpy, and jnp.where instead of if."
        raise ValueError(
            f"level {number} does not fit {got}: evaluating its function there gave "
            f"{type(error).__name__}: {_first_line(error)}{hint}"
        ) from error
    for leaf in jax.tree.leaves(output):
        if not jnp.issubdtype(leaf.dtype, jnp.floating):
            raise ValueError(
                f"level {number} must return floating-point numbers, got {describe(output)}."
            )
    if not jax.tree.leaves(output):
        raise ValueError(f"level {number} must return at least one array, got {output!r}.")
    return output


def _one_sample(number: int, level: Level) -> PyTree:
    """`level.one_sample()`, after a look at what the sampler returns."""
    if level.sample is None:
        return level.one_sample()
    count, sample = 3, level.sample
    try:
        batch = jax.eval_shape(lambda key: sample(key, count), jax.random.key(0))
    except Exception as error:
        raise ValueError(
            f"the sampler of level {number} must work as sample(key, n) with a static n, got "
            f"{type(error).__name__}: {_first_line(error)}"
        ) from error
    leaves = jax.tree.leaves(batch)
    if not leaves or any(leaf.shape[:1] != (count,) for leaf in leaves):
        raise ValueError(
            f"sample(key, n) of level {number} must return arrays with a leading axis of length n; "
            f"for n = {count} got {describe(batch)}."
        )
    return level.one_sample()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]
