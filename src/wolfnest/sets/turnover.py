"""Portfolios that are not far from the present one: limits on what is bought and sold."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.balls import L1Ball
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.long_short import (
    Limits,
    best_within,
    least_gross,
    nearest_within,
    widest,
)
from wolfnest.sets.tools.arrays import per_entry, vector
from wolfnest.sets.tools.points import as_point, float_dtype, like
from wolfnest.sets.transformed import Shifted


class TurnoverBall(ClosedFormSet):
    """`{x : Σ |x_i - weights_i| ≤ radius}`, the L1 ball around the present weights.

    The oracle puts all of the turnover into the entry with the largest `|d_i|`, as that of
    `L1Ball` does; the projection is that of the ball, moved.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> near = sets.TurnoverBall([0.5, 0.25, 0.25], radius=0.125)
    >>> print(near.lmo(jnp.array([1.0, -3.0, 2.0])))
    [0.5   0.375 0.25 ]
    """

    ball: Shifted

    def __init__(self, weights: Any, radius: Any):
        weights = vector("weights", weights)
        self.ball = Shifted(L1Ball(weights.size, radius), by=weights)

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        return self.ball.lmo(direction)

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        return self.ball.project(x)

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A turnover of at most `(1 + tol) · radius`, and the rounding of the weights."""
        return self.ball.contains(x, tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius`."""
        return self.ball.diameter

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The present weights."""
        return self.ball.start(dtype)


class TurnoverSimplex(ClosedFormSet):
    """`{x : 0 ≤ x ≤ cap, Σ x_i = Σ weights_i, Σ |x_i - weights_i| ≤ turnover}`.

    The turnover counts what is sold and what is bought, so that 0.2 moves a tenth of a portfolio.
    `cap` is a number, or one per entry, and may be infinite. The present weights may break the
    caps or be negative, if the turnover suffices to mend that.

    Oracle and projection are exact, and cost a sort: the changes `x - weights` form a `LongShort`
    set of net sum zero. The oracle sells what has the largest `d_i` and buys what has the
    smallest while that improves and the turnover lasts. Its answer is a vertex, or NaN if the
    direction has a NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> near = sets.TurnoverSimplex([0.5, 0.25, 0.25], turnover=1.0, cap=0.625)
    >>> print(near.lmo(jnp.array([1.0, -3.0, 2.0])))
    [0.375 0.625 0.   ]
    """

    weights: Array | np.ndarray
    turnover: Array | np.ndarray
    cap: Array | np.ndarray

    def __init__(self, weights: Any, turnover: Any, cap: Any = np.inf):
        self.weights = vector("weights", weights)
        self.turnover = checks.positive("turnover", turnover)
        self.cap = per_entry("cap", cap, self.weights.size, least=0.0)
        if not checks.is_traced((self.weights, self.turnover, self.cap)):
            self._refuse_empty()

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, self.weights.shape)
        return self._after(best_within(d, *self._changes(d)))

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """At most three thresholds, found by sorting; an entry that is not finite gives NaN."""
        x = as_point("x", x, self.weights.shape)
        return self._after(nearest_within(x - like(self.weights, x), *self._changes(x)))

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Bounds, sum and turnover, each up to `tol` times the turnover or the budget, whichever
        is larger."""
        x = as_point("x", x, self.weights.shape)
        weights, turnover, cap = (like(a, x) for a in (self.weights, self.turnover, self.cap))
        slack = tol * jnp.maximum(turnover, jnp.sum(jnp.abs(weights)))
        inside = jnp.all((x >= -slack) & (x <= cap + slack))
        change = x - weights
        moved = jnp.sum(jnp.abs(change)) <= turnover + slack
        return inside & moved & (jnp.abs(jnp.sum(change)) <= slack)

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound, that of `LongShort`."""
        return widest(*self._changes(jnp.asarray(self.turnover)))

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The present weights, if they keep to the caps; else with the least change."""
        return self._after(least_gross(*self._changes(jnp.zeros((), float_dtype(dtype)))))

    def _changes(self, x: Array) -> Limits:
        weights, cap = like(self.weights, x), like(self.cap, x)
        return Limits(like(self.turnover, x), like(0.0, x), -weights, cap - weights)

    def _after(self, change: Array) -> Array:
        """The weights after a change; one that comes up to a bound ends there, without rounding."""
        return jnp.clip(like(self.weights, change) + change, 0, like(self.cap, change))

    def _refuse_empty(self) -> None:
        weights, cap = np.asarray(self.weights), np.asarray(self.cap)
        budget, room = float(np.sum(weights)), float(np.sum(cap))
        if not 0 <= budget <= room * (1 + 1e-9):
            raise ValueError(
                f"weights must have a sum between 0 and that of the caps, {room:g}, got {budget:g}."
            )
        sell, buy = np.sum(np.maximum(weights - cap, 0)), np.sum(np.maximum(-weights, 0))
        needed = 2 * float(max(sell, buy))
        if needed > float(self.turnover) * (1 + 1e-9):
            raise ValueError(
                f"turnover must be at least {needed:g} to bring the weights within 0 and cap, "
                f"got {self.turnover}."
            )
