"""What an estimator is, and the parts that all of them share."""

from __future__ import annotations

import abc
from typing import Any, NamedTuple

import equinox as eqx
from jaxtyping import PRNGKeyArray, PyTree

from wolfnest.common import pytrees
from wolfnest.objective.composition import Batch, Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State


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

    def plus(self, other: Cost) -> Cost:
        return Cost(self.samples + other.samples, self.evaluations + other.evaluations)


def batch_cost(composition: Composition, samples: int, points: int) -> Cost:
    """`samples` samples at every level that takes samples, each evaluated at `points` points."""
    used = samples * composition.sampled_levels
    return Cost(used, points * used)


def pass_cost(composition: Composition, passes: int = 1) -> Cost:
    """Exact passes over the data of all levels."""
    return Cost(passes * composition.rows, passes * composition.rows)


def without_data(composition: Composition, remedy: str) -> str | None:
    """Why no exact pass can be made over these levels, and the remedy; None if one can."""
    if composition.endless is None:
        return None
    return f"level {composition.endless} is endless, and {remedy}"


def exact_estimate(composition: Composition, x: PyTree) -> Estimate:
    """`u^i = f_i(u^{i-1})` and `v = ∇F(x)`: one pass of values and one of pull-backs."""
    u = composition.exact_values(x)
    v = composition.exact_gradient((x, *u[:-1]))
    return Estimate(u, pytrees.cast_like(v, x))


class AbstractEstimator(eqx.Module):
    """Tracks the values `u^1 … u^K` of the levels and the gradient `v` along moving points."""

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
    def begin_stage(self, composition: Composition, state: State) -> Estimate:
        """The estimate with which a new stage starts at the present point."""

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

    # ---- batches -------------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def copies(self) -> int:
        """Independent batches per iteration."""

    @abc.abstractmethod
    def tickets(self, composition: Composition, key: PRNGKeyArray, n: int) -> Any:
        """The random part of the batch of one iteration (see `Level.ticket`)."""

    @abc.abstractmethod
    def fetch(self, composition: Composition, tickets: Any, n: int) -> Any:
        """The batch of one iteration, in the form that `init` and `update` take."""

    @abc.abstractmethod
    def split(self, composition: Composition, batch: Any) -> tuple[Batch, Batch]:
        """The value batch and the gradient batch of a checked batch."""

    def draw(self, composition: Composition, key: PRNGKeyArray, n: int) -> Any:
        return self.fetch(composition, self.tickets(composition, key, n), n)


class ExactStart(AbstractEstimator):
    """Starts from exact passes, whatever it does then: every level needs data, or no samples."""

    @property
    @abc.abstractmethod
    def remedy(self) -> str:
        """What the exact passes are for, and what to do where a level is endless."""

    @property
    def exact_start(self) -> bool:
        return True

    def needs(self, composition: Composition) -> str | None:
        return without_data(composition, self.remedy)

    def init_cost(self, composition: Composition, batch_size: int) -> Cost:
        return pass_cost(composition)
