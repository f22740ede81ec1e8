"""Signals on a line of bounded total variation."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.common import checks
from wolfnest.sets.balls import L1Ball
from wolfnest.sets.tools.points import as_point, like, no_projection
from wolfnest.sets.tools.sized import CentredSet


class TotalVariationBall(CentredSet):
    """`{x ∈ R^dim : Σ_i |x_{i+1} - x_i| ≤ radius, Σ_i x_i = 0}`.

    The second condition makes the set bounded, since total variation does not see constants.
    The vertices are steps `±radius · u_j` for `j = 1 … dim - 1`, where `u_j` jumps by one after
    entry `j` and has mean zero. With the mean taken off the direction, `<u_j, d>` is
    `-(d_1 + … + d_j)`, so the oracle is that of the L1 ball at the cumulative sums: the first
    `j` on ties, and a jump upwards for the zero direction. A NaN or infinite entry of the
    direction gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.TotalVariationBall(4, radius=2.0)
    >>> print(ball.lmo(jnp.array([1.0, 2.0, -4.0, 0.0])))
    [-1. -1.  1.  1.]
    """

    def __check_init__(self) -> None:
        checks.whole("dim", self.dim, least=2)

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        largest = jnp.max(jnp.abs(d))
        d = d / jnp.where(largest == 0, 1, largest)
        sums = jnp.cumsum(d - jnp.mean(d))[:-1]
        # Where the sum up to j is positive, a jump upwards makes <s, d> negative.
        jumps = L1Ball(self.dim - 1, self.radius).lmo(-sums)
        return _centred_steps(jumps)

    def project(self, x: PyTree) -> PyTree:
        raise no_projection("TotalVariationBall")

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A total variation of at most `(1 + tol) · radius`, and a mean of at most
        `tol · radius`."""
        x = as_point("x", x, (self.dim,))
        radius = like(self.radius, x)
        variation = jnp.sum(jnp.abs(jnp.diff(x)))
        return (variation <= radius * (1 + tol)) & (jnp.abs(jnp.mean(x)) <= tol * radius)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius · √(j (dim - j) / dim)` with `j = ⌊dim / 2⌋`, between the step in the middle
        and its opposite. Exact."""
        j = self.dim // 2
        return 2 * jnp.asarray(self.radius) * (j * (self.dim - j) / self.dim) ** 0.5


def _centred_steps(jumps: Float[Array, " n"]) -> Float[Array, " m"]:
    """The signal of mean zero with the given differences, of which at most one is not zero."""
    n = jumps.size + 1
    # Entry i of u_j is j/n - 1 up to j, and j/n after it.
    share = jnp.sum(jumps * (jnp.arange(1, n, dtype=jumps.dtype) / n))
    total = jnp.sum(jumps)
    passed = jnp.append(0, jnp.cumsum(jumps)).astype(jumps.dtype)
    return passed - total + share
