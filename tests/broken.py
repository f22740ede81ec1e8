"""Wrong variants of methods: one sign turned or one term dropped, to see that bounds notice.

A correction that is merely dropped often costs less than the noise of a small batch hides; the
comparison with the NumPy reference notices those.
"""

import dataclasses

import jax
import jax.numpy as jnp

from wolfnest import directions, estimators
from wolfnest.common import pytrees
from wolfnest.directions.inner import inner_frank_wolfe
from wolfnest.estimators.base import Estimate
from wolfnest.estimators.recursion import combine, track_values


def flipped(state):
    return dataclasses.replace(state, v=jax.tree.map(jnp.negative, state.v))


def away(old, new):
    """`old - (new - old)`: a correction with the wrong sign."""
    return jax.tree.map(lambda a, b: 2 * a - b, old, new)


class DecayingProjectedUphill(directions.DecayingProjected):
    def target(self, domain, state, stage):
        return super().target(domain, flipped(state), stage)


class LinearisedBackwards(estimators.Linearised):
    def update(self, composition, state, x, batch, stage):
        values, gradient = self.split(composition, batch)
        y, u = x, []
        for level, before, prev, samples in zip(
            composition.levels, state.inputs, state.u, values, strict=True
        ):
            now, moved = level.push_mean(before, samples, pytrees.subtract(before, y))
            y = jax.tree.map(jnp.add, combine(prev, now, None, stage.alpha), moved)
            u.append(y)
        fresh = composition.gradient(state.inputs, gradient, self.pairing)
        return Estimate(tuple(u), combine(state.v, fresh, None, stage.alpha))


class StormValuesBackwards(estimators.StormValues):
    def update(self, composition, state, x, batch, stage):
        values, gradient = self.split(composition, batch)
        y, inputs, u = x, [], []
        for i, level in enumerate(composition.levels):
            now, before = level.mean(y, values[i]), level.mean(state.inputs[i], values[i])
            inputs.append(y)
            y = combine(state.u[i], now, pytrees.subtract(before, now), stage.alpha)
            u.append(y)
        return Estimate(tuple(u), composition.gradient(tuple(inputs), gradient, self.pairing))


class StormJacobiansBackwards(estimators.StormJacobians):
    """The correction of the Jacobians with the wrong sign."""

    def update(self, composition, state, x, batch, stage):
        right = super().update(composition, state, x, batch, stage)
        dense = away_each(state.memory, right.memory)
        return self._estimate(composition, (x, *right.u[:-1]), right.u, dense)


class NestedSpiderBackwards(estimators.NestedSpider):
    """Differences of Jacobians with the wrong sign."""

    def differences(self, composition, state, x, batch):
        right = super().differences(composition, state, x, batch)
        dense = away_each(state.memory, right.memory)
        inputs = (x, *right.u[:-1])
        return Estimate(right.u, estimators.jacobians.chain(composition, inputs, dense), dense)


def away_each(old, new):
    return tuple(None if a is None else away(a, b) for a, b in zip(old, new, strict=True))


class SpiderBackwards(estimators.Spider):
    def differences(self, composition, state, x, batch):
        right = super().differences(composition, state, x, batch)
        return Estimate(right.u, away(state.v, right.v))


class StormBackwards(estimators.Storm):
    """The correction of the gradient with the wrong sign."""

    def update(self, composition, state, x, batch, stage):
        samples, before = self.split(composition, batch)[0], state.inputs
        inputs, u = track_values(composition, x, state.u, before, samples, stage.alpha)
        now = composition.gradient(inputs, samples, self.pairing)
        change = pytrees.subtract(composition.gradient(before, samples, self.pairing), now)
        return Estimate(u, combine(state.v, now, change, stage.alpha))


class SvrgWithoutAnchor(estimators.Svrg):
    """Drops the exact gradient at the snapshot between snapshots."""

    def update(self, composition, state, x, batch, stage):
        right = super().update(composition, state, x, batch, stage)
        wrong = pytrees.subtract(right.v, state.memory.gradient)
        due = self.due(composition, state.t + 1, stage.batch)
        v = jax.tree.map(lambda ours, other: jnp.where(due, ours, other), right.v, wrong)
        return Estimate(right.u, v, right.memory)


class InnerFrankWolfeWithoutProx(directions.InnerFrankWolfe):
    """Drops `β (w - x)`: the inner iteration runs to the vertex."""

    def target(self, domain, state, stage):
        return inner_frank_wolfe(
            domain, state.v, state.x, state.guess, beta=1e-9, steps=stage.inner, rule=self.rule
        )


def uphill(direction):
    """A direction that takes the gradient with the wrong sign."""

    class Uphill(direction):
        def move(self, domain, state, stage, length):
            return super().move(domain, flipped(state), stage, length)

    return Uphill


# Which part of a method is replaced, by what, and the problem on which that must be noticed.
BROKEN = {
    "A-TSCGD": ("direction", DecayingProjectedUphill, "convex, K = 2"),
    "NLASG": ("estimator", LinearisedBackwards, "strongly convex, K = 2"),
    "LiNASA+ICG": ("estimator", LinearisedBackwards, "strongly convex, K = 2"),
    "SCSC": ("estimator", StormValuesBackwards, "strongly convex, K = 2"),
    "SMVR": ("estimator", StormJacobiansBackwards, "strongly convex, K = 2"),
    "Nested-SPIDER": ("estimator", NestedSpiderBackwards, "matrix, K = 1"),
    "1-SFW": ("estimator", StormBackwards, "convex, K = 1"),
    "SPIDER-FW": ("estimator", SpiderBackwards, "convex, K = 1"),
    "SVFW": ("estimator", SvrgWithoutAnchor, "convex, K = 1"),
    "NCGS": ("direction", uphill(directions.NonconvexSliding), "convex, K = 1"),
    "SGD+ICG": ("direction", InnerFrankWolfeWithoutProx, "matrix, K = 1"),
    "SCGS": ("direction", uphill(directions.Sliding), "convex, K = 1"),
    "FW": ("direction", uphill(directions.LMO), "convex, K = 1"),
    "AFW": ("direction", uphill(directions.AwayStep), "convex, K = 2"),
    "PFW": ("direction", uphill(directions.Pairwise), "convex, K = 2"),
    "BPFW": ("direction", uphill(directions.BlendedPairwise), "convex, K = 2"),
    "LazyFW": ("direction", uphill(directions.Lazified), "convex, K = 1"),
    "GrowSPG": ("direction", uphill(directions.SpectralProjected), "convex, K = 2"),
    "GrowPFW": ("direction", uphill(directions.Pairwise), "convex, K = 2"),
    "BCFW": ("direction", uphill(directions.BlockLMO), "convex, K = 1"),
}


def broken(name, solver):
    """The solver with one part replaced by its wrong variant, which has the same fields."""
    role, variant, _ = BROKEN[name]
    part = getattr(solver, role)
    wrong = object.__new__(variant)
    for field in dataclasses.fields(part):
        object.__setattr__(wrong, field.name, getattr(part, field.name))
    return dataclasses.replace(solver, **{role: wrong})
