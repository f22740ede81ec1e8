"""Batches: one for values and gradient alike, or two independent ones; and their checks."""

from __future__ import annotations

from typing import Any, Literal

import equinox as eqx
import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from wolfnest.common import checks
from wolfnest.estimators.base import AbstractEstimator, Cost, batch_cost
from wolfnest.objective.composition import Batch, Composition
from wolfnest.objective.level import Level

GradientBatch = Literal["shared", "separate"]

# Levels fold their small numbers into a key; the two halves of a separate batch stay clear of
# them.
HALVES = 1 << 16


class BatchedEstimator(AbstractEstimator):
    """Takes a batch of every level in every iteration.

    `gradient_batch`: "shared" uses one batch for `u` and `v`, "separate" draws a second,
    independent one for `v`.
    """

    gradient_batch: eqx.AbstractVar[GradientBatch]

    def __check_init__(self) -> None:
        checks.choice("gradient_batch", self.gradient_batch, ("shared", "separate"))

    @property
    def copies(self) -> int:
        return 2 if self.gradient_batch == "separate" else 1

    def tickets(self, composition: Composition, key: PRNGKeyArray, n: int) -> Any:
        if self.copies == 1:
            return composition.tickets(key, n)
        return tuple(
            composition.tickets(jax.random.fold_in(key, HALVES + copy), n) for copy in range(2)
        )

    def fetch(self, composition: Composition, tickets: Any, n: int) -> Any:
        if self.copies == 1:
            return composition.fetch(tickets, n)
        return tuple(composition.fetch(half, n) for half in tickets)

    def split(self, composition: Composition, batch: Any) -> tuple[Batch, Batch]:
        nothing = (None,) * len(composition)
        if batch is None and composition.sampled_levels == 0:
            return nothing, nothing
        if self.copies == 1:
            checked_batch = checked(composition, batch)
            return checked_batch, checked_batch
        pair = 'with gradient_batch="separate" a batch is a pair (values, gradient)'
        if not isinstance(batch, tuple | list) or len(batch) != 2:
            raise ValueError(f"{pair} of tuples, got {type(batch).__name__}.")
        try:
            values, gradient = (checked(composition, half) for half in batch)
        except ValueError as error:
            raise ValueError(f"{pair}; in one of them, {error}") from error
        return values, gradient

    def cost(self, composition: Composition, samples: int, points: int) -> Cost:
        """`samples` samples per level and batch, each evaluated at `points` points."""
        return batch_cost(composition, self.copies * samples, points)


class SampledEstimator(BatchedEstimator):
    """Starts from batch means, makes no exact passes, and so runs on every kind of level."""

    @property
    def exact_start(self) -> bool:
        return False

    def needs(self, composition: Composition) -> str | None:
        return None

    def init_cost(self, composition: Composition, batch_size: int) -> Cost:
        return self.cost(composition, batch_size, points=1)

    def stage_cost(self, composition: Composition) -> Cost:
        return Cost(0, 0)


def checked(composition: Composition, batch: Any) -> Batch:
    """The batch as a tuple, if it has the samples that the levels need."""
    levels = composition.levels
    if not isinstance(batch, tuple | list) or len(batch) != len(levels):
        got = len(batch) if isinstance(batch, tuple | list) else type(batch).__name__
        raise ValueError(
            f"a batch is a tuple with one entry for each of the {len(levels)} levels, got {got}."
        )
    sizes = {}
    for number, (level, samples) in enumerate(zip(levels, batch, strict=True), 1):
        if (samples is None) != (level.kind == "deterministic"):
            expected = "None" if level.kind == "deterministic" else "samples"
            raise ValueError(
                f"level {number} is {level.kind}: its entry of the batch must be {expected}, "
                f"got {type(samples).__name__}."
            )
        if samples is not None:
            sizes[number] = _samples_in(number, level, samples)
    if len(set(sizes.values())) > 1:
        got = ", ".join(f"{size} at level {number}" for number, size in sizes.items())
        raise ValueError(f"all levels of a batch must have the same number of samples, got {got}.")
    return tuple(batch)


def _samples_in(number: int, level: Level, samples: Any) -> int:
    """The number of samples of one level's entry, which must look like the level's own."""
    expected = level.one_sample()
    want = [leaf.shape for leaf in jax.tree.leaves(expected)]
    got = [np.shape(leaf) for leaf in jax.tree.leaves(samples)]
    same = jax.tree.structure(samples) == jax.tree.structure(expected)
    if not same or [shape[1:] for shape in got] != want or len({s[:1] for s in got}) != 1:
        raise ValueError(
            f"the samples of level {number} must be arrays like its own, with a leading sample "
            f"axis and then {want}, got shapes {got}."
        )
    return got[0][0]
