"""The one recursion behind every estimator of the paper: VR:u, VR:v, fs:u, fs:v, ss1, ss2.

    new = (1-α)·prev + α·target + (1-α)·(now - before)

`now` and `before` are batch means of the same samples at the current and the previous inputs.
Momentum drops the last term; STORM keeps it; the snapshot family also replaces the target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.objective.composition import Batch, Composition, Pairing

Inputs = tuple[PyTree, ...]
ValueTarget = Callable[[int, PyTree, PyTree], PyTree]
GradientTarget = Callable[[PyTree], PyTree]


def combine(prev: PyTree, target: PyTree, change: PyTree | None, alpha: Any) -> PyTree:
    """`(1-α)·prev + α·target + (1-α)·change`, in the dtypes of `prev`."""

    def leaf(old: Array, aim: Array, *moved: Array) -> Array:
        weight = jnp.asarray(alpha, old.dtype)
        kept = old + moved[0] if moved else old
        return ((1 - weight) * kept + weight * aim).astype(old.dtype)

    return jax.tree.map(leaf, prev, target, *([] if change is None else [change]))


def track_values(
    composition: Composition,
    x: PyTree,
    prev: tuple[PyTree, ...],
    before: Inputs | None,
    batch: Batch,
    alpha: Any,
    target: ValueTarget | None = None,
) -> tuple[Inputs, tuple[PyTree, ...]]:
    """`u^1 … u^K` level by level: the input of a level is the value just updated below it.

    `before` are the previous inputs (None: no correction term); `target(i, y, now)` defaults
    to `now`. Returns the new inputs `(x, u^1, …, u^{K-1})` and the new values.
    """
    y, inputs, values = x, [], []
    for i, level in enumerate(composition.levels):
        now = level.mean(y, batch[i])
        change = None
        if before is not None:
            change = jax.tree.map(jnp.subtract, now, level.mean(before[i], batch[i]))
        aim = now if target is None else target(i, y, now)
        inputs.append(y)
        y = combine(prev[i], aim, change, alpha)
        values.append(y)
    return tuple(inputs), tuple(values)


def track_gradient(
    composition: Composition,
    inputs: Inputs,
    prev: PyTree,
    before: Inputs | None,
    batch: Batch,
    alpha: Any,
    pairing: Pairing,
    target: GradientTarget | None = None,
) -> PyTree:
    """`v`, by the same recursion on the chained batch gradient."""
    now = composition.gradient(inputs, batch, pairing)
    change = None
    if before is not None:
        change = jax.tree.map(jnp.subtract, now, composition.gradient(before, batch, pairing))
    return combine(prev, now if target is None else target(now), change, alpha)


def batch_start(
    composition: Composition, x: PyTree, values: Batch, gradient: Batch, pairing: Pairing
) -> tuple[tuple[PyTree, ...], PyTree]:
    """`u_1` and `v_1`: batch means at `x`, level by level."""
    inputs, u = batch_values(composition, x, values)
    return u, composition.gradient(inputs, gradient, pairing)


def batch_values(
    composition: Composition, x: PyTree, batch: Batch
) -> tuple[Inputs, tuple[PyTree, ...]]:
    """Batch means at `x`, level by level: the inputs `(x, u^1, …)` and the values."""
    y, inputs, values = x, [], []
    for level, samples in zip(composition.levels, batch, strict=True):
        inputs.append(y)
        y = level.mean(y, samples)
        values.append(y)
    return tuple(inputs), tuple(values)
