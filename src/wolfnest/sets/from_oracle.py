"""A set from a user's own oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.arrays import numbers
from wolfnest.sets.tools.points import as_point, float_dtype, nan_where


class FromOracle(ClosedFormSet):
    """The set that a function `lmo(direction)` minimises over.

    `start` is a feasible point, an array or a pytree of arrays; every point of the set has its
    structure and shapes. `project(x)`, `contains(x, tol)` and `diameter` are optional, and only
    asked for by what needs them. Without `contains`, every finite point of the right shapes is
    taken to lie in the set. A NaN in the direction gives NaN whatever `lmo` makes of it.

    A function that is a pytree (an `equinox.Module`, a `jax.tree_util.Partial`) brings its own
    arrays; a plain one is part of the compiled code, so keep it and do not make it anew.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> interval = sets.FromOracle(lambda d: -jnp.sign(d), start=jnp.zeros(2), diameter=8**0.5)
    >>> print(interval.lmo(jnp.array([0.5, -2.0])))
    [-1.  1.]
    """

    oracle: Callable[..., PyTree]
    feasible: PyTree
    projection: Callable[..., PyTree] | None
    membership: Callable[..., Any] | None
    size: Array | np.ndarray | None

    def __init__(
        self,
        lmo: Callable[..., PyTree],
        start: PyTree,
        *,
        project: Callable[..., PyTree] | None = None,
        contains: Callable[..., Any] | None = None,
        diameter: Any = None,
    ):
        self.oracle = pytrees.as_pytree("lmo", lmo)
        self.feasible = jax.tree.map(lambda leaf: numbers("start", leaf), start)
        if not jax.tree.leaves(self.feasible):
            raise ValueError(f"start must hold at least one array, got {start!r}.")
        self.projection = None if project is None else pytrees.as_pytree("project", project)
        self.membership = None if contains is None else pytrees.as_pytree("contains", contains)
        self.size = None if diameter is None else checks.non_negative("diameter", diameter)

    def lmo(self, direction: PyTree) -> PyTree:
        d = self._checked("direction", direction)
        return self._returned("lmo", self.oracle(d), d)

    def project(self, x: PyTree) -> PyTree:
        if self.projection is None:
            raise ValueError(_missing("project", "projection", "project=<function of x>"))
        x = self._checked("x", x)
        return self._returned("project", self.projection(x), x)

    def contains(self, x: PyTree, tol: float = 1e-5) -> Bool[Array, ""]:
        x = self._checked("x", x)
        finite = pytrees.all_finite(x)
        if self.membership is None:
            return finite
        return finite & jnp.asarray(self.membership(x, tol), dtype=bool)

    @property
    def diameter(self) -> Float[Array, ""]:
        if self.size is None:
            raise ValueError(_missing("diameter", "diameter", "diameter=<number>"))
        return jnp.asarray(self.size)

    def start(self, dtype: Any = None) -> PyTree:
        """The point that was given."""
        return jax.tree.map(lambda leaf: jnp.asarray(leaf, float_dtype(dtype)), self.feasible)

    def _checked(self, name: str, x: PyTree) -> PyTree:
        """`x`, if it is built like `start`."""
        expected, got = jax.tree.structure(self.feasible), jax.tree.structure(x)
        if got != expected:
            raise ValueError(f"{name} must have the structure of start, {expected}, got {got}.")
        return jax.tree.map(lambda leaf, s: as_point(name, leaf, s.shape), x, self.feasible)

    def _returned(self, name: str, point: PyTree, given: PyTree) -> PyTree:
        """What a user's function made of `given`: same shapes and dtypes, NaN for NaN."""
        point = self._checked(f"the result of {name}", point)
        nan = jnp.any(jnp.stack([jnp.any(jnp.isnan(leaf)) for leaf in jax.tree.leaves(given)]))
        return jax.tree.map(lambda p, g: nan_where(nan, p.astype(g.dtype)), point, given)


def _missing(method: str, what: str, how: str) -> str:
    return f"{method} is not known for this set: give its {what} as FromOracle(..., {how})."
