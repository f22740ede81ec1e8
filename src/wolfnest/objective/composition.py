"""The chain `f_K ∘ … ∘ f_1`: draws, batch values, chained gradients, exact passes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PRNGKeyArray, PyTree

from wolfnest.common.pytrees import cast_like
from wolfnest.objective.level import Level

Pairing = Literal["paired", "all"]
Batch = tuple[PyTree, ...]


class Composition(eqx.Module):
    """The levels of an objective, without the set. Estimators see this and nothing else.

    `inputs` everywhere is the tuple `(u^0, …, u^{K-1})` of points at which the levels are
    evaluated; `batch` holds one sample pytree per level, None for a deterministic level.
    """

    levels: tuple[Level, ...]

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def largest(self) -> int | None:
        """`m` of the theorems: the longest finite sum, None where a level is endless or no
        level has data."""
        sizes = [level.size for level in self.levels if level.kind == "finite-sum"]
        return max(sizes) if sizes and self.endless is None else None  # type: ignore[type-var]

    @property
    def endless(self) -> int | None:
        """The number (from 1) of the first level that only a sampler describes."""
        kinds = [level.kind for level in self.levels]
        return kinds.index("endless") + 1 if "endless" in kinds else None

    @property
    def sampled_levels(self) -> int:
        """How many levels take samples: what one sample per level costs."""
        return sum(level.kind != "deterministic" for level in self.levels)

    @property
    def rows(self) -> int:
        """Samples in one exact pass over all levels."""
        return sum(level.size or 0 for level in self.levels)

    @property
    def sample_bytes(self) -> int:
        """Memory of one sample of every level, at least 1."""
        leaves = jax.tree.leaves([level.one_sample() for level in self.levels])
        return max(1, sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in leaves))

    # ---- drawing -------------------------------------------------------------------------

    def tickets(self, key: PRNGKeyArray, n: int) -> Batch:
        """The random part of `draw`: every level has its own key, so levels are independent."""
        return tuple(
            level.ticket(jax.random.fold_in(key, i), n) for i, level in enumerate(self.levels)
        )

    def fetch(self, tickets: Batch, n: int) -> Batch:
        return tuple(
            level.fetch(ticket, n) for level, ticket in zip(self.levels, tickets, strict=True)
        )

    def draw(self, key: PRNGKeyArray, n: int) -> Batch:
        """`n` independent samples per level."""
        return self.fetch(self.tickets(key, n), n)

    # ---- chained gradients ---------------------------------------------------------------

    def gradient(self, inputs: tuple[PyTree, ...], batch: Batch, pairing: Pairing) -> PyTree:
        """The batch mean of `∇f_1(u^0; ξ^1) ⋯ ∇f_K(u^{K-1}; ξ^K)` as a chain of pull-backs.

        "paired" multiplies the Jacobians of the j-th samples of all levels and averages over j
        (equation VR:v); "all" multiplies the batch-mean Jacobians.
        """
        if pairing == "all":
            cotangent = _one(inputs)
            for level, y, samples in self._downwards(inputs, batch):
                cotangent = level.pull_mean(y, samples, cotangent)
            return cotangent
        return self._paired(inputs, batch)

    def _paired(self, inputs: tuple[PyTree, ...], batch: Batch) -> PyTree:
        # One pull-back through the chain of all levels, each taken at its own input: what no
        # sample changes then stays a single array, and sums over the batch become products.
        def chain(x: PyTree, samples: Batch) -> PyTree:
            y = x
            for level, at, xi in zip(self.levels, inputs, samples, strict=True):
                y = level.one(_moved_to(at, y), xi)
            return y

        def mean(x: PyTree) -> Array:
            if all(samples is None for samples in batch):
                return chain(x, batch)
            return jnp.mean(jax.vmap(chain, (None, 0))(x, batch), axis=0)

        value, pull_back = jax.vjp(mean, inputs[0])
        return pull_back(jnp.ones_like(value))[0]

    def _downwards(
        self, inputs: tuple[PyTree, ...], batch: Batch
    ) -> Iterator[tuple[Level, PyTree, PyTree]]:
        return reversed(list(zip(self.levels, inputs, batch, strict=True)))

    # ---- exact passes --------------------------------------------------------------------

    def exact_values(self, x: PyTree) -> tuple[PyTree, ...]:
        """`f_1(x), f_2(f_1(x)), …`: one value per level, the last one is `F(x)`."""
        values = []
        for level in self.levels:
            x = level.exact(x)
            values.append(x)
        return tuple(values)

    def exact_gradient(self, inputs: tuple[PyTree, ...]) -> PyTree:
        """The product of the full Jacobians at `inputs`."""
        cotangent = _one(inputs)
        for level, y in zip(reversed(self.levels), reversed(inputs), strict=True):
            cotangent = level.exact_pull(y, cotangent)
        return cotangent


@jax.custom_jvp
def _moved_to(at: PyTree, y: PyTree) -> PyTree:
    """The value `at` with the derivative of `y`."""
    return at


@_moved_to.defjvp
def _moved_to_jvp(
    primals: tuple[PyTree, ...], tangents: tuple[PyTree, ...]
) -> tuple[PyTree, PyTree]:
    at, change = primals[0], tangents[1]
    return at, cast_like(change, at)


def _one(inputs: tuple[PyTree, ...]) -> Array:
    """The cotangent of the scalar objective."""
    return jnp.ones((), jnp.result_type(*jax.tree.leaves(inputs)))
