"""Smooth stand-ins for functions with a kink or a pole, each with a bound on the difference."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array


def positive_part(t: Array, width: Any) -> Array:
    """`max(t, 0)` with a parabola `(t + μ)²/4μ` for `|t| < μ = width`.

    It is convex, has a derivative with Lipschitz constant 1/2μ, and
    `max(t, 0) ≤ positive_part(t) ≤ max(t, 0) + μ/4`, where only `|t| < μ` differs at all.

    >>> print(positive_part(jnp.array([-3.0, -1.0, 0.0, 1.0, 3.0]), 2.0))
    [0.    0.125 0.5   1.125 3.   ]
    """
    bent = jnp.clip(t + width, 0, 2 * width)
    return bent * bent / (4 * width) + jnp.maximum(t - width, 0)


def absolute(t: Array, width: Any) -> Array:
    """`|t|` with a parabola `(t² + μ²)/2μ` for `|t| < μ = width`: `|t| ≤ absolute(t) ≤ |t| + μ/2`.

    >>> print(absolute(jnp.array([-3.0, 0.0, 1.0]), 2.0))
    [3.   1.   1.25]
    """
    return positive_part(t, width) + positive_part(-t, width)


def exponential(t: Array, most: Any) -> Array:
    """`exp(t) - 1` up to `t = most`, and its tangent there beyond: convex, and never infinite.

    >>> print(exponential(jnp.array([0.0, 1.0, 3.0]), 1.0).round(3))
    [0.    1.718 7.155]
    """
    return jnp.expm1(jnp.minimum(t, most)) + jnp.exp(most) * jnp.maximum(t - most, 0)


def logarithm(z: Array, least: Any) -> Array:
    """`log(1 + z)` from `z = least` on, and its tangent there below, where only estimates are.

    >>> print(logarithm(jnp.array([-2.0, 0.0, 1.0]), 0.0).round(3))
    [-2.     0.     0.693]
    """
    return jnp.log1p(jnp.maximum(z, least)) + jnp.minimum(z - least, 0) / (1 + least)


def log_growth(v: Array, least: Any) -> Array:
    """`log(1 + v)` where `1 + v ≥ least`, and its second-order expansion there below: concave.

    >>> print(log_growth(jnp.array([-1.0, 0.0]), 1.0))
    [-1.5  0. ]
    """
    short = jnp.minimum((1 + v - least) / least, 0)
    return jnp.log1p(jnp.maximum(v, least - 1)) + short - short * short / 2
