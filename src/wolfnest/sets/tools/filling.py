"""Vectors between bounds with a given sum: the best one, and the nearest one.

`{x : low ≤ x ≤ high, Σ x_i = total}` is what capped simplices and budgets are made of. Everything
here takes finite bounds with `Σ low ≤ total ≤ Σ high`.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from wolfnest.sets.tools.points import like, nan_where

# A total that is missed by this many roundings is met: ten caps of 0.1 make 1.
ROUNDINGS = 16


def filled(
    low: Float[Array, " n"], high: Float[Array, " n"], total: Any, order: Int[Array, " n"]
) -> Float[Array, " n"]:
    """The vector that puts as much as it can into the entries that come first in `order`.

    The minimiser of `<x, d>` where `order` sorts `d`: as long as an entry has room, moving weight
    into it from a later one does not make `<x, d>` larger. All entries are at a bound but one,
    which takes what the others leave. That is counted in the order of the entries, so that
    a vertex has the same bits whichever direction leads to it.
    """
    room = high - low
    rounding = ROUNDINGS * jnp.finfo(low.dtype).eps * (jnp.abs(total) + jnp.sum(jnp.abs(low)))
    count = jnp.sum(jnp.cumsum(room[order]) <= total - jnp.sum(low) + rounding)
    full = jnp.zeros(low.shape, bool).at[order].set(jnp.arange(low.size) < count)
    x = jnp.where(full, high, low)
    last = order[jnp.minimum(count, low.size - 1)]
    rest = total - jnp.sum(x.at[last].set(0))
    rest = jnp.where(rest - low[last] <= rounding, low[last], jnp.minimum(rest, high[last]))
    return x.at[last].set(jnp.where(full[last], high[last], rest))


def nearest(x: Float[Array, " n"], low: Any, high: Any, total: Any) -> Float[Array, " n"]:
    """The projection: `clip(x - τ, low, high)` with the `τ` that makes the sum right.

    The sum falls with `τ`, and is linear between the breakpoints `x_j - high_j` and `x_j - low_j`.
    Bisection over the sorted breakpoints finds the two neighbours of `τ`, and the answer lies on
    the line between their points. Entries are compared with `x_j` before a bound is added, so that
    large ones lose no digits. An entry that is not finite gives NaN.
    """
    low, high = (jnp.broadcast_to(like(bound, x), x.shape) for bound in (low, high))
    anchors, bounds = _sorted(jnp.concatenate([x, x]), jnp.concatenate([high, low]))

    def at(k: Array) -> Float[Array, " n"]:
        return jnp.clip((x - anchors[k]) + bounds[k], low, high)

    def halve(_: Any, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        left, right = ends
        middle = (left + right) // 2
        above = jnp.sum(at(middle)) >= total
        return jnp.where(above, middle, left), jnp.where(above, right, middle)

    ends = jnp.asarray(0), jnp.asarray(2 * x.size - 1)
    left, right = jax.lax.fori_loop(0, (2 * x.size).bit_length(), halve, ends)
    upper, lower = at(left), at(right)
    fall = jnp.sum(upper) - jnp.sum(lower)
    share = jnp.clip((jnp.sum(upper) - total) / jnp.where(fall > 0, fall, 1), 0, 1)
    return nan_where(~jnp.all(jnp.isfinite(x)), upper + share * (lower - upper))


def nearest_below(x: Float[Array, " n"], high: Any, total: Any) -> Float[Array, " n"]:
    """The projection to `0 ≤ x ≤ high, Σ x_i ≤ total`; an entry that is not finite gives NaN."""
    clipped = jnp.clip(x, 0, high)
    point = jnp.where(jnp.sum(clipped) <= total, clipped, nearest(x, 0, high, total))
    return nan_where(~jnp.all(jnp.isfinite(x)), point)


def spread(low: Float[Array, " n"], high: Float[Array, " n"], total: Any) -> Float[Array, " n"]:
    """The vector that fills the same share of every entry's room."""
    room = high - low
    whole = jnp.sum(room)
    share = (total - jnp.sum(low)) / jnp.where(whole > 0, whole, 1)
    return low + jnp.clip(share, 0, 1) * room


def _sorted(
    anchors: Float[Array, " m"], bounds: Float[Array, " m"]
) -> tuple[Float[Array, " m"], Float[Array, " m"]]:
    """Both in the order of `anchors - bounds`, to the last bit: where rounding makes two of these
    equal, what it took off decides (Knuth's exact difference)."""
    places = anchors - bounds
    back = places - anchors
    lost = (anchors - (places - back)) - (bounds + back)
    _, _, anchors, bounds = jax.lax.sort((places, lost, anchors, bounds), num_keys=2)
    return anchors, bounds
