"""How far losses can go over a set of weights: boxes for the extra variables of some measures.

Such a measure is a minimum over thresholds. The box of a threshold must hold the minimiser of every
portfolio in the set, and should be short: the vertices of the set are its ends.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from wolfnest.problems.risk.common_options import Scenarios
from wolfnest.problems.risk.terms import Row, Scalar
from wolfnest.sets.base import AbstractSet
from wolfnest.sets.box import Box
from wolfnest.sets.product import Product
from wolfnest.sets.simplex import Simplex

# Boxes are longer by this share at both ends: for rounding, and for oracles with a tolerance.
MARGIN = 0.01
TOGETHER = 64  # oracle calls at a time


def most(domain: AbstractSet, up: Row, down: Row) -> Scalar:
    """An upper bound over the set of a sublinear `g` with `g(e_i) = up_i` and `g(-e_i) = down_i`.

        g(x) ≤ Σ x_i⁺ up_i + Σ x_i⁻ down_i = x·up + Σ x_i⁻ (up_i + down_i)

    The oracle maximises the first term. The second is zero for weights that are never negative;
    elsewhere it is bounded by the least value of each weight, and by the sum of short positions
    where the set states its gross sum.

    >>> import wolfnest as wn
    >>> up, down = jnp.array([1.0, 2.0]), jnp.array([0.0, 3.0])
    >>> print(most(wn.sets.Simplex(2), up, down), most(wn.sets.LongShort(2, gross=2.0), up, down))
    2.0 5.0
    """
    return _most(domain, up, down)


@eqx.filter_jit
def _most(domain: AbstractSet, up: Row, down: Row) -> Scalar:
    long = jnp.vdot(up, domain.lmo(-up))
    if isinstance(domain, Simplex):
        return long
    unit = jnp.eye(up.size, dtype=up.dtype)
    least = jax.lax.map(lambda e: jnp.vdot(e, domain.lmo(e)), unit, batch_size=TOGETHER)
    short, both = jnp.maximum(-least, 0), up + down
    extra = jnp.vdot(short, both)
    gross = getattr(domain, "gross", None)
    if gross is not None:
        ones = jnp.ones_like(up)
        sold = (jnp.asarray(gross, up.dtype) - jnp.vdot(ones, domain.lmo(ones))) / 2
        extra = jnp.minimum(extra, sold * jnp.max(both))
    return long + extra


def losses(scenarios: Scenarios, below: Any, above: Any) -> tuple[Scalar, Scalar]:
    """Bounds over the set of `E L - below · σ(L)` and `E L + above · σ(L)`, with `L = -r·x`."""
    known = scenarios.moments()
    lower, upper = (scenarios.number(factor) * known.deviation for factor in (below, above))
    mean = known.mean
    low = -most(scenarios.domain, mean + lower, -mean + lower)
    return low, most(scenarios.domain, -mean + upper, mean + upper)


def box(low: Scalar, high: Scalar) -> Box:
    """A box with a margin, never of length zero."""
    room = MARGIN * (high - low) + 1e-3 * (1 + jnp.abs(low) + jnp.abs(high))
    return Box(low - room, high + room)


def with_threshold(domain: AbstractSet, **extra: Box) -> Product:
    """Weights and extra variables, by name."""
    return Product({"weights": domain, **extra})
