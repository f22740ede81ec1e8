"""Frank-Wolfe on full gradients: what there is to do without sampling."""

from __future__ import annotations

import math
import time
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array

from wolfnest import metrics
from wolfnest.experiments.posing import Posed
from wolfnest.problem import Problem

TOLERANCE = 1e-6
MOST_ITERATIONS = 1_000
SEARCHES = 30  # evaluations in a line search, at most
SLOPE = 1e-4  # relative to that at its start, where a line search ends
Row = dict[str, Any]


def row_of(posed: Posed, x: Any, **facts: Any) -> Row:
    """The criteria at a solution, beside what is known about how it was found."""
    objective = float(posed.problem.value(x))
    return {
        "solver_time": math.nan,
        "iterations": None,
        "note": "",
        "objective": objective,
        "optimal_gap": objective - posed.best,
        "frank_wolfe_gap": float(metrics.frank_wolfe_gap(posed.problem, x)),
        **facts,
    }


def frank_wolfe(posed: Posed, pairwise: bool = False) -> Row:
    """Full gradients and a line search, until the value is within `TOLERANCE` of the minimum
    (relative), or where that is unknown, the Frank-Wolfe gap of the first one.

    `pairwise` moves weight from the worst vertex in use to the best one: on a simplex these are
    the coordinates.
    """
    target = jnp.asarray(posed.best + TOLERANCE * abs(posed.best))
    solve = lambda most: jax.block_until_ready(
        _descend(posed.problem, posed.x0, target, jnp.asarray(most), pairwise)
    )
    solve(0)  # compiles
    start = time.perf_counter()
    x, iterations, reached = solve(MOST_ITERATIONS)
    seconds = time.perf_counter() - start
    what = "the optimal gap" if math.isfinite(posed.best) else "the Frank-Wolfe gap"
    ending = f"{what} is below {TOLERANCE:g} (relative)"
    if not reached:
        ending = f"stopped after {MOST_ITERATIONS:,} iterations"
    name = "pairwise Frank-Wolfe" if pairwise else "exact Frank-Wolfe"
    return row_of(posed, x, solver=name, time=seconds, iterations=int(iterations), note=ending)


@eqx.filter_jit
def _descend(
    problem: Problem, x0: Array, target: Array, most: Array, pairwise: bool
) -> tuple[Array, Array, Array]:
    """The point, the iterations made, and whether the target was reached."""

    def look(x: Array) -> tuple[Array, Array, Array, Array, Array]:
        value, gradient = problem.value_and_gradient(x)
        vertex = problem.domain.lmo(gradient)
        gap = jnp.vdot(gradient, x - vertex)
        if not pairwise:
            return value, gap, vertex - x, jnp.ones_like(gap), gradient
        worst = jnp.argmax(jnp.where(x > 0, gradient, -jnp.inf))
        away = jnp.zeros_like(x).at[worst].set(jnp.sum(x0))
        return value, gap, vertex - away, x[worst] / jnp.sum(x0), gradient

    def done(value: Array, gap: Array) -> Array:
        return jnp.where(jnp.isnan(target), gap <= TOLERANCE * first_gap, value <= target)

    def step(carry: Any) -> Any:
        x, n, _ = carry
        value, gap, way, longest, _ = look(x)
        reached = done(value, gap)
        length = jnp.where(reached, 0, _line_search(problem, x, way, longest))
        moved = jnp.where(length > 0, x + length * way, x)
        if pairwise:
            moved = jnp.maximum(moved, 0)
        return moved, n + 1, reached

    first_gap = look(x0)[1]
    unfinished = lambda carry: ~carry[2] & (carry[1] <= most)
    x, n, reached = jax.lax.while_loop(unfinished, step, (x0, jnp.int32(0), jnp.asarray(False)))
    return x, n - 1, reached


def _line_search(problem: Problem, x: Array, way: Array, longest: Array) -> Array:
    """Where the slope along `way` vanishes in [0, longest]: regula falsi, the Illinois way."""
    slope = lambda length: jnp.vdot(problem.gradient(x + length * way), way)
    first, last = slope(jnp.zeros_like(longest)), slope(longest)

    def narrow(carry: Any) -> Any:
        a, slope_a, b, slope_b, n, _ = carry
        middle = jnp.clip(b - slope_b * (b - a) / (slope_b - slope_a), a, b)
        found = slope(middle)
        left = found < 0
        # The end that stays counts half, so that both ends move.
        ends = (
            jnp.where(left, middle, a),
            jnp.where(left, found, slope_a / 2),
            jnp.where(left, b, middle),
            jnp.where(left, slope_b / 2, found),
        )
        return *ends, n + 1, jnp.abs(found) <= SLOPE * jnp.abs(first)

    def search() -> Array:
        begin = (jnp.zeros_like(longest), first, longest, last, 0, jnp.asarray(False))
        unsure = lambda carry: ~carry[5] & (carry[4] < SEARCHES)
        a, slope_a, b, slope_b, *_ = jax.lax.while_loop(unsure, narrow, begin)
        return jnp.where(jnp.abs(slope_a) < jnp.abs(slope_b), a, b)

    return jax.lax.cond(last <= 0, lambda: longest, search)
