"""What a constraint set is: a linear minimisation oracle, and what is known beside it."""

from __future__ import annotations

import abc
from typing import Any

import equinox as eqx
from jaxtyping import Array, Bool, PyTree


class AbstractSet(eqx.Module):
    """A closed convex set of finite diameter.

    A set is one of two kinds: `ClosedFormSet`, whose oracle is a formula, or `IterativeSet`,
    whose oracle is an iteration that a guess (left over from the last call) makes shorter.
    Parameters such as a radius are array leaves; sizes are static.
    """

    @abc.abstractmethod
    def lmo(self, direction: PyTree) -> PyTree:
        """A point of the set that minimises `<s, direction>`. NaN anywhere gives NaN, never a
        vertex; in a product, in the block that it concerns."""

    @abc.abstractmethod
    def lmo_from(self, direction: PyTree, guess: PyTree) -> tuple[PyTree, PyTree]:
        """`lmo`, started from `guess`; also returns the guess for the next call."""

    @abc.abstractmethod
    def first_guess(self, dtype: Any = None) -> PyTree:
        """The guess for a first call of `lmo_from`; None where a guess is of no use."""

    @abc.abstractmethod
    def project(self, x: PyTree) -> PyTree:
        """The point of the set that is nearest to `x` in Euclidean norm."""

    @abc.abstractmethod
    def contains(self, x: PyTree, tol: float = 1e-5) -> Bool[Array, ""]:
        """Whether `x` lies in the set, up to `tol` relative to the size of the set."""

    @property
    @abc.abstractmethod
    def diameter(self) -> Array:
        """The largest Euclidean distance between two points of the set."""

    @abc.abstractmethod
    def start(self, dtype: Any = None) -> PyTree:
        """A feasible point; its structure and shapes are those of every point of the set."""


class ClosedFormSet(AbstractSet):
    """A set whose oracle needs no guess."""

    def lmo_from(self, direction: PyTree, guess: PyTree) -> tuple[PyTree, PyTree]:
        return self.lmo(direction), guess

    def first_guess(self, dtype: Any = None) -> PyTree:
        return None


class IterativeSet(AbstractSet):
    """A set whose oracle is an iteration; `lmo` is `lmo_from` without knowledge."""

    def lmo(self, direction: PyTree) -> PyTree:
        return self.lmo_from(direction, self.first_guess())[0]
