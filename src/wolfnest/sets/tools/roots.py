"""Projections that are the root of one equation: to Lp balls and to ellipsoids."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

# Both searches usually end within ten steps; bisection alone would be through after as many.
MOST_STEPS = 100
# Of Newton's method for every entry, which starts within ln 2 of the root.
ENTRY_STEPS = 8


def onto_lp(size: Float[Array, " n"], p: float) -> Float[Array, " n"]:
    """The projection of `size ≥ 0`, with `‖size‖_p > 1`, to the unit ball, for `1 < p < ∞`.

    The answer `y` solves `y_i + μ y_i^(p-1) = size_i`, with the `μ` that makes `‖y‖_p = 1`. In the
    logarithms `u = log y` and `m = log μ` this is `u + log(1 + e^z) = log size` for
    `z = m + (p - 2) u`, whose left side is increasing and convex in `u`: Newton's method from
    above falls to the root, and no power overflows. The search for `m` keeps a bracket. As
    `μ = ‖size - y‖_q` for the dual exponent `q`, it lies between the distance of `size` from the
    ball and its length, both in the dual norm.
    """
    eps, n = jnp.finfo(size.dtype).eps, size.size
    q = p / (p - 1)
    logs = jnp.log(jnp.maximum(size, jnp.finfo(size.dtype).tiny))
    norm = lambda u, r: jax.nn.logsumexp(r * u) / r

    def entries(m: Array) -> Array:
        def newton(_: Array, u: Array) -> Array:
            z = m + (p - 2) * u
            return u - (u - logs + jnp.logaddexp(z, 0)) / (1 + (p - 2) * jax.nn.sigmoid(z))

        begin = jnp.minimum(logs, (logs - m) / (p - 1))
        return jax.lax.fori_loop(0, ENTRY_STEPS, newton, begin)

    def step(carry: Any) -> Any:
        low, high, m, _, count = carry
        u = entries(m)
        share = jax.nn.sigmoid(m + (p - 2) * u)
        excess = norm(u, p)
        slope = -jnp.sum(jax.nn.softmax(p * u) * share / (1 + (p - 2) * share))
        low, high = jnp.where(excess > 0, m, low), jnp.where(excess > 0, high, m)
        new = m - excess / slope
        new = jnp.where((new > low) & (new < high), new, low / 2 + high / 2)
        narrow = high - low <= 2 * eps * jnp.maximum(jnp.abs(low), jnp.abs(high))
        done = (jnp.abs(excess) <= 2 * eps) | narrow
        return low, high, jnp.where(done, m, new), done, count + 1

    # The dual norm is at least this share of the norm.
    share = min(0.0, (1 / q - 1 / p) * math.log(n))
    low, high = jnp.log(jnp.expm1(norm(logs, p))) + share, norm(logs, q)
    begin = (low, high, low / 2 + high / 2, jnp.array(False), jnp.array(0))
    going = lambda carry: ~carry[3] & (carry[4] < MOST_STEPS)
    u = entries(jax.lax.while_loop(going, step, begin)[2])
    return jnp.where(size > 0, jnp.exp(jnp.minimum(u, logs) - jnp.maximum(norm(u, p), 0)), 0)


def onto_ellipsoid(z: Float[Array, " n"], semi_axes: Float[Array, " n"]) -> Float[Array, " n"]:
    """The projection of `z` to `{y : Σ (y_i / a_i)² ≤ 1}`, from outside.

    The answer is `y_i = a_i² z_i / (a_i² + λ)`, with the `λ > 0` at which
    `Σ (a_i z_i / (a_i² + λ))² = 1`. The root of that sum, inverted, is increasing and concave in
    `λ`: Newton's method from below rises to the answer.
    """
    longest = jnp.max(semi_axes)
    a, z = semi_axes / longest, z / longest
    largest = jnp.max(jnp.abs(z))
    scale = jnp.maximum(largest, 1)  # λ is counted in these, and no square overflows
    pulled = a * (z / scale)

    def step(carry: Any) -> Any:
        shift, _, count = carry
        part = pulled / (a * a / scale + shift)
        norm = jnp.sqrt(jnp.sum(part * part))
        slope = jnp.sum(part * part / (a * a / scale + shift)) / norm
        new = shift + (norm - 1) * norm / slope
        return jnp.maximum(new, shift), new > shift, count + 1

    low = jnp.maximum(jnp.sqrt(jnp.sum(pulled * pulled)) - 1 / scale, 0)
    going = lambda carry: carry[1] & (carry[2] < MOST_STEPS)
    shift = jax.lax.while_loop(going, step, (low, jnp.array(True), jnp.array(0)))[0]
    return longest * a * (pulled / (a * a / scale + shift))
