"""Arithmetic on pytrees of arrays: points, tracked values and gradients are all of this kind."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree


def dot(a: PyTree, b: PyTree) -> Array:
    """Euclidean inner product over all leaves."""
    return functools.reduce(jnp.add, jax.tree.leaves(jax.tree.map(jnp.vdot, a, b)))


WIDE = 1_024  # entries of a row, from which on reading it is what an iteration takes on a GPU


def inner(a: Array, b: Array) -> Array:
    """The inner product of a sampled row with a point, within a level.

    What multiplies gathered rows decides whether they are written to memory first: on a GPU, a sum
    is fused with the gather and a product is not (2.6 times the time of reading the rows, against
    5.7, at 10,000 entries). Products are quicker for short rows, and on a CPU throughout.
    """
    fused = a.size >= WIDE and jax.default_backend() != "cpu"
    return jnp.sum(a * b) if fused else jnp.vdot(a, b)


def squared_norm(a: PyTree) -> Array:
    return dot(a, a)


def subtract(a: PyTree, b: PyTree) -> PyTree:
    return jax.tree.map(jnp.subtract, a, b)


def cast_like(tree: PyTree, model: PyTree) -> PyTree:
    """The leaves of a tree in the dtypes of another one of the same structure."""
    return jax.tree.map(lambda a, b: jnp.asarray(a, b.dtype), tree, model)


def move(start: PyTree, towards: PyTree, fraction: Any) -> PyTree:
    """`start + fraction * (towards - start)`, in the dtype of `start`."""

    def leaf(a: Array, b: Array) -> Array:
        return (a + jnp.asarray(fraction, a.dtype) * (b - a)).astype(a.dtype)

    return jax.tree.map(leaf, start, towards)


def move_compensated(
    start: PyTree, towards: PyTree, fraction: Any, rest: PyTree
) -> tuple[PyTree, PyTree]:
    """`move`, with the part that rounding lost last time (`rest`) added, and the part that it
    loses this time returned (Kahan). Many small moves in single precision would otherwise stall
    or drift out of the set."""
    change, rest = change_compensated(start, towards, fraction, rest)
    return jax.tree.map(jnp.add, start, change), rest


def change_compensated(
    start: PyTree, towards: PyTree, fraction: Any, rest: PyTree
) -> tuple[PyTree, PyTree]:
    """The change of `move_compensated`, for a sum that is taken elsewhere in the same dtype."""

    def leaf(a: Array, b: Array, lost: Array) -> tuple[Array, Array]:
        change = (jnp.asarray(fraction, a.dtype) * (b - a)).astype(a.dtype) + lost
        return change, change - ((a + change) - a)

    pairs = jax.tree.map(leaf, start, towards, rest)
    return jax.tree.transpose(jax.tree.structure(start), jax.tree.structure((0, 0)), pairs)


def all_finite(tree: PyTree) -> Array:
    leaves = [jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(tree)]
    return jnp.all(jnp.stack(leaves)) if leaves else jnp.asarray(True)


def as_pytree(name: str, fn: Any) -> Any:
    """A function as a pytree, so that objects which hold it can be arguments of `jax.jit`.

    Plain functions become static parts. What is a pytree already (an `equinox.Module`, a
    `jax.tree_util.Partial`) keeps its arrays as leaves, so that a hyper-parameter bound with one
    does not recompile when it changes.
    """
    if not callable(fn):
        raise ValueError(f"{name} must be a function, got {fn!r}.")
    is_leaf = jax.tree_util.all_leaves([fn])
    return jax.tree_util.Partial(fn) if is_leaf else fn
