"""Methods that track the Jacobian of every level, and multiply what they have tracked.

A level with samples keeps its Jacobian as a dense array: `inputs × outputs` numbers, which is
`d (d+1)` for a level that passes a point of length d on beside a number. A level without samples
keeps nothing: its Jacobian at the present input is exact, and serves as an operator.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, PyTree

from wolfnest.common import checks
from wolfnest.estimators.base import Cost, Estimate
from wolfnest.estimators.batches import GradientBatch, SampledEstimator
from wolfnest.estimators.epochs import EpochEstimator
from wolfnest.estimators.recursion import Inputs, batch_values, combine, track_values
from wolfnest.objective.composition import Batch, Composition
from wolfnest.objective.level import Level
from wolfnest.schedules.stage import Stage
from wolfnest.state import State

Jacobians = tuple[Array | None, ...]


def chain(composition: Composition, inputs: Inputs, jacobians: Jacobians) -> PyTree:
    """`V¹ V² ⋯ V^K`, in the form of a point; None stands for the level's own Jacobian."""
    cotangent: PyTree = jnp.ones((), ravel_pytree(inputs)[0].dtype)
    for level, y, jacobian in reversed(
        list(zip(composition.levels, inputs, jacobians, strict=True))
    ):
        if jacobian is None:
            cotangent = level.pull_mean(y, None, cotangent)
        else:
            unravel = ravel_pytree(y)[1]
            cotangent = unravel(jacobian @ ravel_pytree(cotangent)[0].astype(jacobian.dtype))
    return cotangent


def track_jacobians(
    composition: Composition,
    prev: Jacobians,
    inputs: Inputs,
    before: Inputs,
    batch: Batch,
    alpha: Any,
) -> Jacobians:
    """The STORM recursion for every Jacobian that is kept; α = 0 is SPIDER's."""

    def one(
        level: Level, old: Array | None, y: PyTree, earlier: PyTree, samples: PyTree
    ) -> Array | None:
        if old is None:
            return None
        now = level.jacobian(y, samples)
        return combine(old, now, now - level.jacobian(earlier, samples), alpha)

    together = zip(composition.levels, prev, inputs, before, batch, strict=True)
    return tuple(one(*parts) for parts in together)


class StormJacobians(SampledEstimator):
    """SMVR: values and per-level Jacobians by STORM, `v = V¹ ⋯ V^K`.

    Jiang, Wang, Wang, Zhang and Yang, "Optimal algorithms for stochastic multi-level
    compositional optimization", 2022. With `clip` every Jacobian is scaled back to that Frobenius
    norm (the constant L_f of the paper); levels without samples are then kept dense, too.

    >>> StormJacobians(clip=10.0).clip
    array(10.)
    """

    clip: Any
    gradient_batch: GradientBatch = eqx.field(static=True)

    def __init__(
        self, *, clip: float | None = None, gradient_batch: GradientBatch = "shared"
    ) -> None:
        self.clip = None if clip is None else checks.positive("clip", clip)
        self.gradient_batch = gradient_batch

    def init(self, composition: Composition, x: PyTree, batch: Any) -> Estimate:
        values, gradient = self.split(composition, batch)
        inputs, u = batch_values(composition, x, values)
        dense = tuple(
            None if samples is None and self.clip is None else level.jacobian(y, samples)
            for level, y, samples in zip(composition.levels, inputs, gradient, strict=True)
        )
        return self._estimate(composition, inputs, u, dense)

    def update(
        self, composition: Composition, state: State, x: PyTree, batch: Any, stage: Stage
    ) -> Estimate:
        values, gradient = self.split(composition, batch)
        before, alpha = state.inputs, stage.alpha
        inputs, u = track_values(composition, x, state.u, before, values, alpha)
        tracked = track_jacobians(composition, state.memory, inputs, before, gradient, alpha)
        return self._estimate(composition, inputs, u, tracked)

    def _estimate(
        self, composition: Composition, inputs: Inputs, u: Any, dense: Jacobians
    ) -> Estimate:
        if self.clip is not None:
            dense = jax.tree.map(self._clipped, dense)
        return Estimate(u, chain(composition, inputs, dense), dense)

    def _clipped(self, jacobian: Array) -> Array:
        most, norm = jnp.asarray(self.clip, jacobian.dtype), jnp.linalg.norm(jacobian)
        return jnp.where(norm > most, most / norm, 1) * jacobian

    def begin_stage(self, composition: Composition, state: State) -> Estimate:
        return Estimate(state.u, state.v, state.memory)

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        return self.cost(composition, batch_size * steps, points=2)


class NestedSpider(EpochEstimator):
    """Nested-SPIDER: values and per-level Jacobians by SPIDER, `v = Z¹ ⋯ Z^K`.

    Zhang and Xiao, "Multilevel composite stochastic optimization via nested variance reduction",
    2021; reconstructed from its description. See `EpochEstimator` for epochs.

    >>> NestedSpider(epoch=20, large_batch=1000).large_batch
    1000
    """

    epoch: int | None = eqx.field(static=True, kw_only=True, default=None)
    large_batch: int | None = eqx.field(static=True, kw_only=True, default=None)

    def exact(self, composition: Composition, x: PyTree) -> Estimate:
        u = composition.exact_values(x)
        inputs = (x, *u[:-1])
        dense = tuple(
            None if level.kind == "deterministic" else level.exact_jacobian(y)
            for level, y in zip(composition.levels, inputs, strict=True)
        )
        return Estimate(u, chain(composition, inputs, dense), dense)

    def sampled(self, composition: Composition, x: PyTree, batch: Batch) -> Estimate:
        inputs, u = batch_values(composition, x, batch)
        dense = tuple(
            None if samples is None else level.jacobian(y, samples)
            for level, y, samples in zip(composition.levels, inputs, batch, strict=True)
        )
        return Estimate(u, chain(composition, inputs, dense), dense)

    def differences(
        self, composition: Composition, state: State, x: PyTree, batch: Batch
    ) -> Estimate:
        before = state.inputs
        inputs, u = track_values(composition, x, state.u, before, batch, 0.0)
        dense = track_jacobians(composition, state.memory, inputs, before, batch, 0.0)
        return Estimate(u, chain(composition, inputs, dense), dense)
