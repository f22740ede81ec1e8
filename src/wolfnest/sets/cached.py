"""A set that remembers what its oracle answered, and repeats it where that is good enough."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.sets.base import AbstractSet
from wolfnest.sets.tools.points import float_dtype, like
from wolfnest.sets.tools.wrapping import OtherOracle, as_points, as_set, shapes, tree_unit


class Cache(NamedTuple):
    """Answers of the exact oracle, the latest first, with the unit directions that they were the
    answers to (zero where there is none yet), and the guess of the oracle itself."""

    vertices: PyTree
    directions: PyTree
    guess: PyTree


class Cached(OtherOracle):
    """A set that remembers: its oracle answers from the last `capacity` vertices where one of them
    is certain to be good enough, and asks the oracle of the set inside otherwise.

    Let `v_j` be the exact answers to the unit directions `d_j`, `D` the diameter, and `d` a new
    unit direction. For all `s` in the set and `t ≥ 0`

        <s, d> - <v_j, d>  ≥  t <s - v_j, d_j> - ‖s - v_j‖ ‖d - t d_j‖  ≥  -D ‖d - t d_j‖,

    so with the best `t` no point is better than `max_j <v_j, d> - D · dist(d, R₊ d_j)`. The best
    cached vertex is returned if it is within `accuracy · D` of that. Otherwise the oracle inside
    runs, and its answer takes the place of the oldest one. So every answer is within
    `accuracy · D · ‖d‖` of the best, and the oracle is skipped when directions change little.

    This is the caching of Braun, Pokutta and Zink (2017), "Lazifying conditional gradient
    algorithms", for an oracle that is not told the current point: they accept a cached vertex that
    improves on that point by enough, while here it has to be nearly the best.

    The memory is the guess of `lmo_from`; `lmo` has none and is exact. The diameter may be an
    upper bound; the smaller it is, the more calls are saved. Under `vmap` a branch is a selection,
    and the oracle inside always runs.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.Cached(sets.NuclearBall((20, 30)), capacity=8, accuracy=0.05)
    >>> gradient = jnp.eye(20, 30).at[0, 0].set(2.0)
    >>> vertex, memory = ball.lmo_from(gradient, ball.first_guess())
    >>> again, memory = ball.lmo_from(gradient + 0.001, memory)  # a look at 8 vertices
    >>> bool(jnp.all(again == vertex))
    True
    """

    set: AbstractSet
    capacity: int = eqx.field(static=True)
    accuracy: Array | np.ndarray

    def __init__(self, set: AbstractSet, capacity: int = 16, accuracy: Any = 0.01):
        self.set = as_set("set", set)
        self.capacity = checks.whole("capacity", capacity)
        self.accuracy = checks.positive("accuracy", accuracy)

    def lmo(self, direction: PyTree) -> PyTree:
        return self.set.lmo(direction)

    def lmo_from(self, direction: PyTree, guess: Cache) -> tuple[PyTree, Cache]:
        d = as_points("direction", direction, self.set)
        heading = tree_unit(d)
        best, certain = self._recall(heading, guess)

        def remembered() -> tuple[PyTree, Cache]:
            return jax.tree.map(lambda v, a: v[best].astype(a.dtype), guess.vertices, d), guess

        def asked() -> tuple[PyTree, Cache]:
            point, inner = self.set.lmo_from(d, guess.guess)
            # What is not finite would never be found again: it must not push out what is.
            sound = pytrees.all_finite((point, heading))
            keep = lambda rows, new: jnp.where(sound, _pushed(rows, new), rows)
            vertices = jax.tree.map(keep, guess.vertices, point)
            return point, Cache(vertices, jax.tree.map(keep, guess.directions, heading), inner)

        return jax.lax.cond(certain, remembered, asked)

    def first_guess(self, dtype: Any = None) -> Cache:
        """An empty memory."""
        dtype = float_dtype(dtype)
        empty = lambda leaf: jnp.zeros((self.capacity, *leaf.shape), dtype)
        nothing = jax.tree.map(empty, shapes(self.set))
        return Cache(nothing, nothing, self.set.first_guess(dtype))

    def _recall(self, heading: PyTree, cache: Cache) -> tuple[Array, Bool[Array, ""]]:
        """The number of the best cached vertex, and whether it is certain to be good enough."""
        heading = jax.tree.map(lambda a, rows: a.astype(rows.dtype), heading, cache.directions)
        values, overlap = _dots(cache.vertices, heading), _dots(cache.directions, heading)
        along = jnp.maximum(overlap, 0)
        gaps = jax.tree.map(
            lambda a, rows: a - along.reshape(-1, *[1] * a.ndim).astype(rows.dtype) * rows,
            heading,
            cache.directions,
        )
        size = like(self.diameter, values)
        known = _dots(cache.directions, cache.directions) > 0
        bounds = jnp.where(known, values - size * jnp.sqrt(_dots(gaps, gaps)), -jnp.inf)
        values = jnp.where(known, values, jnp.inf)
        good = jnp.min(values) - jnp.max(bounds) <= like(self.accuracy, values) * size
        return jnp.argmin(values), jnp.any(known) & good


def _dots(rows: PyTree, x: PyTree) -> Float[Array, " k"]:
    """The inner product of every row with `x`, or with its own row where `x` has rows too."""

    def leaf(a: Array, b: Array) -> Array:
        return jnp.sum(a * b, axis=tuple(range(1, a.ndim)))

    return functools.reduce(jnp.add, jax.tree.leaves(jax.tree.map(leaf, rows, x)))


def _pushed(rows: Array, new: Array) -> Array:
    """`new` before the rows, the last of which falls out."""
    return jnp.concatenate([new[None].astype(rows.dtype), rows[:-1]])
