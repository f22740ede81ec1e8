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
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.problems import risk as measures
from wolfnest.problems.risk.robust import tilted
from wolfnest.problems.risk.terms import Net
from wolfnest.stepsizes.line_search import secant

WEIGHTS, HEAT, THRESHOLD = "weights", "temperature", "threshold"
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
    return {**_best(_on_gains(problem, x)), WEIGHTS: x}


class _Profile(eqx.Module):
    """`g(x)`. Its slope is that of F with the other variables held where they are best."""

    problem: Problem

    def __call__(self, x: Row) -> Array:
        best = full_point(self.problem, jax.lax.stop_gradient(x))
        return self.problem.value({**best, WEIGHTS: x})


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


def _best(problem: Problem) -> dict[str, Array]:
    """The best of the variables beside the weight of the one asset, which is 1."""
    domain: Any = problem.domain
    ends = lambda name: [
        jnp.asarray(end, problem.dtype)
        for end in (domain.sets[name].lower, domain.sets[name].upper)
    ]
    low, high = ends(THRESHOLD)
    if HEAT in domain.sets:
        heat = _temperature(problem, *ends(HEAT))
        return {HEAT: heat, THRESHOLD: jnp.clip(tilted(problem, heat)[1], low, high)}

    def slope(way: Array) -> Array:
        point = {THRESHOLD: low + way, WEIGHTS: jnp.ones(1, problem.dtype)}
        inputs = (point, *problem.composition.exact_values(point)[:-1])
        return problem.composition.exact_gradient(inputs)[THRESHOLD]

    way, _ = secant(slope, slope(jnp.zeros_like(low)), high - low, FLAT)
    return {THRESHOLD: low + way}


def _temperature(problem: Problem, low: Array, high: Array) -> Array:
    """Where the divergence of the tilted distribution is κ. On logarithmic scales it falls about
    as a straight line does, so that a few secants find it."""
    least = jnp.finfo(low.dtype).tiny
    slope = lambda way: -jnp.log(jnp.maximum(tilted(problem, low * jnp.exp(way))[0], least))
    way, _ = secant(slope, slope(jnp.zeros_like(low)), jnp.log(high / low), FLAT)
    return low * jnp.exp(way)
