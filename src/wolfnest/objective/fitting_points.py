"""Is a point one of the set? Asked before anything is compiled."""

from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from wolfnest.common.checks import is_traced
from wolfnest.objective.shapes import describe, user_level
from wolfnest.sets.base import AbstractSet


def fit_shape(x: PyTree, domain: AbstractSet, dtype: Any, name: str = "x") -> PyTree:
    """`x` as real arrays with the shapes of a point of the set."""
    expected = jax.eval_shape(lambda: domain.start(dtype))
    one_array = jax.tree.structure(expected) == jax.tree.structure(0)
    try:
        x = _array(x, dtype) if one_array else jax.tree.map(lambda a: _array(a, dtype), x)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be numbers with the shapes of a point of the set, {describe(expected)}, "
            f"got {x!r}."
        ) from error
    shapes = [leaf.shape for leaf in jax.tree.leaves(x)]
    if jax.tree.structure(x) != jax.tree.structure(expected) or shapes != [
        leaf.shape for leaf in jax.tree.leaves(expected)
    ]:
        raise ValueError(
            f"{name} must have the shapes of a point of the set, {describe(expected)}, "
            f"got {describe(x)}."
        )
    if any(jnp.issubdtype(leaf.dtype, jnp.complexfloating) for leaf in jax.tree.leaves(x)):
        raise ValueError(f"{name} must be real, got {describe(x)}.")
    return x


def _array(leaf: Any, dtype: Any) -> jax.Array:
    """Python's floats have no precision of their own: they take that of the problem."""
    if hasattr(leaf, "dtype"):
        return jnp.asarray(leaf)
    leaf = np.asarray(leaf)
    return jnp.asarray(leaf, dtype if leaf.dtype.kind == "f" else None)


def fit_point(x0: PyTree, domain: AbstractSet, dtype: Any) -> PyTree:
    """`x0` as one floating dtype and a copy of what was given, checked against the set."""
    x0 = fit_shape(x0, domain, dtype, "x0")
    kinds = {leaf.dtype for leaf in jax.tree.leaves(x0)}
    common = jnp.result_type(dtype, *kinds)
    if kinds != {np.dtype(dtype)}:
        warnings.warn(
            f"x0 is {' and '.join(sorted(kind.name for kind in kinds))} while the problem is "
            f"{np.dtype(dtype).name}: computing in {common.name}. Convert x0 to silence this.",
            UserWarning,
            stacklevel=user_level(),
        )
    x0 = jax.tree.map(lambda a: jnp.array(a, common), x0)
    if not is_traced(x0) and not bool(domain.contains(x0)):
        raise ValueError(
            f"x0 must lie in the set {type(domain).__name__}, but does not (tolerance 1e-5 of its "
            "size). Use problem.domain.project(x0), or x0=None for the set's own starting point."
        )
    return x0
