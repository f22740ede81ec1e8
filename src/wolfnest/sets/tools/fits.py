"""What sets of ordered entries share: monotone fits, and the projection that they give."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

# Newton's method on a convex, piecewise linear function ends by itself, usually within ten steps.
MOST_STEPS = 100


def pools(values: Float[Array, " n"]) -> Bool[Array, " n"]:
    """Where the blocks of the non-increasing least-squares fit of `values` begin.

    The fit is constant on every block, and equal to the mean there. All neighbours out of order
    are pooled at once, over and over: a few passes as a rule, `n` at worst.
    """

    def merge(carry: Any) -> Any:
        begins, _ = carry
        fit = block_means(begins, values)
        kept = begins & jnp.concatenate([jnp.ones(1, bool), fit[:-1] >= fit[1:]])
        return kept, jnp.any(kept != begins)

    everywhere = jnp.ones(values.shape, bool)
    return jax.lax.while_loop(lambda carry: carry[1], merge, (everywhere, jnp.array(True)))[0]


def block_means(begins: Bool[Array, " n"], values: Float[Array, " n"]) -> Float[Array, " n"]:
    """Every entry replaced by the mean of its block."""
    n = values.size
    label = jnp.cumsum(begins) - 1
    add = lambda v: jax.ops.segment_sum(v, label, n, indices_are_sorted=True)
    return (add(values) / jnp.maximum(add(jnp.ones_like(values)), 1))[label]


def onto_ordered(
    size: Float[Array, " n"], weights: Float[Array, " n"], radius: Float[Array, ""]
) -> Float[Array, " n"]:
    """The projection of `size` to `{y : Σ w_i |y|_(i) ≤ radius}`, from outside.

    Both `size` and the weights are sorted downwards and not negative. The answer is the positive
    part of the non-increasing fit of `size - λ w` (Bogdan and others 2015; Zeng and Figueiredo
    2014), with the `λ` at which its norm is the radius. That norm is a convex, piecewise linear
    function of `λ`: as `λ` grows, blocks only merge. Newton's method from zero hence rises to the
    root. Where the blocks of the answer are known, it is the projection of their means to the
    hyperplane `<w, y> = radius`.
    """

    def blocks(shift: Array) -> tuple[Array, Array]:
        begins = pools(size - shift * weights)
        mean, weight = block_means(begins, size), block_means(begins, weights)
        positive = mean - shift * weight > 0
        return jnp.where(positive, mean, 0), jnp.where(positive, weight, 0)

    def root(mean: Array, weight: Array) -> Array:
        """The `λ` for the radius, if the blocks stay as they are."""
        return (jnp.sum(weight * mean) - radius) / jnp.sum(weight * weight)

    def newton(carry: Any) -> Any:
        found, _, step = carry
        shift = root(*found)
        # At the last root rounding may empty all blocks: those that led to it stay.
        refined = blocks(shift)
        going = root(*refined) > shift
        found = jax.tree.map(lambda new, old: jnp.where(going, new, old), refined, found)
        return found, going & (step < MOST_STEPS), step + 1

    begin = (blocks(jnp.zeros_like(radius)), jnp.array(True), jnp.array(1))
    mean, weight = jax.lax.while_loop(lambda carry: carry[1], newton, begin)[0]
    square = jnp.sum(weight * weight)
    # Every pass leaves the rounding of the one before: after four, entries of 1e50 do no harm.
    for _ in range(4):
        mean = mean - (jnp.sum(weight * mean) / square) * weight
    point = jnp.maximum(mean + (radius / square) * weight, 0)
    return point * jnp.minimum(1, radius / jnp.sum(point * weights))
