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


def squared_norm(a: PyTree) -> Array:
    return dot(a, a)


def subtract(a: PyTree, b: PyTree) -> PyTree:
    return jax.tree.map(jnp.subtract, a, b)


def move(start: PyTree, towards: PyTree, fraction: Any) -> PyTree:
    """`start + fraction * (towards - start)`, in the dtype of `start`."""

    def leaf(a: Array, b: Array) -> Array:
        return (a + jnp.asarray(fraction, a.dtype) * (b - a)).astype(a.dtype)

    return jax.tree.map(leaf, start, towards)


def all_finite(tree: PyTree) -> Array:
    leaves = [jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(tree)]
    return jnp.all(jnp.stack(leaves)) if leaves else jnp.asarray(True)
