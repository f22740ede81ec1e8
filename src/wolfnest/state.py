"""The state of a run: a point and what is known about the objective there."""

from __future__ import annotations

import equinox as eqx
from jaxtyping import Array, Bool, Int32, PyTree

from wolfnest.common import pytrees


class Ahead(eqx.Module):
    """What accelerated methods keep beside their output: the centre of their prox steps, and the
    point between the two at which the objective was estimated."""

    centre: PyTree
    point: PyTree


class State(eqx.Module):
    """`(x_t, u_t, v_t)` of the paper; the three always belong to the same iteration `t`."""

    x: PyTree
    u: tuple[PyTree, ...]
    """Tracked values, one per level; `u[-1]` is a running estimate of `F` at `inputs[0]`."""
    v: PyTree
    """Tracked gradient of `F` at `x`."""
    t: Int32[Array, ""]
    """Iteration number within the stage, from 1."""
    k: Int32[Array, ""]
    """Number of the next step, from 1, counted through all stages."""
    memory: PyTree
    """What the estimator keeps beside `u` and `v` (a snapshot, Jacobians)."""
    guess: PyTree
    """Where the set's oracle starts its next call, if it is an iteration."""
    rest: PyTree
    """What rounding has kept back from `x`; the next move adds it."""
    ahead: Ahead | None
    """None, but for accelerated methods: they estimate `u` and `v` at `ahead.point`."""
    active: PyTree = None
    """The vertices that `x` is made of, or that were met, where the direction keeps them."""
    search: PyTree = None
    """What the step-size rule remembers."""

    @property
    def inputs(self) -> tuple[PyTree, ...]:
        """`(u^0, …, u^{K-1})` with `u^0 = x`: the points at which the levels are evaluated."""
        return (self.x if self.ahead is None else self.ahead.point, *self.u[:-1])

    @property
    def finite(self) -> Bool[Array, ""]:
        """Whether `x`, `u` and `v` are."""
        return pytrees.all_finite((self.x, self.u, self.v))
