"""The three criteria of the paper, exact where the problem allows it.

Where a level is known only through its sampler, the criteria are those of a fixed sample of it,
and come with a standard error: the spread over disjoint groups of that sample.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.sets.base import AbstractSet

__all__ = ["Measured", "frank_wolfe_gap", "gradient_mapping", "objective", "optimal_gap"]

SAMPLES = 4096
GROUPS = 16
# The fixed sample on which problems with endless levels are measured stays below this size.
SAMPLE_BYTES = 1 << 28


class Measured(float):
    """A number with the standard error with which it was measured (0 for exact numbers).

    >>> gap = Measured(0.25, standard_error=0.01)
    >>> gap < 0.5, gap.standard_error, gap
    (True, 0.01, 0.25 ± 0.01)
    """

    standard_error: float

    def __new__(cls, value: Any, standard_error: Any = 0.0) -> Measured:
        self = super().__new__(cls, value)
        self.standard_error = float(standard_error)
        return self

    def __repr__(self) -> str:
        error = f" ± {self.standard_error:.2g}" if self.standard_error else ""
        return f"{float(self):.6g}{error}"


# ---- the criteria, as functions of the exact gradient ----------------------------------------


def gap_of(domain: AbstractSet, x: PyTree, gradient: PyTree) -> Array:
    """`max_{s ∈ X} <s - x, -∇F>`."""
    return pytrees.dot(gradient, pytrees.subtract(x, domain.lmo(gradient)))


def mapping_of(domain: AbstractSet, x: PyTree, gradient: PyTree, beta: Any) -> Array:
    """`||β (x - Π_X(x - ∇F/β))||²`."""
    ahead = jax.tree.map(lambda a, g: a - g / jnp.asarray(beta, g.dtype), x, gradient)
    moved = pytrees.subtract(x, domain.project(ahead))
    return pytrees.squared_norm(jax.tree.map(lambda a: jnp.asarray(beta, a.dtype) * a, moved))


def frank_wolfe_gap(
    problem: Problem, x: PyTree, *, samples: int = SAMPLES, key: PRNGKeyArray | int = 0
) -> Measured:
    """The Frank-Wolfe gap `max_{s ∈ X} <s - x, -∇F(x)>`: an upper bound of `F(x) - min F`
    where F is convex, and zero at stationary points in general.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> square = wn.Level(lambda x: jnp.sum(x**2))
    >>> wn.metrics.frank_wolfe_gap(wn.Problem([square], wn.sets.Simplex(2)), jnp.array([1.0, 0.0]))
    2
    """
    return _measure(problem, x, _gap, None, samples, key)


def gradient_mapping(
    problem: Problem,
    x: PyTree,
    beta: float = 1.0,
    *,
    samples: int = SAMPLES,
    key: PRNGKeyArray | int = 0,
) -> Measured:
    """The squared gradient mapping `||β (x - Π_X(x - ∇F(x)/β))||²`."""
    return _measure(problem, x, _mapping, checks.positive("beta", beta), samples, key)


def optimal_gap(
    problem: Problem,
    x: PyTree,
    best: Any,
    *,
    samples: int = SAMPLES,
    key: PRNGKeyArray | int = 0,
) -> Measured:
    """`F(x) - best`, where `best` is the smallest value of F on the set."""
    value = objective(problem, x, samples=samples, key=key)
    return Measured(value - float(best), value.standard_error)


def objective(
    problem: Problem, x: PyTree, *, samples: int = SAMPLES, key: PRNGKeyArray | int = 0
) -> Measured:
    """`F(x)`."""
    return _measure(problem, x, _objective, None, samples, key)


def _objective(problem: Problem, x: PyTree, _: Any) -> Array:
    return problem.composition.exact_values(x)[-1]


def _gap(problem: Problem, x: PyTree, _: Any) -> Array:
    return gap_of(problem.domain, x, problem.gradient(x))


def _mapping(problem: Problem, x: PyTree, beta: Any) -> Array:
    return mapping_of(problem.domain, x, problem.gradient(x), beta)


# ---- measuring on a sample -------------------------------------------------------------------


def evaluation_groups(problem: Problem, samples: int, key: PRNGKeyArray | int) -> list[Problem]:
    """The problem to evaluate on, and, where it is a sample, the same on disjoint groups of it.

    The first entry is `problem` itself where no level is endless.
    """
    if problem.composition.endless is None:
        return [problem]
    whole = problem.freeze(checks.whole("samples", samples, least=GROUPS), key)
    rows = samples // GROUPS

    part = lambda number: lambda a: a[number * rows : (number + 1) * rows]
    return [whole, *(on_part(problem, whole, part(number)) for number in range(GROUPS))]


def on_part(problem: Problem, frozen: Problem, take: Callable[[Array], Array]) -> Problem:
    """`problem` on the part that `take` picks of the samples with which it was frozen."""
    levels = tuple(
        Level(fixed.fn, jax.tree.map(take, fixed.data)) if level.kind == "endless" else level
        for level, fixed in zip(problem.levels, frozen.levels, strict=True)
    )
    return eqx.tree_at(lambda p: p.composition.levels, problem, levels)


def sample_size(problem: Problem) -> int:
    """As many evaluation samples as fit, at most the default."""
    fitting = SAMPLE_BYTES // problem.composition.sample_bytes
    return max(16 * GROUPS, min(fitting, SAMPLES))


def largest_sample(problem: Problem) -> int:
    """As many as samples may become that are too noisy to decide: 16 times the default, if they
    fit."""
    return min(16 * SAMPLES, 4 * SAMPLE_BYTES // problem.composition.sample_bytes)


def at_points(measure: Callable[[Any], Any], points: Any, several: bool) -> Any:
    """`measure` at one point, or at several along a leading axis: a few of them at a time, since
    exact passes for all at once could fill the memory."""
    return jax.lax.map(measure, points, batch_size=16) if several else measure(points)


def standard_error(values: np.ndarray) -> np.ndarray:
    """Of the criterion on the whole sample, from its values on the groups (leading axis)."""
    return (
        np.std(values, axis=0, ddof=1) / np.sqrt(len(values))
        if len(values) > 1
        else 0 * values.sum(0)
    )


def _measure(
    problem: Problem, x: PyTree, criterion: Callable, extra: Any, samples: int, key: Any
) -> Measured:
    x = problem.shaped(x)
    whole, *groups = evaluation_groups(problem, samples, key)
    value = _evaluate(criterion, whole, x, extra)
    spread = np.array([_evaluate(criterion, group, x, extra) for group in groups])
    return Measured(value, standard_error(spread))


@eqx.filter_jit
def _evaluate(criterion: Callable, problem: Problem, x: PyTree, extra: Any) -> Array:
    return criterion(problem, x, extra)
