"""Sets that are moved or stretched."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.common import checks
from wolfnest.sets.base import AbstractSet
from wolfnest.sets.tools.arrays import numbers
from wolfnest.sets.tools.points import like
from wolfnest.sets.tools.wrapping import MovedSet, as_points, as_set, shapes


class Scaled(MovedSet):
    """`{factor · x : x ∈ set}` for a factor other than zero; a negative one reflects the set.

    The oracle is `factor · lmo(sign(factor) · d)`, and the projection `factor · project(x /
    factor)`, with the oracle and the projection of the set inside. Guesses are passed on to it.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> debts = sets.Scaled(sets.Simplex(3), -2.0)
    >>> print(debts.lmo(jnp.array([1.0, 3.0, 2.0])) + 0)
    [ 0. -2.  0.]
    """

    set: AbstractSet
    factor: Array | np.ndarray

    def __init__(self, set: AbstractSet, factor: Any):
        self.set = as_set("set", set)
        self.factor = factor if checks.is_traced(factor) else _nonzero("factor", factor)

    def contains(self, x: PyTree, tol: float = 1e-5) -> Bool[Array, ""]:
        """Whether `x / factor` lies in the set inside."""
        return self.set.contains(self._inside(x), tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`|factor|` times that of the set inside; a bound where that one is a bound."""
        size = self.set.diameter
        return size * jnp.abs(like(self.factor, size))

    def _turned(self, direction: PyTree) -> PyTree:
        d = as_points("direction", direction, self.set)
        return jax.tree.map(lambda leaf: jnp.where(like(self.factor, leaf) < 0, -leaf, leaf), d)

    def _inside(self, x: PyTree) -> PyTree:
        x = as_points("x", x, self.set)
        return jax.tree.map(lambda leaf: leaf / like(self.factor, leaf), x)

    def _outside(self, point: PyTree) -> PyTree:
        return jax.tree.map(lambda leaf: leaf * like(self.factor, leaf), point)


class Shifted(MovedSet):
    """`{x + by : x ∈ set}`; `by` is built like a point of the set.

    The oracle is `lmo(d) + by`, and the projection `project(x - by) + by`, with the oracle and
    the projection of the set inside. Guesses are passed on to it.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.Shifted(sets.L2Ball(2), by=[10.0, 20.0])
    >>> print(ball.lmo(jnp.array([0.0, 3.0])))
    [10. 19.]
    >>> print(ball.project(jnp.array([15.0, 20.0])))
    [11. 20.]
    """

    set: AbstractSet
    by: PyTree

    def __init__(self, set: AbstractSet, by: PyTree):
        self.set = as_set("set", set)
        self.by = _shift(self.set, by)

    def contains(self, x: PyTree, tol: float = 1e-5) -> Bool[Array, ""]:
        """Whether `x - by` lies in the set inside, up to `tol` and the rounding of `by`: far away
        from the origin no point is exact. A set of a single point keeps its own tolerance."""
        inside = self._inside(x)
        pairs = zip(jax.tree.leaves(self.by), jax.tree.leaves(inside), strict=True)
        rounding = sum(4 * jnp.finfo(a.dtype).eps * jnp.sum(jnp.abs(like(b, a))) for b, a in pairs)
        return self.set.contains(inside, tol + rounding / _size(self.set))

    @property
    def diameter(self) -> Float[Array, ""]:
        """That of the set inside."""
        return self.set.diameter

    def _turned(self, direction: PyTree) -> PyTree:
        return as_points("direction", direction, self.set)

    def _outside(self, point: PyTree) -> PyTree:
        return jax.tree.map(lambda leaf, b: leaf + like(b, leaf), point, self.by)

    def _inside(self, x: PyTree) -> PyTree:
        x = as_points("x", x, self.set)
        return jax.tree.map(lambda leaf, b: leaf - like(b, leaf), x, self.by)


def _nonzero(name: str, value: Any) -> np.ndarray:
    number = checks.finite(name, value)
    if number == 0:
        raise ValueError(f"{name} must be a finite number other than 0, got {value!r}.")
    return np.asarray(number)


def _size(inner: AbstractSet) -> Any:
    """What rounding is compared with; infinity where that is no help."""
    try:
        size = inner.diameter
    except ValueError:  # a user's oracle may come without one
        return jnp.inf
    return jnp.where(size > 0, size, jnp.inf)


def _shift(inner: AbstractSet, by: PyTree) -> PyTree:
    """`by` in the structure and shapes of the points, finite; traced leaves are kept."""
    expected = shapes(inner)
    structure, alone = jax.tree.structure(expected), jax.tree_util.all_leaves([expected])
    leaves = [by] if alone else jax.tree.leaves(by)
    if not alone and jax.tree.structure(by) != structure:
        got = jax.tree.structure(by)
        raise ValueError(f"by must have the structure {structure}, got {got}.")
    wanted = [leaf.shape for leaf in jax.tree.leaves(expected)]
    return structure.unflatten([_checked(b, s) for b, s in zip(leaves, wanted, strict=True)])


def _checked(by: Any, shape: tuple[int, ...]) -> Any:
    array = numbers("by", by)
    if array.shape != shape:
        raise ValueError(f"by must have the shape of a point, {shape}, got {array.shape}.")
    return array
