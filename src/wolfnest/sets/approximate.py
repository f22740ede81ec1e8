"""A set with an oracle that is inexact on purpose."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.sets.base import AbstractSet
from wolfnest.sets.tools.points import like
from wolfnest.sets.tools.wrapping import OtherOracle, as_points, as_set, tree_unit


class Approximate(OtherOracle):
    """A set whose oracle is inexact by a stated amount, to test methods that allow for it.

    With `v` the exact answer, `c` the start of the set and `D` its diameter, the answer is
    `v + w (c - v)` with the largest `w ≤ 1` for which

        <v + w (c - v), d> ≤ <v, d> + accuracy · D · ‖d‖,

    which is at least `accuracy`: no vertex, but a point of the set, and the same on every call.
    Guesses are passed on. A direction that is not finite gets the answer of the set inside.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> rough = sets.Approximate(sets.L2Ball(2, radius=5.0), accuracy=0.1)
    >>> print(rough.lmo(jnp.array([0.0, -1.0])) + 0)  # <s, d> is -4, the best is -5
    [0. 4.]
    """

    set: AbstractSet
    accuracy: Array | np.ndarray

    def __init__(self, set: AbstractSet, accuracy: Any):
        self.set = as_set("set", set)
        self.accuracy = checks.non_negative("accuracy", accuracy)

    def lmo(self, direction: PyTree) -> PyTree:
        d = as_points("direction", direction, self.set)
        return self._mixed(self.set.lmo(d), d)

    def lmo_from(self, direction: PyTree, guess: PyTree) -> tuple[PyTree, PyTree]:
        d = as_points("direction", direction, self.set)
        point, guess = self.set.lmo_from(d, guess)
        return self._mixed(point, d), guess

    def first_guess(self, dtype: Any = None) -> PyTree:
        return self.set.first_guess(dtype)

    def _mixed(self, vertex: PyTree, d: PyTree) -> PyTree:
        centre = pytrees.cast_like(self.set.start(), vertex)
        loss = pytrees.dot(tree_unit(d), pytrees.subtract(centre, vertex))
        allowed = like(self.accuracy, loss) * like(self.diameter, loss)
        weight = jnp.where(loss <= allowed, 1, allowed / jnp.where(loss > allowed, loss, 1))
        mixed = pytrees.move(vertex, centre, weight)
        return jax.tree.map(lambda m, v: jnp.where(jnp.isnan(loss), v, m), mixed, vertex)
