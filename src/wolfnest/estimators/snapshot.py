"""Snapshots: exact passes every I iterations anchor the estimates of a finite sum (PMFS)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest import _checks
from wolfnest.composition import Composition, Pairing
from wolfnest.estimators.base import AbstractEstimator, Cost, Estimate, GradientBatch
from wolfnest.estimators.recursion import track_gradient, track_values
from wolfnest.stage import Stage
from wolfnest.state import State


class Anchor(NamedTuple):
    """A snapshot: the inputs at iteration τ, the exact values and the exact gradient there."""

    inputs: tuple[PyTree, ...]
    values: tuple[PyTree, ...]
    gradient: PyTree


class Snapshot(AbstractEstimator):
    """Equations fs:u and fs:v: STORM whose target is `now - at_snapshot + exact_at_snapshot`.

    A snapshot is taken at t = 1 and whenever `t mod period = 0`; `period=None` is `⌈m/batch⌉`,
    one exact pass for every pass of samples.

    >>> Snapshot(period=50).period
    50
    """

    period: int | None = eqx.field(static=True, kw_only=True, default=None)
    pairing: Pairing = eqx.field(static=True, kw_only=True, default="paired")
    gradient_batch: GradientBatch = eqx.field(static=True, kw_only=True, default="shared")

    def __check_init__(self) -> None:
        if self.period is not None:
            _checks.whole("period", self.period)

    def init(self, composition: Composition, x: PyTree, batch: Any) -> Estimate:
        u = composition.exact_values(x)
        anchor = _anchor(composition, (x, *u[:-1]), u)
        return Estimate(u, anchor.gradient, anchor)

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        batches = self.split(composition, batch)
        due = (state.t + 1) % self.period_for(composition, stage.batch) == 0
        # One branch runs: the exact passes cost nothing in the iterations between snapshots.
        return jax.lax.cond(
            due, self._renewed, self._anchored, composition, state, x, batches, stage
        )

    def _anchored(self, composition, state, x, batches, stage) -> Estimate:
        """An update with the snapshot of an earlier iteration."""
        anchor: Anchor = state.memory
        values, gradient = batches

        def value_target(i: int, y: PyTree, now: PyTree) -> PyTree:
            at_snapshot = composition.levels[i].mean(anchor.inputs[i], values[i])
            return jax.tree.map(_shift, now, at_snapshot, anchor.values[i])

        def gradient_target(now: PyTree) -> PyTree:
            at_snapshot = composition.gradient(anchor.inputs, gradient, self.pairing)
            return jax.tree.map(_shift, now, at_snapshot, anchor.gradient)

        before, alpha = state.inputs, stage.alpha
        inputs, u = track_values(composition, x, state.u, before, values, alpha, value_target)
        v = track_gradient(
            composition, inputs, state.v, before, gradient, alpha, self.pairing, gradient_target
        )
        return Estimate(u, v, anchor)

    def _renewed(self, composition, state, x, batches, stage) -> Estimate:
        """An update that takes a snapshot: `at_snapshot = now`, so the targets are exact."""
        values, gradient = batches
        exact: list[PyTree] = []

        def value_target(i: int, y: PyTree, now: PyTree) -> PyTree:
            exact.append(_like(composition.levels[i].exact(y), state.u[i]))
            return exact[-1]

        before, alpha = state.inputs, stage.alpha
        inputs, u = track_values(composition, x, state.u, before, values, alpha, value_target)
        anchor = _anchor(composition, inputs, tuple(exact))
        v = track_gradient(
            composition, inputs, state.v, before, gradient, alpha, self.pairing,
            lambda now: anchor.gradient,
        )  # fmt: skip
        return Estimate(u, v, anchor)

    def begin_stage(self, composition: Composition, state: State) -> PyTree:
        values = tuple(
            level.exact(y) for level, y in zip(composition.levels, state.inputs, strict=True)
        )
        return _anchor(composition, state.inputs, values)

    def period_for(self, composition: Composition, batch_size: int) -> int:
        if self.period is not None:
            return self.period
        return math.ceil((composition.largest or 1) / batch_size)

    @property
    def exact_start(self) -> bool:
        return True

    def needs(self, composition: Composition) -> str | None:
        if composition.endless is None:
            return None
        return (
            f"level {composition.endless} is endless, and snapshots need exact passes: give it "
            "data, or take a method without snapshots (PMVR, PMM)"
        )

    def init_cost(self, composition: Composition, batch_size: int) -> Cost:
        return Cost(composition.rows, composition.rows)

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        period = self.period_for(composition, batch_size)
        taken = (t + steps) // period - t // period
        rest = self.batch_cost(composition, batch_size * (steps - taken), points=3)
        taking = self.batch_cost(composition, batch_size * taken, points=2)
        exact = taken * composition.rows
        return Cost(
            rest.samples + taking.samples + exact, rest.evaluations + taking.evaluations + exact
        )

    def stage_cost(self, composition: Composition) -> Cost:
        return Cost(composition.rows, composition.rows)


def _anchor(
    composition: Composition, inputs: tuple[PyTree, ...], values: tuple[PyTree, ...]
) -> Anchor:
    gradient = _like(composition.exact_gradient(inputs), inputs[0])
    return Anchor(inputs, values, gradient)


def _shift(now: Array, at_snapshot: Array, exact: Array) -> Array:
    return now - at_snapshot + exact


def _like(tree: PyTree, model: PyTree) -> PyTree:
    return jax.tree.map(lambda a, b: jnp.asarray(a, b.dtype), tree, model)
