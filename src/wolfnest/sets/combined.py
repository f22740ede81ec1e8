"""Sets made of the points of other sets: images under a matrix, and sums.

Both know their points through the oracles inside only. Whether a point lies in them is decided by
a search for the nearest one, and there is no projection.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.common import checks
from wolfnest.sets.base import AbstractSet
from wolfnest.sets.tools.arrays import numbers
from wolfnest.sets.tools.membership import lies_in
from wolfnest.sets.tools.points import as_point, like, no_projection
from wolfnest.sets.tools.trees_of_sets import checked_guesses
from wolfnest.sets.tools.wrapping import as_points, as_set, flat, shapes


class LinearImage(AbstractSet):
    """`{A x : x ∈ set} ⊂ R^m` for a matrix `A` of shape `(m, n)`.

    `n` is the number of entries of a point of the set; one that is a matrix or a pytree is read
    as one vector, leaf by leaf and row by row. The oracle is `A · lmo(Aᵀ d)` with the oracle of
    the set inside, and guesses are passed on to it. There is no projection.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> triangle = sets.LinearImage([[0.0, 1.0, 2.0], [0.0, 3.0, 0.0]], sets.Simplex(3))
    >>> print(triangle.lmo(jnp.array([0.0, -1.0])))
    [1. 3.]
    >>> print(triangle.contains(jnp.array([1.0, 1.0])), triangle.contains(jnp.array([0.0, 1.0])))
    True False
    """

    matrix: Array | np.ndarray
    norm: Array | np.ndarray
    set: AbstractSet

    def __init__(self, matrix: Any, set: AbstractSet):
        self.set = as_set("set", set)
        entries = sum(leaf.size for leaf in jax.tree.leaves(shapes(self.set)))
        self.matrix = _matrix(matrix, entries)
        library = jnp if checks.is_traced(self.matrix) else np
        self.norm = library.asarray(library.linalg.norm(self.matrix, 2))

    def lmo(self, direction: Float[Array, " m"]) -> Float[Array, " m"]:
        return self._image(self.set.lmo(self._back(direction)))

    def lmo_from(self, direction: Float[Array, " m"], guess: PyTree) -> tuple[Array, PyTree]:
        point, guess = self.set.lmo_from(self._back(direction), guess)
        return self._image(point), guess

    def first_guess(self, dtype: Any = None) -> PyTree:
        return self.set.first_guess(dtype)

    def project(self, x: Float[Array, " m"]) -> Float[Array, " m"]:
        raise no_projection("LinearImage")

    def contains(self, x: Float[Array, " m"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A distance of at most `tol · diameter`, by a search for the nearest point (Wolfe 1976):
        about `m` oracle calls, with a least-squares problem of `m` unknowns for each."""
        return lies_in(self, as_point("x", x, self.matrix.shape[:1]), tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound: `‖A‖₂` times that of the set inside."""
        size = self.set.diameter
        return like(self.norm, size) * size

    def start(self, dtype: Any = None) -> Float[Array, " m"]:
        return self._image(self.set.start(dtype))

    def _image(self, point: PyTree) -> Float[Array, " m"]:
        vector = flat(point)
        return like(self.matrix, vector) @ vector

    def _back(self, direction: Any) -> PyTree:
        d = as_point("direction", direction, self.matrix.shape[:1])
        # Only the structure of a point is needed here, and that the dtype is the direction's.
        unravel = ravel_pytree(jax.tree.map(lambda s: np.zeros(s.shape, d.dtype), shapes(self.set)))
        return unravel[1](d @ like(self.matrix, d))


class MinkowskiSum(AbstractSet):
    """`{x_1 + … + x_k : x_j ∈ C_j}` for sets `C_j` whose points are built alike.

    The oracle is the sum of the oracles inside. The guess of `lmo_from` is a tuple with one entry
    per set. There is no projection.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> rounded = sets.MinkowskiSum((sets.LInfBall(2), sets.L2Ball(2, 0.5)))
    >>> print(rounded.lmo(jnp.array([-3.0, -4.0])))
    [1.3 1.4]
    >>> print(rounded.contains(jnp.array([1.5, 0.0])), rounded.contains(jnp.array([1.5, 1.5])))
    True False
    """

    sets: tuple[AbstractSet, ...]

    def __init__(self, sets: Iterable[AbstractSet]):
        if isinstance(sets, AbstractSet) or not isinstance(sets, Iterable):
            raise ValueError(f"sets must be several sets, got {sets!r}.")
        self.sets = tuple(as_set(f"sets[{j}]", part) for j, part in enumerate(sets))
        if not self.sets:
            raise ValueError("sets must hold at least one set, got none.")
        first, *others = [shapes(part) for part in self.sets]
        for j, other in enumerate(others, start=1):
            if other != first:
                raise ValueError(
                    f"sets must have points that are built alike, got {first} for sets[0] and "
                    f"{other} for sets[{j}]."
                )

    def lmo(self, direction: PyTree) -> PyTree:
        d = as_points("direction", direction, self.sets[0])
        return _total([part.lmo(d) for part in self.sets])

    def lmo_from(self, direction: PyTree, guess: PyTree) -> tuple[PyTree, PyTree]:
        d = as_points("direction", direction, self.sets[0])
        together = zip(self.sets, checked_guesses(guess, len(self.sets)), strict=True)
        found = [part.lmo_from(d, g) for part, g in together]
        return _total([point for point, _ in found]), tuple(new for _, new in found)

    def first_guess(self, dtype: Any = None) -> tuple[PyTree, ...]:
        return tuple(part.first_guess(dtype) for part in self.sets)

    def project(self, x: PyTree) -> PyTree:
        raise no_projection("MinkowskiSum")

    def contains(self, x: PyTree, tol: float = 1e-5) -> Bool[Array, ""]:
        """A distance of at most `tol · diameter`, by a search for the nearest point (Wolfe 1976):
        about `n` oracle calls for `n` entries, with a least-squares problem of `n` unknowns for
        each."""
        return lies_in(self, as_points("x", x, self.sets[0]), tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound: the sum of the diameters."""
        return functools.reduce(jnp.add, [part.diameter for part in self.sets])

    def start(self, dtype: Any = None) -> PyTree:
        return _total([part.start(dtype) for part in self.sets])


def _total(points: list[PyTree]) -> PyTree:
    return jax.tree.map(lambda *leaves: functools.reduce(jnp.add, leaves), *points)


def _matrix(value: Any, entries: int) -> Any:
    matrix = numbers("matrix", value)
    if matrix.ndim != 2 or matrix.shape[1] != entries or matrix.shape[0] == 0:
        raise ValueError(
            f"matrix must have shape (rows, {entries}), one column per entry of a point of the "
            f"set, got {matrix.shape}."
        )
    return matrix
