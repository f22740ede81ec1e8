"""The minimum of a convex problem, from exact gradients and projections.

For reference values, such as the optimal gap needs them: the stochastic methods of this package
are for problems where passes over all data are too dear, this is for those where they are not.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.objective.problem import Problem

ROUND = 64  # steps per compiled call: between calls a run can be interrupted
ROUNDING = 4  # units in the last place by which a sum over data may be off
# Steps without progress that are granted: near the allowance for rounding, and elsewhere, where the
# gap of a badly conditioned problem goes up and down in long waves.
PATIENCE_NEAR, PATIENCE_FAR, NEAR = 256, 4096, 100


@dataclasses.dataclass(frozen=True)
class Minimum:
    """A minimiser `x`, its `value`, and how far off it can be: `value - gap ≤ min F ≤ value`.

    `gap` is the Frank-Wolfe gap plus an allowance for rounding. `reached` says whether it came down
    to the tolerance asked for, `steps` how many steps were taken.
    """

    x: PyTree
    value: float
    gap: float
    steps: int
    reached: bool


def minimum(problem: Problem, tol: float = 1e-9, most: int = 20_000) -> Minimum:
    """Minimise a convex `problem` without endless levels, over a set with a projection.

    Accelerated projected gradient with restarts, on exact gradients. It stops when the gap is at
    most `tol` times the larger of `|F|` and the gap at the start; or when rounding allows no less,
    which in float32 is at about 1e-6 (enable 64-bit floats for more); or after `most` steps.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> from wolfnest import problems
    >>> bowl = wn.Level(lambda x: jnp.sum((x - jnp.arange(3.0)) ** 2))
    >>> best = problems.minimum(wn.Problem([bowl], wn.sets.Simplex(3), convex=True), tol=1e-5)
    >>> print(best.x, round(best.value, 5), best.reached)
    [0. 0. 1.] 2.0 True
    """
    if problem.composition.endless is not None:
        raise ValueError(
            f"minimum needs exact values, but level {problem.composition.endless} of {problem!r} "
            "is known only through its sampler. Use minimum(problem.freeze(n)) for the minimum on "
            "a fixed sample of it."
        )
    if not problem.convex:
        raise ValueError(
            f"minimum needs a convex problem, and {problem!r} is not declared convex: a point "
            "without descent need not be its minimum. Declare it where you know it with "
            "wn.Problem(levels, domain, convex=True)."
        )
    tol, most = float(checks.positive("tol", tol)), checks.whole("most", most)
    state = _begin(problem)
    if not bool(jnp.isfinite(state.best_gap)):
        raise ValueError(
            f"the objective of {problem!r} or its gradient is not finite at the starting point of "
            f"the set (value {float(state.best_value):g}): check the levels there."
        )
    while not bool(_done(state, tol, most)):
        state = _advance(problem, state, tol, most)
    reached = bool(state.best_gap <= _target(state, tol))
    value, gap = float(state.best_value), float(state.best_gap)
    return Minimum(state.best_x, value, gap, int(state.steps), reached)


class _State(eqx.Module):
    """`x` and the extrapolated point `y`, and the best point so far."""

    x: PyTree
    y: PyTree
    momentum: Array  # t_k of Nesterov's sequence
    curvature: Array  # L: steps are of length 1/L
    steps: Array
    best_x: PyTree
    best_value: Array
    best_gap: Array
    rounding: Array  # of best_gap
    first_gap: Array
    mark: Array  # the gap that last counted as progress,
    marked: Array  # and the step at which that was
    failed: Array


def _target(state: _State, tol: Any) -> Array:
    return tol * jnp.maximum(jnp.abs(state.best_value), state.first_gap)


def _done(state: _State, tol: Any, most: Any) -> Array:
    near = state.best_gap < NEAR * state.rounding
    patience = jnp.where(near, PATIENCE_NEAR, jnp.maximum(PATIENCE_FAR, state.marked))
    stalled = state.steps - state.marked > patience
    reached = state.best_gap <= jnp.maximum(_target(state, tol), 2 * state.rounding)
    return reached | stalled | state.failed | (state.steps >= most)


def _at(problem: Problem, x: PyTree) -> tuple[Array, PyTree]:
    value, gradient = problem.value_and_gradient(x)
    return value.astype(problem.dtype), gradient


def _gap(problem: Problem, x: PyTree, value: Array, gradient: PyTree) -> tuple[Array, Array]:
    """The Frank-Wolfe gap, with what rounding may hide of it, and that part alone."""
    way = pytrees.subtract(x, problem.domain.lmo(gradient))
    size = pytrees.dot(*(jax.tree.map(jnp.abs, tree) for tree in (gradient, way))) + jnp.abs(value)
    rounding = ROUNDING * jnp.finfo(size.dtype).eps * size
    return jnp.maximum(pytrees.dot(gradient, way), 0) + rounding, rounding


@eqx.filter_jit
def _begin(problem: Problem) -> _State:
    x = problem.start()
    value, gradient = _at(problem, x)
    gap, rounding = _gap(problem, x, value, gradient)
    # A first step about as long as the way to the vertex; the test of each step corrects it.
    way = pytrees.squared_norm(pytrees.subtract(x, problem.domain.lmo(gradient)))
    curvature = jnp.sqrt(pytrees.squared_norm(gradient) / jnp.where(way > 0, way, 1))
    zero = jnp.zeros((), jnp.int32)
    return _State(
        x=x,
        y=x,
        momentum=jnp.ones_like(gap),
        curvature=jnp.where(curvature > 0, curvature, 1),
        steps=zero,
        best_x=x,
        best_value=value,
        best_gap=gap,
        rounding=rounding,
        first_gap=gap,
        mark=gap,
        marked=zero,
        failed=jnp.asarray(False),
    )


@eqx.filter_jit
def _advance(problem: Problem, state: _State, tol: Any, most: Any) -> _State:
    last = state.steps + ROUND
    return jax.lax.while_loop(
        lambda s: ~_done(s, tol, most) & (s.steps < last), lambda s: _step(problem, s), state
    )


def _step(problem: Problem, state: _State) -> _State:
    """One step of FISTA, with the gradient test for a restart (O'Donoghue and Candès 2015)."""
    _, gradient = _at(problem, state.y)

    def attempt(tried: tuple) -> tuple:
        curvature = 2 * tried[0]
        ahead = jax.tree.map(lambda a, g: a - g / curvature, state.y, gradient)
        x = problem.domain.project(ahead)
        value, slope = _at(problem, x)
        moved = pytrees.subtract(x, state.y)
        # For convex F this implies F(x) ≤ F(y) + <∇F(y), x - y> + L/2 ||x - y||². Differences of
        # values would drown in rounding long before the gap is small; these do not.
        bend = pytrees.dot(pytrees.subtract(slope, gradient), moved)
        too_long = bend > curvature / 2 * pytrees.squared_norm(moved)
        return curvature, x, value, slope, too_long & jnp.isfinite(curvature)

    none = (state.curvature / 2, state.x, state.best_value, gradient, jnp.asarray(True))
    curvature, x, value, slope, _ = jax.lax.while_loop(lambda tried: tried[-1], attempt, none)
    gap, rounding = _gap(problem, x, value, slope)

    step = pytrees.subtract(x, state.x)
    overshot = pytrees.dot(pytrees.subtract(state.y, x), step) > 0
    momentum = (1 + jnp.sqrt(1 + 4 * state.momentum**2)) / 2
    pace = jnp.where(overshot, 0, (state.momentum - 1) / momentum)
    y = jax.tree.map(lambda a, b: a + pace * b, x, step)

    steps, better, progress = state.steps + 1, gap < state.best_gap, gap < 0.9 * state.mark
    keep = lambda new, old: jax.tree.map(lambda a, b: jnp.where(better, a, b), new, old)
    return _State(
        x=x,
        y=y,
        momentum=jnp.where(overshot, 1, momentum),
        curvature=jnp.where(overshot, curvature / 2, curvature),  # it may be smaller here
        steps=steps,
        best_x=keep(x, state.best_x),
        best_value=keep(value, state.best_value),
        best_gap=keep(gap, state.best_gap),
        rounding=keep(rounding, state.rounding),
        first_gap=state.first_gap,
        mark=jnp.where(progress, gap, state.mark),
        marked=jnp.where(progress, steps, state.marked),
        failed=~jnp.isfinite(gap),
    )
