"""Snapshots: exact passes now and then anchor the estimates of a finite sum."""

from __future__ import annotations

import abc
from typing import Any, NamedTuple

import equinox as eqx
import jax
from jaxtyping import Array, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.estimators.base import Cost, Estimate, ExactStart, pass_cost
from wolfnest.estimators.batches import BatchedEstimator
from wolfnest.estimators.recursion import (
    GradientTarget,
    Inputs,
    ValueTarget,
    track_gradient,
    track_values,
)
from wolfnest.objective.composition import Composition, Pairing
from wolfnest.schedules.stage import Stage
from wolfnest.state import State


class Anchor(NamedTuple):
    """A snapshot: the inputs at iteration τ, the exact values and the exact gradient there."""

    inputs: tuple[PyTree, ...]
    values: tuple[PyTree, ...]
    gradient: PyTree


class AnchoredEstimator(ExactStart, BatchedEstimator):
    """Targets are `now - at_snapshot + exact_at_snapshot`, with a new snapshot now and then.

    `corrected` says whether the recursion keeps its correction term `(1-α)(now - before)`.
    """

    pairing: eqx.AbstractVar[Pairing]

    def __check_init__(self) -> None:
        checks.choice("pairing", self.pairing, ("paired", "all"))

    @property
    @abc.abstractmethod
    def corrected(self) -> bool: ...

    @abc.abstractmethod
    def due(self, composition: Composition, t: Any, batch_size: int) -> Any:
        """Whether iteration `t` takes a snapshot."""

    @abc.abstractmethod
    def taken(self, composition: Composition, t: int, steps: int, batch_size: int) -> int:
        """How many of the iterations `t + 1, …, t + steps` take a snapshot."""

    def init(self, composition: Composition, x: PyTree, batch: Any) -> Estimate:
        u = composition.exact_values(x)
        anchor = _anchor(composition, (x, *u[:-1]), u)
        return Estimate(u, anchor.gradient, anchor)

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        values, gradient = self.split(composition, batch)
        before, alpha = state.inputs if self.corrected else None, stage.alpha
        anchor: Anchor = state.memory

        def track(value_target: ValueTarget) -> tuple[Inputs, tuple[PyTree, ...]]:
            return track_values(composition, x, state.u, before, values, alpha, value_target)

        def estimate(
            inputs: Inputs, u: tuple[PyTree, ...], anchor: Anchor, target: GradientTarget
        ) -> Estimate:
            v = track_gradient(
                composition, inputs, state.v, before, gradient, alpha, self.pairing, target
            )
            return Estimate(u, v, anchor)

        def anchored() -> Estimate:
            """With the snapshot of an earlier iteration."""

            def value_target(i: int, y: PyTree, now: PyTree) -> PyTree:
                at_snapshot = composition.levels[i].mean(anchor.inputs[i], values[i])
                return jax.tree.map(_shift, now, at_snapshot, anchor.values[i])

            def gradient_target(now: PyTree) -> PyTree:
                at_snapshot = composition.gradient(anchor.inputs, gradient, self.pairing)
                return jax.tree.map(_shift, now, at_snapshot, anchor.gradient)

            return estimate(*track(value_target), anchor, gradient_target)

        def renewed() -> Estimate:
            """With a snapshot of its own: `at_snapshot = now`, so the targets are exact."""
            exact: list[PyTree] = []

            def value_target(i: int, y: PyTree, now: PyTree) -> PyTree:
                exact.append(pytrees.cast_like(composition.levels[i].exact(y), state.u[i]))
                return exact[-1]

            inputs, u = track(value_target)
            new = _anchor(composition, inputs, tuple(exact))
            return estimate(inputs, u, new, lambda now: new.gradient)

        due = self.due(composition, state.t + 1, stage.batch)
        # One branch runs: the exact passes cost nothing in the iterations between snapshots.
        found: Estimate = jax.lax.cond(due, renewed, anchored)
        return found

    def begin_stage(self, composition: Composition, state: State) -> Estimate:
        """A snapshot at the present inputs; `u` and `v` stay."""
        values = tuple(
            level.exact(y) for level, y in zip(composition.levels, state.inputs, strict=True)
        )
        return Estimate(state.u, state.v, _anchor(composition, state.inputs, values))

    @property
    def remedy(self) -> str:
        return (
            "snapshots need exact passes: give it data, or take a method without snapshots "
            "(PMVR, PMM)"
        )

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        taken = self.taken(composition, t, steps, batch_size)
        between = self.cost(composition, batch_size * (steps - taken), 3 if self.corrected else 2)
        # Where a snapshot is taken, only the correction term still needs the batch.
        taking = self.cost(composition, batch_size * taken * self.corrected, 2)
        return between.plus(taking).plus(pass_cost(composition, taken))

    def stage_cost(self, composition: Composition) -> Cost:
        return pass_cost(composition)


def _anchor(
    composition: Composition, inputs: tuple[PyTree, ...], values: tuple[PyTree, ...]
) -> Anchor:
    gradient = pytrees.cast_like(composition.exact_gradient(inputs), inputs[0])
    return Anchor(inputs, values, gradient)


def _shift(now: Array, at_snapshot: Array, exact: Array) -> Array:
    return now - at_snapshot + exact
