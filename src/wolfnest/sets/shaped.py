"""Sets of arrays of another shape, and one point of a set for every row or column."""

from __future__ import annotations

import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.common import checks
from wolfnest.sets.base import AbstractSet
from wolfnest.sets.tools.points import as_point
from wolfnest.sets.tools.wrapping import MovedSet, as_set, shapes


class Reshaped(MovedSet):
    """The set with its points read as arrays of another shape, row by row.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> sparse = sets.Reshaped(sets.L1Ball(6, radius=2.0), (2, 3))
    >>> print(sparse.lmo(jnp.array([[0.0, 1.0, 0.0], [-3.0, 0.0, 0.0]])))
    [[0. 0. 0.]
     [2. 0. 0.]]
    """

    set: AbstractSet
    shape: tuple[int, ...] = eqx.field(static=True)

    def __init__(self, set: AbstractSet, shape: tuple[int, ...]):
        self.set = as_set("set", set)
        self.shape = tuple(checks.whole("shape", n) for n in shape)
        inside = shape_of(set)
        if math.prod(inside) != math.prod(self.shape):
            raise ValueError(
                f"shape must have as many entries as the points of the set, whose shape is "
                f"{inside}, got {self.shape}."
            )

    def contains(self, x: Float[Array, "*shape"], tol: float = 1e-5) -> Bool[Array, ""]:
        return self.set.contains(self._inside(x), tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """That of the set inside."""
        return self.set.diameter

    def _turned(self, direction: Any) -> Array:
        return as_point("direction", direction, self.shape).reshape(shape_of(self.set))

    def _inside(self, x: Any) -> Array:
        return as_point("x", x, self.shape).reshape(shape_of(self.set))

    def _outside(self, point: Array) -> Float[Array, "*shape"]:
        return point.reshape(self.shape)


class Stacked(AbstractSet):
    """`{X : every slice of X along an axis lies in the set}`: `count` points of it, side by side.

    `axis=0` puts a matrix together from rows, `axis=1` from columns.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> mixtures = sets.Stacked(sets.Simplex(3), count=2)
    >>> print(mixtures.lmo(jnp.array([[1.0, 0.0, 2.0], [0.0, 5.0, -1.0]])))
    [[0. 1. 0.]
     [0. 0. 1.]]
    """

    set: AbstractSet
    count: int = eqx.field(static=True)
    axis: int = eqx.field(static=True)

    def __init__(self, set: AbstractSet, count: int, axis: int = 0):
        self.set = as_set("set", set)
        self.count = checks.whole("count", count)
        self.axis = checks.whole("axis", axis, least=0, most=len(shape_of(set)))

    def lmo(self, direction: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        return self._each(self.set.lmo, self._checked("direction", direction))

    def lmo_from(
        self, direction: Float[Array, "*shape"], guess: PyTree
    ) -> tuple[Float[Array, "*shape"], PyTree]:
        d = self._checked("direction", direction)
        both = jax.vmap(self.set.lmo_from, (self.axis, 0), (self.axis, 0))
        return both(d, guess)

    def first_guess(self, dtype: Any = None) -> PyTree:
        one = self.set.first_guess(dtype)
        return jax.tree.map(lambda a: jnp.repeat(a[None], self.count, axis=0), one)

    def project(self, x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        return self._each(self.set.project, self._checked("x", x))

    def contains(self, x: Float[Array, "*shape"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Whether every slice lies in the set, up to `tol` relative to its size."""
        x = self._checked("x", x)
        return jnp.all(jax.vmap(lambda a: self.set.contains(a, tol), self.axis)(x))

    @property
    def diameter(self) -> Float[Array, ""]:
        """`√count` times that of the set; a bound where that one is a bound."""
        return self.count**0.5 * self.set.diameter

    def start(self, dtype: Any = None) -> Float[Array, "*shape"]:
        return jnp.stack([self.set.start(dtype)] * self.count, axis=self.axis)

    def _checked(self, name: str, x: Any) -> Array:
        inside = shape_of(self.set)
        return as_point(name, x, (*inside[: self.axis], self.count, *inside[self.axis :]))

    def _each(self, fn: Any, x: Array) -> Array:
        return jax.vmap(fn, self.axis, self.axis)(x)


def shape_of(set: AbstractSet) -> tuple[int, ...]:
    """The shape of the points of a set, which must be arrays."""
    point = shapes(set)
    if not jax.tree_util.all_leaves([point]):
        raise ValueError(f"set must be one of arrays, got {type(set).__name__}, one of pytrees.")
    return point.shape
