"""Long and short positions: a net sum, a limit on the gross sum, and bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.arrays import per_entry
from wolfnest.sets.tools.filling import filled, nearest, spread
from wolfnest.sets.tools.points import as_point, float_dtype, has_nan, like, nan_where, unit


class LongShort(ClosedFormSet):
    """`{x ∈ R^dim : Σ x_i = net, Σ |x_i| ≤ gross, lower ≤ x ≤ upper}`.

    With `gross=1.6` and `net=1.0` that is a 130/30 portfolio; with `net=0.0` a market-neutral one.
    The bounds are numbers, or one per entry, and may be infinite.

    Oracle and projection are exact. If the best point without the gross limit keeps to it, then
    that is the answer. Otherwise the limit holds with equality: the long positions add up to
    `(gross + net) / 2` and the short ones to `(gross - net) / 2`, and each side is a problem of its
    own. Both cost a sort. On ties the oracle goes long in the first entries and short in the last.
    Its answer is a vertex, or NaN if the direction has a NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> fund = sets.LongShort(4, gross=1.5, net=1.0, upper=0.75)
    >>> print(fund.lmo(jnp.array([-1.0, 0.5, 2.0, -3.0])))
    [ 0.5   0.   -0.25  0.75]
    """

    dim: int = eqx.field(static=True)
    gross: Array | np.ndarray
    net: Array | np.ndarray
    lower: Array | np.ndarray
    upper: Array | np.ndarray

    def __init__(
        self,
        dim: int,
        gross: Any = 1.6,
        net: Any = 1.0,
        lower: Any = -np.inf,
        upper: Any = np.inf,
    ):
        self.dim = checks.whole("dim", dim)
        self.gross = checks.positive("gross", gross)
        self.net = net if checks.is_traced(net) else np.asarray(checks.finite("net", net))
        self.lower = per_entry("lower", lower, self.dim)
        self.upper = per_entry("upper", upper, self.dim)
        if not checks.is_traced((self.gross, self.net, self.lower, self.upper)):
            refuse_empty(self.gross, self.net, self.lower, self.upper)

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        return best_within(d, *self._limits(d))

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """At most three thresholds, found by sorting; an entry that is not finite gives NaN."""
        x = as_point("x", x, (self.dim,))
        return nearest_within(x, *self._limits(x))

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Bounds, net sum and gross sum, each up to `tol · gross`."""
        x = as_point("x", x, (self.dim,))
        gross, net, lower, upper = self._limits(x)
        slack = tol * gross
        inside = jnp.all((x >= lower - slack) & (x <= upper + slack))
        sums = (jnp.abs(jnp.sum(x) - net) <= slack) & (jnp.sum(jnp.abs(x)) <= gross + slack)
        return inside & sums

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound, exact without bounds and from dimension 2 on: no entry differs by more
        than `w = max (upper - lower)`, and all together by no more than `2 · gross`, so that the
        distance is at most `√(2 · gross · w)`; and at most `‖upper - lower‖`."""
        return widest(*self._limits(jnp.asarray(self.gross)))

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The least gross sum, every long entry with the same share of its room, and every short
        one; equal weights where there are no bounds."""
        return least_gross(*self._limits(jnp.zeros((), float_dtype(dtype))))

    def _limits(self, x: Array) -> Limits:
        return Limits(*(like(value, x) for value in (self.gross, self.net, self.lower, self.upper)))


class Limits(NamedTuple):
    """The limits of a long-short set, in one dtype."""

    gross: Array
    net: Array
    lower: Array
    upper: Array


class _Sides(NamedTuple):
    """The set as long minus short positions, with what the gross limit implies for each side: the
    largest sum, and bounds of all entries."""

    long: Array
    long_low: Array
    long_high: Array
    short: Array
    short_low: Array
    short_high: Array


def _sides(limits: Limits) -> _Sides:
    gross, net, lower, upper = limits
    long, short = gross / 2 + net / 2, gross / 2 - net / 2
    return _Sides(
        long,
        jnp.maximum(lower, 0),
        jnp.clip(upper, 0, long),
        short,
        jnp.maximum(-upper, 0),
        jnp.clip(-lower, 0, short),
    )


def best_within(d: Float[Array, " n"], *limits: Any) -> Float[Array, " n"]:
    """The minimiser of `<x, d>` under `Limits`."""
    gross, net, *_ = limits
    sides = _sides(Limits(*limits))
    order = jnp.argsort(d)
    low, high = sides.long_low - sides.short_high, sides.long_high - sides.short_low
    free = filled(low, high, net, order)
    long = filled(sides.long_low, sides.long_high, sides.long, order)
    short = filled(sides.short_low, sides.short_high, sides.short, order[::-1])
    x = jnp.where(jnp.sum(jnp.abs(free)) <= gross, free, long - short)
    return nan_where(has_nan(d), x)


def nearest_within(x: Float[Array, " n"], *limits: Any) -> Float[Array, " n"]:
    """The nearest point to `x` under `Limits`."""
    gross, net, *_ = limits
    sides = _sides(Limits(*limits))
    low, high = sides.long_low - sides.short_high, sides.long_high - sides.short_low
    free = nearest(x, low, high, net)
    long = nearest(x, sides.long_low, sides.long_high, sides.long)
    short = nearest(-x, sides.short_low, sides.short_high, sides.short)
    moved = jnp.where(jnp.sum(jnp.abs(free)) <= gross, free, long - short)
    return nan_where(~jnp.all(jnp.isfinite(x)), moved)


def least_gross(*limits: Any) -> Float[Array, " n"]:
    """A point with the least gross sum under `Limits`."""
    _, net, *_ = limits
    sides = _sides(Limits(*limits))
    short = jnp.maximum(jnp.sum(sides.short_low), jnp.sum(sides.long_low) - net)
    short = jnp.maximum(short, -net)
    return spread(sides.long_low, sides.long_high, net + short) - spread(
        sides.short_low, sides.short_high, short
    )


def widest(*limits: Any) -> Float[Array, ""]:
    """An upper bound of the distance of two points under `Limits`."""
    gross, *_ = limits
    sides = _sides(Limits(*limits))
    width = (sides.long_high - sides.short_low) - (sides.long_low - sides.short_high)
    return jnp.minimum(jnp.sqrt(2 * gross) * jnp.sqrt(jnp.max(width)), unit(width)[1])


def refuse_empty(gross: Any, net: Any, lower: Any, upper: Any) -> None:
    """An error with the numbers if no point meets the limits, up to rounding."""
    if np.any(lower > upper):
        at = int(np.argmax(lower > upper))
        raise ValueError(
            f"lower must not exceed upper, got lower = {lower[at]} > upper = {upper[at]} "
            f"at index {at}."
        )
    slack = 1e-9 * float(gross)
    if abs(net) > gross + slack:
        raise ValueError(f"gross must be at least |net|, got gross = {gross} and net = {net}.")
    least, most = float(np.sum(lower)), float(np.sum(upper))
    if not least - slack <= net <= most + slack:
        raise ValueError(
            f"net must lie between the sums of the bounds, {least:g} and {most:g}, got {net}."
        )
    owned, owed = float(np.sum(np.maximum(lower, 0))), float(np.sum(np.maximum(-upper, 0)))
    needed = 2 * max(owed, owned - float(net), -float(net), 0.0) + float(net)
    if needed > gross + slack:
        raise ValueError(
            f"gross must be at least {needed:g} to meet net = {net} and the bounds, got {gross}."
        )
