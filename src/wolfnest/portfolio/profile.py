"""Problems whose measure has variables of its own, as problems in the weights alone.

CVaR and its kin are minima over a threshold. Frank-Wolfe steps over weights and threshold together
are slow: a vertex has the threshold at an end of its range. Here it is minimised over at every
point instead,

    g(x) = min_τ F(x, τ),    ∇g(x) = ∇_x F(x, τ(x)),

which costs little: F depends on x through the returns r·x, so that one product of the table with x
is enough for the whole search.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from wolfnest import sets
from wolfnest.level import Level
from wolfnest.problem import Problem
from wolfnest.problems import risk as measures
from wolfnest.problems.risk.terms import Net
from wolfnest.stepsizes.search import secant

WEIGHTS = "weights"
FLAT = 1e-9  # a search ends where the slope is this share of the one at the end of the range
Row = Float[Array, " d"]


def in_weights(problem: Problem) -> Problem:
    """The problem in the weights alone; itself, where it has no other variables.

    >>> from wolfnest import datasets
    >>> tail = measures.problem("cvar", datasets.factor_model(500, 3))
    >>> alone = in_weights(tail)
    >>> type(alone.domain).__name__, float(alone.value(jnp.ones(3) / 3)) <= float(
    ...     tail.value(tail.start()))
    ('Simplex', True)
    """
    if not isinstance(problem.domain, sets.Product):
        return problem
    domain = problem.domain.sets[WEIGHTS]
    return Problem([Level(_Profile(problem))], domain, convex=problem.convex)


def with_risk(problem: Problem, value: Any) -> Problem:
    """`measures.with_risk` for a problem of `in_weights`."""
    profile = problem.levels[0].fn
    if not isinstance(profile, _Profile):
        return measures.with_risk(problem, value)
    changed = measures.with_risk(profile.problem, value)
    return eqx.tree_at(lambda p: p.composition.levels[0].fn.problem, problem, changed)


@eqx.filter_jit
def full_point(problem: Problem, x: Row) -> PyTree:
    """The point of the whole problem: the weights, with the best of the other variables."""
    if not isinstance(problem.domain, sets.Product):
        return x
    gains = _on_gains(problem, x)
    return {**_best(gains, _ranges(problem), {}), WEIGHTS: x}


class _Profile(eqx.Module):
    """`g(x)`, with its gradient."""

    problem: Problem

    def __call__(self, x: Row) -> Array:
        return _least(x, self.problem)


@eqx.filter_custom_vjp
def _least(x: Row, problem: Problem) -> Array:
    return problem.value(full_point(problem, x))


@_least.def_fwd
def _forward(perturbed: Any, x: Row, problem: Problem) -> tuple[Array, Row]:
    value, gradient = problem.value_and_gradient(full_point(problem, x))
    return value, gradient[WEIGHTS]


@_least.def_bwd
def _backward(gradient: Row, cotangent: Array, perturbed: Any, x: Row, problem: Problem) -> Row:
    return cotangent * gradient


# ---- the search ------------------------------------------------------------------------------


def _on_gains(problem: Problem, x: Row) -> Problem:
    """The problem of the one asset that is the portfolio x. Its costs are fixed, and left out."""

    def earned(level: Level) -> Level:
        if level.data is None:
            return level
        table, *rest = level.data if isinstance(level.data, tuple) else (level.data,)
        gains = (table @ x)[:, None]
        return eqx.tree_at(lambda one: one.data, level, (gains, *rest) if rest else gains)

    plain = lambda node: Net(node.reward, None) if isinstance(node, Net) else node
    levels = tuple(earned(level) for level in problem.levels)
    levels = jax.tree.map(plain, levels, is_leaf=lambda node: isinstance(node, Net))
    return eqx.tree_at(lambda p: p.composition.levels, problem, levels)


def _ranges(problem: Problem) -> dict[str, tuple[Array, Array]]:
    domain: Any = problem.domain
    boxes = {name: part for name, part in domain.sets.items() if name != WEIGHTS}
    number = lambda value: jnp.asarray(value, problem.dtype)
    return {name: (number(b.lower), number(b.upper)) for name, b in boxes.items()}


def _best(
    problem: Problem, ranges: dict[str, tuple[Array, Array]], fixed: dict[str, Array]
) -> dict[str, Array]:
    """The minimiser over the variables in `ranges`, one inside the other, others being `fixed`."""
    if not ranges:
        return fixed
    (name, (low, high)), *rest = ranges.items()

    def slope(way: Array) -> Array:
        point = _best(problem, dict(rest), {**fixed, name: low + way})
        values = {**point, WEIGHTS: jnp.ones(1, problem.dtype)}
        inputs = (values, *problem.composition.exact_values(values)[:-1])
        return problem.composition.exact_gradient(inputs)[name]

    way, _ = secant(slope, slope(jnp.zeros_like(low)), high - low, FLAT)
    return _best(problem, dict(rest), {**fixed, name: low + way})
