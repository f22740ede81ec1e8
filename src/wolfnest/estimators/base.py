"""What an estimator is, and the parts that all of them share."""

from __future__ import annotations

import abc
from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax
import numpy as np
from jaxtyping import PRNGKeyArray, PyTree

from wolfnest import _checks
from wolfnest.composition import Batch, Composition, Pairing
from wolfnest.level import Level
from wolfnest.stage import Stage
from wolfnest.state import State

GradientBatch = Literal["shared", "separate"]

# Levels fold their small numbers into a key; the two halves of a separate batch stay clear of
# them.
HALVES = 1 << 16


class Estimate(NamedTuple):
    """What an estimator knows about the objective at a point.

    `u`: one value per level; `v`: the gradient; `memory`: whatever else the family keeps.
    """

    u: tuple[PyTree, ...]
    v: PyTree
    memory: PyTree = None


class Cost(NamedTuple):
    """Samples used at the levels, and points at which samples were evaluated."""

    samples: int
    evaluations: int


class AbstractEstimator(eqx.Module):
    """Tracks the values `u^1 … u^K` of the levels and the gradient `v` along moving points.

    `pairing`: "paired" multiplies Jacobians sample by sample as the paper writes it, "all"
    multiplies batch means. `gradient_batch`: "shared" uses one batch for `u` and `v`,
    "separate" draws a second, independent one for `v`.
    """

    pairing: eqx.AbstractVar[Pairing]
    gradient_batch: eqx.AbstractVar[GradientBatch]

    def __check_init__(self) -> None:
        _checks.choice("pairing", self.pairing, ("paired", "all"))
        _checks.choice("gradient_batch", self.gradient_batch, ("shared", "separate"))

    # ---- the mathematics -----------------------------------------------------------------

    @abc.abstractmethod
    def init(self, composition: Composition, x: PyTree, batch: Any) -> Estimate:
        """`u_1`, `v_1` at the first point."""

    @abc.abstractmethod
    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        """From the estimate at `state.x` (iteration `t`) to the one at `x` (iteration `t + 1`)."""

    @abc.abstractmethod
    def begin_stage(self, composition: Composition, state: State) -> PyTree:
        """The memory with which a new stage starts at the present point; `u` and `v` stay."""

    # ---- what it needs and costs ---------------------------------------------------------

    @property
    @abc.abstractmethod
    def exact_start(self) -> bool:
        """Whether `init` makes exact passes and needs no batch."""

    @abc.abstractmethod
    def needs(self, composition: Composition) -> str | None:
        """Why this estimator cannot run on these levels; None if it can."""

    @abc.abstractmethod
    def init_cost(self, composition: Composition, batch_size: int) -> Cost: ...

    @abc.abstractmethod
    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        """The cost of `steps` updates that start at iteration `t` of a stage."""

    @abc.abstractmethod
    def stage_cost(self, composition: Composition) -> Cost:
        """The cost of `begin_stage`."""

    def batch_cost(self, composition: Composition, batch_size: int, points: int) -> Cost:
        """`batch_size` samples per level and batch, each evaluated at `points` points."""
        samples = self.copies * batch_size * composition.sampled_levels
        return Cost(samples, points * samples)

    # ---- batches -------------------------------------------------------------------------

    @property
    def copies(self) -> int:
        """Independent batches per iteration."""
        return 2 if self.gradient_batch == "separate" else 1

    def tickets(self, composition: Composition, key: PRNGKeyArray, n: int) -> Any:
        """The random part of the batch of one iteration (see `Level.ticket`)."""
        if self.copies == 1:
            return composition.tickets(key, n)
        return tuple(
            composition.tickets(jax.random.fold_in(key, HALVES + copy), n) for copy in range(2)
        )

    def fetch(self, composition: Composition, tickets: Any, n: int) -> Any:
        """The batch of one iteration, in the form that `init` and `update` take."""
        if self.copies == 1:
            return composition.fetch(tickets, n)
        return tuple(composition.fetch(half, n) for half in tickets)

    def draw(self, composition: Composition, key: PRNGKeyArray, n: int) -> Any:
        return self.fetch(composition, self.tickets(composition, key, n), n)

    def split(self, composition: Composition, batch: Any) -> tuple[Batch, Batch]:
        """The value batch and the gradient batch of a checked batch."""
        nothing = (None,) * len(composition)
        if batch is None and composition.sampled_levels == 0:
            return nothing, nothing
        if self.copies == 1:
            checked = _checked(composition, batch)
            return checked, checked
        pair = 'with gradient_batch="separate" a batch is a pair (values, gradient)'
        if not isinstance(batch, tuple | list) or len(batch) != 2:
            raise ValueError(f"{pair} of tuples, got {type(batch).__name__}.")
        try:
            values, gradient = (_checked(composition, half) for half in batch)
        except ValueError as error:
            raise ValueError(f"{pair}; in one of them, {error}") from error
        return values, gradient


def _checked(composition: Composition, batch: Any) -> Batch:
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
