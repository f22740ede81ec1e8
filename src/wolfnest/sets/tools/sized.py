"""Sets of vectors that are given by their dimension and a radius."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.points import float_dtype


class SizedSet(ClosedFormSet):
    """A set in `R^dim` that grows with its radius."""

    dim: int = eqx.field(static=True)
    radius: Any = 1.0

    def __init__(self, dim: int, radius: Any = 1.0):
        self.dim = checks.whole("dim", dim)
        self.radius = checks.positive("radius", radius)


class CentredSet(SizedSet):
    """One that lies around zero."""

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The centre, zero."""
        return jnp.zeros((self.dim,), float_dtype(dtype))


class CountedSet(ClosedFormSet):
    """A set in `R^dim` that is about `k` of the entries, and grows with its radius."""

    dim: int = eqx.field(static=True)
    k: int = eqx.field(static=True)
    radius: Any = 1.0

    def __init__(self, dim: int, k: int, radius: Any = 1.0):
        self.dim = checks.whole("dim", dim)
        self.k = checks.whole("k", k, most=self.dim)
        self.radius = checks.positive("radius", radius)
