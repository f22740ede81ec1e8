"""Balls of norms that weigh entries by the order of their sizes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.arrays import refuse_where, vector
from wolfnest.sets.tools.fits import onto_ordered
from wolfnest.sets.tools.points import (
    against,
    as_point,
    first_only,
    float_dtype,
    like,
    nan_where,
    rescaled,
)
from wolfnest.sets.tools.sized import CountedSet


class OWLBall(ClosedFormSet):
    """`{x : Σ_i w_i |x|_(i) ≤ radius}`, with `|x|_(1) ≥ |x|_(2) ≥ …`: ordered weighted L1 norms.

    The weights do not increase, none is negative, and the first is positive. Equal weights make
    the L1 norm, `(1, 0, …, 0)` the maximum norm, falling ones the OSCAR and SLOPE penalties. The
    vertices have `j` entries `±radius / (w_1 + … + w_j)` and zeros elsewhere. The oracle takes the
    `j` for which the `j` largest `|d_i|` add up to most, relative to `w_1 + … + w_j`: the smallest
    such `j` on ties, and the first entries. An infinite entry of the direction outweighs all
    finite ones; a NaN gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.OWLBall([1.0, 0.5, 0.5], radius=3.0)
    >>> print(ball.lmo(jnp.array([2.0, 0.5, -3.0])))
    [-2.  0.  2.]
    """

    weights: Array | np.ndarray
    radius: Array | np.ndarray

    def __init__(self, weights: Any, radius: Any = 1.0):
        weights = vector("weights", weights)
        if isinstance(weights, np.ndarray):
            refuse_where("weights", weights, weights < 0, "at least 0")
            refuse_where("weights", weights, np.diff(weights, prepend=np.inf) > 0, "non-increasing")
            if weights[0] == 0:
                raise ValueError("weights must have a positive first entry, got 0.0.")
        self.weights = weights
        self.radius = checks.positive("radius", radius)

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d, nan = rescaled(as_point("direction", direction, self.weights.shape))
        weights = like(self.weights, d)
        order = jnp.argsort(-jnp.abs(d))
        total = jnp.cumsum(weights)
        value = jnp.cumsum(jnp.abs(d)[order]) / total
        # Where the next weight is zero one entry more is free, and a vertex has it.
        value = jnp.where(jnp.append(weights[1:], 1) > 0, value, -1)
        rounding = 8 * jnp.finfo(d.dtype).eps
        last = first_only(value >= jnp.max(value) * (1 - rounding))
        size = like(self.radius, d) / jnp.sum(jnp.where(last, total, 0))
        chosen = jnp.cumsum(last) - last == 0
        vertex = jnp.zeros_like(d).at[order].set(jnp.where(chosen, size, 0))
        return nan_where(nan, against(d, vertex))

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """Outside, the entries shrunk in their order by `onto_ordered`; an infinite entry gives
        NaN."""
        x = as_point("x", x, self.weights.shape)
        order = jnp.argsort(-jnp.abs(x))
        size, weights, radius = jnp.abs(x)[order], like(self.weights, x), like(self.radius, x)
        point = jnp.zeros_like(x).at[order].set(onto_ordered(size, weights, radius))
        point = jnp.where(jnp.sum(size * weights) <= radius, x, jnp.sign(x) * point)
        return nan_where(~jnp.all(jnp.isfinite(x)), point)

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A norm of at most `(1 + tol) · radius`."""
        x = as_point("x", x, self.weights.shape)
        norm = jnp.sum(jnp.sort(jnp.abs(x), descending=True) * like(self.weights, x))
        return norm <= like(self.radius, x) * (1 + tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius · max_j √j / (w_1 + … + w_j)`, between a vertex and its opposite. Exact."""
        total = jnp.cumsum(jnp.asarray(self.weights))
        root = jnp.sqrt(jnp.arange(1, total.size + 1, dtype=total.dtype))
        return 2 * jnp.asarray(self.radius) * jnp.max(root / total)

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The centre, zero."""
        return jnp.zeros(self.weights.shape, float_dtype(dtype))


class KNormBall(CountedSet):
    """`{x ∈ R^dim : |x|_(1) + … + |x|_(k) ≤ radius}`: the `k` largest absolute values add up to it.

    It is the convex hull of an L1 ball and a cube: its vertices are `±radius · e_i` (for `k > 1`)
    and the vectors of entries `±radius / k` (for `k < dim`). The dual norm is the larger of
    `max |d_i|` and `Σ |d_i| / k`. If the first is (also on ties), the oracle is that of the L1
    ball; else it has entries `-radius / k · sign(d_i)`, with `radius / k` where `d_i` is zero. An
    infinite entry outweighs all finite ones; a NaN gives NaN.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> ball = sets.KNormBall(3, k=2)
    >>> print(ball.lmo(jnp.array([1.0, -5.0, 2.0])), ball.lmo(jnp.array([1.0, -2.0, 2.0])))
    [0. 1. 0.] [-0.5  0.5 -0.5]
    """

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d, nan = rescaled(as_point("direction", direction, (self.dim,)))
        radius, size = like(self.radius, d), jnp.abs(d)
        one = jnp.where(first_only(size == jnp.max(size)), radius, 0)
        spread = jnp.sum(size) > self.k * jnp.max(size)
        point = jnp.where(spread | (self.k == 1), radius / self.k, one)
        return nan_where(nan, against(d, point))

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        """That of the `OWLBall` with `k` weights 1, and weights 0; an infinite entry gives NaN."""
        weights = np.where(np.arange(self.dim) < self.k, 1.0, 0.0)
        return OWLBall(weights, self.radius).project(x)

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """A norm of at most `(1 + tol) · radius`."""
        x = as_point("x", x, (self.dim,))
        top = jax.lax.top_k(jnp.abs(x), self.k)[0]
        return jnp.sum(top) <= like(self.radius, x) * (1 + tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """`2 · radius · max(1, √dim / k)`, between a vertex and its opposite. Exact."""
        return 2 * jnp.asarray(self.radius) * max(1.0, self.dim**0.5 / self.k)

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """The centre, zero."""
        return jnp.zeros((self.dim,), float_dtype(dtype))
