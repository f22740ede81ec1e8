"""What the wrappers share: the set inside, and points that are built like its points."""

from __future__ import annotations

import abc
from typing import Any

import equinox as eqx
import jax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.sets.base import AbstractSet
from wolfnest.sets.tools.points import as_point, unit


class MovedSet(AbstractSet):
    """The points of the set inside, each moved by a one-to-one map that keeps what is nearest.

    The oracle is `outside(lmo(turned(d)))`, and the projection `outside(project(inside(x)))`, with
    the oracle and the projection of the set inside. Guesses are passed on to it.
    """

    set: eqx.AbstractVar[AbstractSet]

    @abc.abstractmethod
    def _turned(self, direction: PyTree) -> PyTree:
        """The direction whose best point inside is moved to the best one, shapes checked."""

    @abc.abstractmethod
    def _inside(self, x: PyTree) -> PyTree:
        """The point inside that is moved to `x`, shapes checked."""

    @abc.abstractmethod
    def _outside(self, point: PyTree) -> PyTree:
        """Where a point inside is moved to."""

    def lmo(self, direction: PyTree) -> PyTree:
        return self._outside(self.set.lmo(self._turned(direction)))

    def lmo_from(self, direction: PyTree, guess: PyTree) -> tuple[PyTree, PyTree]:
        point, guess = self.set.lmo_from(self._turned(direction), guess)
        return self._outside(point), guess

    def first_guess(self, dtype: Any = None) -> PyTree:
        return self.set.first_guess(dtype)

    def project(self, x: PyTree) -> PyTree:
        """That of the set inside, if it has one."""
        return self._outside(self.set.project(self._inside(x)))

    def start(self, dtype: Any = None) -> PyTree:
        return self._outside(self.set.start(dtype))


class OtherOracle(AbstractSet):
    """A set with another oracle: all but that is as in the set inside.

    The answers may be less than the best point, by no more than what is stated:
    `<s, d> ≤ min <·, d> + accuracy · diameter · ‖d‖`.
    """

    set: eqx.AbstractVar[AbstractSet]

    def project(self, x: PyTree) -> PyTree:
        return self.set.project(x)

    def contains(self, x: PyTree, tol: float = 1e-5) -> Bool[Array, ""]:
        return self.set.contains(x, tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        return self.set.diameter

    def start(self, dtype: Any = None) -> PyTree:
        return self.set.start(dtype)


def as_set(name: str, value: Any) -> AbstractSet:
    """`value`, if it is a set."""
    if not isinstance(value, AbstractSet):
        raise ValueError(f"{name} must be a set, got {value!r}.")
    return value


def shapes(inner: AbstractSet) -> PyTree:
    """The structure, shapes and dtypes of the points of a set."""
    return jax.eval_shape(inner.start)


def as_points(name: str, x: PyTree, inner: AbstractSet) -> PyTree:
    """`x` as a point of the shapes of those of the set, in floating point."""
    expected = shapes(inner)
    if jax.tree_util.all_leaves([expected]):
        return as_point(name, x, expected.shape)
    structure, got = jax.tree.structure(expected), jax.tree.structure(x)
    if got != structure:
        raise ValueError(f"{name} must have the structure {structure}, got {got}.")
    return jax.tree.map(lambda leaf, s: as_point(name, leaf, s.shape), x, expected)


def flat(x: PyTree) -> Float[Array, " n"]:
    """All entries of a point in one vector."""
    return ravel_pytree(x)[0]


def tree_unit(x: PyTree) -> PyTree:
    """`x / ‖x‖`, the norm taken over all leaves; zero stays zero, NaN or infinity gives NaN."""
    vector, back = ravel_pytree(x)
    return back(unit(vector)[0])
