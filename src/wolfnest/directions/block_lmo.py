"""Block-coordinate Frank-Wolfe: one set of a product per step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.directions.base import Target, TargetDirection
from wolfnest.schedules.stage import Stage
from wolfnest.sets.base import AbstractSet
from wolfnest.sets.product import Product
from wolfnest.state import State

Order = Literal["cyclic", "random"]


class BlockLMO(TargetDirection):
    """`z` is `x` with one block replaced by what the oracle of its set says; the other oracles
    do not run. A set that is no `wn.sets.Product` is one block.

    "cyclic" takes the blocks in turn, "random" draws one per step, from `seed` alone: the runs of
    several seeds take the same blocks. Lacoste-Julien, Jaggi, Schmidt and Pletscher,
    "Block-coordinate Frank-Wolfe optimization for structural SVMs", 2013.

    >>> BlockLMO(order="random")
    BlockLMO(order='random', seed=0)
    """

    order: Order = eqx.field(static=True)
    seed: int = eqx.field(static=True)

    def __init__(self, order: Order = "cyclic", seed: int = 0) -> None:
        self.order = checks.choice("order", order, ("cyclic", "random"))  # type: ignore[assignment]
        self.seed = checks.whole("seed", seed, least=0)

    def target(self, domain: AbstractSet, state: State, stage: Stage) -> Target:
        if not isinstance(domain, Product):
            z, guess = domain.lmo_from(state.v, state.guess)
            return Target(z, guess, jnp.int32(1))
        points, slopes = domain.cut("x", state.x), domain.cut("v", state.v)

        def oracle(j: int) -> Callable[[], tuple[list[PyTree], tuple[Any, ...]]]:
            def call() -> tuple[list[PyTree], tuple[Any, ...]]:
                z, guess = domain.parts[j].lmo_from(slopes[j], state.guess[j])
                z = pytrees.cast_like(z, points[j])
                guesses = (*state.guess[:j], guess, *state.guess[j + 1 :])
                return [*points[:j], z, *points[j + 1 :]], guesses

            return call

        calls = [oracle(j) for j in range(len(points))]
        blocks, guess = jax.lax.switch(self._block(state.k, len(points)), calls)
        return Target(domain.join(blocks), guess, jnp.int32(1))

    def _block(self, k: Array, blocks: int) -> Array:
        if self.order == "cyclic":
            return (k - 1) % blocks
        return jax.random.randint(jax.random.fold_in(jax.random.key(self.seed), k), (), 0, blocks)

    def needs(self, domain: AbstractSet) -> str | None:
        return None

    def most_calls(self, stage: Stage, k: int, n: int) -> int:
        return n
