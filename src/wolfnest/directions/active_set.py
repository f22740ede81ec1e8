"""The vertices that a point is made of, in arrays of fixed size.

Sums over the vertices go block by block, and over as many blocks as are in use: their bits do not
depend on the size of the arrays, so that these can grow in the middle of a run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int32

BLOCK = 16
# Entries that differ by this many roundings of the largest one are the same.
ROUNDINGS = 16


class ActiveSet(eqx.Module):
    """`x = Σ_i weights_i · atoms_i` with `weights ≥ 0` that add up to 1; points are flat.

    The first `count` rows are in use. `bound` is the least gap that the oracle has certified so
    far, which lazy directions compare with.

    >>> active = ActiveSet.of(jnp.array([0.5, 0.5]), capacity=3)
    >>> active.capacity, int(active.count), active.grown().capacity
    (16, 1, 32)
    """

    atoms: Float[Array, "capacity d"]
    weights: Float[Array, " capacity"]
    count: Int32[Array, ""]
    bound: Float[Array, ""]

    @classmethod
    def of(cls, x: Float[Array, " d"], capacity: int) -> ActiveSet:
        """One atom of weight 1. The capacity is rounded up to whole blocks."""
        rows = -(-capacity // BLOCK) * BLOCK
        atoms = jnp.zeros((rows, x.size), x.dtype).at[0].set(x)
        weights = jnp.zeros(rows, x.dtype).at[0].set(1)
        return cls(atoms, weights, jnp.int32(1), jnp.full((), jnp.inf, x.dtype))

    @property
    def capacity(self) -> int:
        return self.atoms.shape[-2]

    def grown(self) -> ActiveSet:
        """The same with twice the capacity; leading axes (seeds) stay as they are."""
        double = lambda a, axis: jnp.concatenate([a, jnp.zeros_like(a)], axis)
        atoms, weights = double(self.atoms, -2), double(self.weights, -1)
        return dataclasses.replace(self, atoms=atoms, weights=weights)

    # ---- looking -------------------------------------------------------------------------

    def scores(self, v: Float[Array, " d"]) -> Float[Array, " capacity"]:
        """`<v, atom>` for every atom in use; 0 elsewhere."""
        dot = lambda atoms, _: jnp.dot(atoms, v, precision="highest")
        return self._by_row(dot, jnp.zeros(self.capacity, v.dtype))

    def extremes(self, scores: Float[Array, " capacity"]) -> tuple[Array, Array]:
        """The atoms in use with the least and with the largest score."""
        used = jnp.arange(self.capacity) < self.count
        least = jnp.argmin(jnp.where(used, scores, jnp.inf))
        return least, jnp.argmax(jnp.where(used, scores, -jnp.inf))

    def find(self, vertex: Float[Array, " d"]) -> Int32[Array, ""]:
        """The row of an atom that equals `vertex` up to rounding, or the first row that is not in
        use: a solver may come to a vertex on other ways, with other last digits."""
        near = ROUNDINGS * jnp.finfo(vertex.dtype).eps * jnp.max(jnp.abs(vertex))
        equal = lambda atoms, _: jnp.all(jnp.abs(atoms - vertex) <= near, axis=1)
        same = self._by_row(equal, jnp.zeros(self.capacity, bool))
        same &= jnp.arange(self.capacity) < self.count
        return jnp.where(jnp.any(same), jnp.argmax(same), self.count).astype(jnp.int32)

    def _by_row(self, fn: Callable[[Array, Array], Array], into: Array) -> Array:
        def one(block: Array, into: Array) -> Array:
            atoms, weights, start = self._block(block)
            rows = fn(atoms, weights).astype(into.dtype)
            return jax.lax.dynamic_update_slice_in_dim(into, rows, start, 0)

        return jax.lax.fori_loop(0, self._blocks, one, into)

    @property
    def _blocks(self) -> Array:
        return (self.count + BLOCK - 1) // BLOCK

    def _block(self, number: Array) -> tuple[Array, Array, Array]:
        start = number * BLOCK
        cut = lambda a: jax.lax.dynamic_slice_in_dim(a, start, BLOCK)
        return cut(self.atoms), cut(self.weights), start

    # ---- changing ------------------------------------------------------------------------

    def put(self, vertex: Float[Array, " d"], row: Array, weight: Array) -> ActiveSet:
        """`vertex` with `weight` more, in a row that `find` gave; nothing where that is 0."""
        there, none = jnp.minimum(row, self.capacity - 1), weight == 0
        kept = jnp.where(none, _row(self.atoms, there), vertex)
        atoms = _with_row(self.atoms, kept, there)
        # Full arrays must not pass unnoticed where no loop makes them grow.
        weight = jnp.where((row >= self.capacity) & ~none, jnp.nan, weight)
        weights = _with_row(self.weights, _row(self.weights, there) + weight, there)
        count = jnp.where((row == self.count) & ~none, self.count + 1, self.count)
        return dataclasses.replace(self, atoms=atoms, weights=weights, count=count)

    def drop(self, row: Array, when: Array) -> ActiveSet:
        """Without the atom in `row`, if `when`: the last one takes its place."""
        last = jnp.where(when, self.count - 1, row)
        atoms = _with_row(self.atoms, _row(self.atoms, last), row)
        weights = _with_row(self.weights, _row(self.weights, last), row)
        weights = _with_row(weights, jnp.where(when, 0, _row(weights, last)), last)
        count = jnp.where(when, self.count - 1, self.count)
        return dataclasses.replace(self, atoms=atoms, weights=weights, count=count)

    def only(self, vertex: Float[Array, " d"], when: Array) -> ActiveSet:
        """`vertex` alone, if `when`."""
        atoms = _with_row(self.atoms, jnp.where(when, vertex, self.atoms[0]), 0)
        first = jnp.arange(self.capacity) == 0
        weights = jnp.where(when, first.astype(self.weights.dtype), self.weights)
        count = jnp.where(when, 1, self.count)
        return dataclasses.replace(self, atoms=atoms, weights=weights, count=count)

    def point(self) -> tuple[Float[Array, " d"], ActiveSet]:
        """`x`, and the weights scaled so that they add up to 1 again."""

        def add(block: Array, so_far: tuple[Array, Array]) -> tuple[Array, Array]:
            atoms, weights, _ = self._block(block)
            mixed = jnp.dot(weights, atoms, precision="highest")
            return so_far[0] + mixed, so_far[1] + jnp.sum(weights)

        nothing = (jnp.zeros_like(self.atoms[0]), jnp.zeros_like(self.weights[0]))
        x, total = jax.lax.fori_loop(0, self._blocks, add, nothing)
        return x / total, dataclasses.replace(self, weights=self.weights / total)


def _row(array: Array, row: Any) -> Array:
    return jax.lax.dynamic_index_in_dim(array, row, 0, keepdims=False)


def _with_row(array: Array, value: Array, row: Any) -> Array:
    return jax.lax.dynamic_update_index_in_dim(array, value, row, 0)
