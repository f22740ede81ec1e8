"""What estimators that start afresh now and then share: epochs within a stage."""

from __future__ import annotations

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.common.rounding import round_up
from wolfnest.estimators.base import (
    AbstractEstimator,
    Cost,
    Estimate,
    batch_cost,
    pass_cost,
    without_data,
)
from wolfnest.estimators.batches import HALVES, checked
from wolfnest.objective.composition import Batch, Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State


class EpochEstimator(AbstractEstimator):
    """Starts afresh in iterations t = 1, 1+q, 1+2q, … of a stage, q = `epoch`.

    With `large_batch=None` an epoch starts from exact passes, and q is `⌈√m⌉` unless given. With
    a number it starts from that many samples per level, q is `⌈√large_batch⌉` unless given, and
    a batch is a pair `(samples, key)`: the key draws the large batch when it is due. A stage then
    begins an epoch only if it has `restart=large_batch`.
    """

    epoch: eqx.AbstractVar[int | None]
    large_batch: eqx.AbstractVar[int | None]

    def __check_init__(self) -> None:
        if self.epoch is not None:
            checks.whole("epoch", self.epoch, most=checks.MOST)
        if self.large_batch is not None:
            checks.whole("large_batch", self.large_batch)

    @abc.abstractmethod
    def exact(self, composition: Composition, x: PyTree) -> Estimate:
        """The start of an epoch from exact passes."""

    @abc.abstractmethod
    def sampled(self, composition: Composition, x: PyTree, batch: Batch) -> Estimate:
        """The start of an epoch from a large batch."""

    @abc.abstractmethod
    def differences(
        self, composition: Composition, state: State, x: PyTree, batch: Batch
    ) -> Estimate:
        """`new = prev + now - before` for everything that is tracked."""

    def init(self, composition: Composition, x: PyTree, batch: Any) -> Estimate:
        if self.large_batch is None:
            return self.exact(composition, x)
        return self.sampled(composition, x, composition.draw(_key(batch), self.large_batch))

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        samples = self.split(composition, batch)[0]
        new, tracked = state.t + 1, Estimate(state.u, state.v, state.memory)
        # In the dtypes of what is tracked, so that both branches agree.
        return jax.lax.cond(
            (new - 1) % self.length(composition) == 0,
            lambda: pytrees.cast_like(self.init(composition, x, batch), tracked),
            lambda: pytrees.cast_like(self.differences(composition, state, x, samples), tracked),
        )

    def begin_stage(self, composition: Composition, state: State) -> Estimate:
        if self.large_batch is None:
            return self.exact(composition, state.inputs[0])
        return Estimate(state.u, state.v, state.memory)

    def length(self, composition: Composition) -> int:
        """q."""
        size = self.large_batch or composition.largest or 1
        return self.epoch or round_up(float(size) ** 0.5)

    @property
    def exact_start(self) -> bool:
        return self.large_batch is None

    def needs(self, composition: Composition) -> str | None:
        if self.large_batch is not None:
            return None
        return without_data(
            composition,
            "epochs start from exact passes: give it data, or a large_batch to start epochs from",
        )

    # ---- costs ---------------------------------------------------------------------------

    def init_cost(self, composition: Composition, batch_size: int) -> Cost:
        return self._start_cost(composition, 1)

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        length = self.length(composition)
        starts = epoch_starts(length, t, steps)
        between = batch_cost(composition, batch_size * (steps - starts), points=2)
        return between.plus(self._start_cost(composition, starts))

    def stage_cost(self, composition: Composition) -> Cost:
        return Cost(0, 0) if self.large_batch is not None else self._start_cost(composition, 1)

    def _start_cost(self, composition: Composition, starts: int) -> Cost:
        if self.large_batch is None:
            return pass_cost(composition, starts)
        return batch_cost(composition, self.large_batch * starts, points=1)

    # ---- batches -------------------------------------------------------------------------

    @property
    def copies(self) -> int:
        return 1

    def tickets(self, composition: Composition, key: PRNGKeyArray, n: int) -> Any:
        if self.large_batch is None:
            return composition.tickets(key, n)
        small, large = (jax.random.fold_in(key, HALVES + i) for i in range(2))
        return composition.tickets(small, n), large

    def fetch(self, composition: Composition, tickets: Any, n: int) -> Any:
        if self.large_batch is None:
            return composition.fetch(tickets, n)
        return composition.fetch(tickets[0], n), tickets[1]

    def split(self, composition: Composition, batch: Any) -> tuple[Batch, Batch]:
        if self.large_batch is not None:
            _key(batch)
            batch = batch[0]
        elif batch is None and composition.sampled_levels == 0:
            batch = (None,) * len(composition)
        samples = checked(composition, batch)
        return samples, samples


def epoch_starts(length: int, t: int, steps: int) -> int:
    """How many of the iterations `t + 1, …, t + steps` are 1, 1+q, 1+2q, … for q = `length`.

    >>> epoch_starts(length=10, t=1, steps=20)
    2
    """
    return (t + steps - 1) // length - (t - 1) // length


def _key(batch: Any) -> PRNGKeyArray:
    """The key in a batch `(samples, key)`."""
    if (
        isinstance(batch, tuple | list)
        and len(batch) == 2
        and isinstance(batch[1], jax.Array)
        and jnp.issubdtype(batch[1].dtype, jax.dtypes.prng_key)
    ):
        return batch[1]
    raise ValueError(
        "with large_batch a batch is a pair (samples, key), where the JAX key draws the large "
        f"batch when it is due, got {type(batch).__name__}."
    )
