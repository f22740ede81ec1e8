"""Norm balls of vectors, centred at zero."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from wolfnest.sets.simplex import onto_simplex
from wolfnest.sets.tools.points import as_point, first_only, has_nan, like, nan_where, unit
from wolfnest.sets.tools.sized import CentredSet


class L1Ball(CentredSet):
    """`{x ∈ R^dim : Σ |x_i| ≤ radius}`.

    The oracle is `-radius · sign(d_i) · e_i` with `i = argmax |d_i|`, the first such `i` on ties;
    for the zero direction it is `radius · e_1`. An infinite entry is the largest, so the answer
    is always a vertex, or NaN if the direction has a NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.L1Ball(3, radius=2.0)
    >>> print(ball.lmo(jnp.array([0.5, -0.75, 0.25])))
    [0. 2. 0.]
    >>> print(ball.project(jnp.array([2.0, -1.0, 0.0])))
    [ 1.5 -0.5  0. ]
    """

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        radius, size = like(self.radius, d), jnp.abs(d)
        largest = jnp.max(size)  # NaN if there is any
        vertex = jnp.where(first_only(size == largest), jnp.where(d > 0, -radius, radius), 0)
        return nan_where(jnp.isnan(largest), vertex)

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Outside, `sign(x)` times the projection of `|x|` to the simplex; an infinite entry
        gives NaN."""
        x = as_point("x", x, (self.dim,))
        radius, size = like(self.radius, x), jnp.abs(x)
        return jnp.where(jnp.sum(size) <= radius, x, jnp.sign(x) * onto_simplex(size, radius))

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A norm of at most `(1 + tol) · radius`."""
        x = as_point("x", x, (self.dim,))
        return jnp.sum(jnp.abs(x)) <= like(self.radius, x) * (1 + tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius`, between a vertex and its opposite."""
        return 2 * jnp.asarray(self.radius)


class L2Ball(CentredSet):
    """`{x ∈ R^dim : ‖x‖₂ ≤ radius}`.

    The oracle is `-radius · d / ‖d‖₂`, and the centre for the zero direction. A NaN or infinite
    entry of the direction gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.L2Ball(2, radius=10.0)
    >>> print(ball.lmo(jnp.array([3.0, -4.0])))
    [-6.  8.]
    >>> print(float(ball.diameter))
    20.0
    """

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        return -like(self.radius, d) * unit(d)[0]

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """`x / max(1, ‖x‖₂ / radius)`; an infinite entry gives NaN."""
        x = as_point("x", x, (self.dim,))
        radius = like(self.radius, x)
        heading, norm = unit(x)
        return jnp.where(norm <= radius, x, radius * heading)

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A norm of at most `(1 + tol) · radius`."""
        x = as_point("x", x, (self.dim,))
        return unit(x)[1] <= like(self.radius, x) * (1 + tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius`."""
        return 2 * jnp.asarray(self.radius)


class LInfBall(CentredSet):
    """`{x ∈ R^dim : max |x_i| ≤ radius}`.

    The oracle has entries `-radius · sign(d_i)`, and `-radius` where `d_i` is zero, so that it is
    always a vertex (also with infinite entries), or NaN if the direction has a NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.LInfBall(3)
    >>> print(ball.lmo(jnp.array([0.5, -0.1, 2.0])))
    [-1.  1. -1.]
    """

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, (self.dim,))
        radius = like(self.radius, d)
        return nan_where(has_nan(d), jnp.where(d < 0, radius, -radius))

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Every entry clipped to `[-radius, radius]`; a NaN entry stays NaN."""
        x = as_point("x", x, (self.dim,))
        radius = like(self.radius, x)
        return jnp.clip(x, -radius, radius)

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A norm of at most `(1 + tol) · radius`."""
        x = as_point("x", x, (self.dim,))
        return jnp.max(jnp.abs(x)) <= like(self.radius, x) * (1 + tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius · √dim`, between a vertex and its opposite."""
        return 2 * jnp.asarray(self.radius) * self.dim**0.5
