"""How far a point is from the minimum of a convex problem, at most.

For convex F the tangent at x lies below F everywhere, so that on the set

    F(x) - min F ≤ max_{s ∈ X} <∇F(x), x - s>,

the Frank-Wolfe gap: one exact pass and one oracle call certify a point, wherever it came from.
Where F is only sampled, so is the gap, and the bound holds with a stated confidence.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, PRNGKeyArray, PyTree

from wolfnest import metrics
from wolfnest.common import checks, confidence, pytrees
from wolfnest.objective.problem import Problem, as_key
from wolfnest.sets.approximate import Approximate
from wolfnest.sets.base import AbstractSet, IterativeSet

Number = float | np.ndarray

# What the sums of an exact pass may lose, in units of the last place of the objective.
ROUNDING = 16
# The key of the sample that a certificate draws: no run should have seen it.
FRESH = 271_828_182


@dataclasses.dataclass(frozen=True)
class Certificate:
    """`F(x) - min F ≤ bound`; of several points (seeds), arrays with one entry for each.

    - `kind`: "duality gap", which is certain up to rounding, or "confidence", which fails for one
      sample in `1 / (1 - level)` at most;
    - `value`: `F(x)`; `lower`: `min F` is at least this (with the same confidence);
    - `distance`: a bound on `‖x - argmin F‖` for feasible `x`, where the modulus of strong
      convexity is known;
    - `samples`: the size of the sample behind a confidence bound.

    >>> Certificate("duality gap", value=2.0, bound=0.5, lower=1.5)
    Certificate(within 0.5 of the minimum)
    """

    kind: Literal["duality gap", "confidence"]
    value: Number
    bound: Number
    lower: Number
    distance: Number | None = None
    level: float | None = None
    samples: int | None = None

    @property
    def relative(self) -> Number:
        """A bound on `(F(x) - min F) / |min F|`; infinite where min F may be zero."""
        value, lower = np.asarray(self.value), np.asarray(self.lower)
        least = np.where(value * lower > 0, np.minimum(abs(value), abs(lower)), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return _plain(np.where(self.bound == 0, 0.0, np.asarray(self.bound) / least))

    def __str__(self) -> str:
        worst = float(np.max(self.bound))
        if not np.isfinite(worst):
            return "no bound on the distance from the minimum"
        seeds = f" (worst of {np.size(self.bound)})" if np.ndim(self.bound) else ""
        sure = "" if self.level is None else f" with {100 * self.level:g} % confidence"
        return f"within {_rounded_up(worst):.2g} of the minimum{seeds}{sure}"

    def __repr__(self) -> str:
        return f"Certificate({self})"


def certify(
    problem: Problem,
    x: PyTree,
    *,
    level: float = 0.95,
    samples: int | None = None,
    key: PRNGKeyArray | int = FRESH,
) -> Certificate | None:
    """A bound on `F(x) - min F`; None where the problem is not said to be convex.

    `x` is a point, feasible or not, or several along a leading axis. What an iterative oracle may
    miss by its tolerance is part of the bound, and so is the stated accuracy of an approximate
    one and rounding of the size of F; a solver on the host and a user's oracle count as exact.

    Where a level is endless, the gap is measured on `samples` fresh samples per level (4,096, if
    they fit), and the bound is one-sided at `level`: Student's quantile times the spread of
    `<∇F(x), x - s>` over groups of the sample, for the `s` that makes it largest. The vertices
    that the groups name are candidates, too: the best one may be hidden by noise. A nested
    objective also has a bias of order 1/samples, either way. It is estimated from the groups, and
    added where it works against the bound.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> square = wn.Level(lambda x: jnp.sum(x**2))
    >>> problem = wn.Problem([square], wn.sets.Simplex(2), convex=True)
    >>> certify(problem, jnp.array([0.75, 0.25]))
    Certificate(within 0.76 of the minimum)
    """
    if not problem.convex:
        return None
    ahead = jnp.ndim(jax.tree.leaves(x)[0]) - jax.tree.leaves(jax.eval_shape(problem.start))[0].ndim
    if problem.composition.endless is None:
        value, gap, slack = map(_plain, _exact(problem, x, ahead == 1))
        return _from_gap(problem, value, gap, slack)
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}.")
    size = metrics.sample_size(problem) if samples is None else samples
    size = checks.whole("samples", size, least=2 * metrics.GROUPS)
    values, slopes, slack = map(_plain, _sampled(problem, x, as_key(key), size, ahead == 1))
    value, gap = _plain(values[..., 0]), _plain(slopes[..., 0, 0])
    slack = slack + _rounding(problem, value, gap)
    bound = np.maximum(_largest(slopes, level), 0) + slack
    lower = -_largest(slopes - values[..., None, :], level) - slack
    distance = _distance(problem, bound)
    return Certificate("confidence", value, _plain(bound), _plain(lower), distance, level, size)


def from_record(problem: Problem, value: Any, gap: Any) -> Certificate | None:
    """The certificate of an exact value and gap that were measured already; None where they do
    not say enough (no convexity, samples, an oracle with a tolerance)."""
    sampled = problem.composition.endless is not None
    if not problem.convex or sampled or _inaccuracy(problem.domain, problem.dtype) is not None:
        return None
    return _from_gap(problem, _plain(value), _plain(gap), 0.0)


def _from_gap(problem: Problem, value: Number, gap: Number, slack: Number) -> Certificate:
    bound = np.maximum(gap, 0) + slack + _rounding(problem, value, gap)
    distance = _distance(problem, bound)
    return Certificate("duality gap", value, _plain(bound), _plain(value - bound), distance)


def _rounding(problem: Problem, value: Number, gap: Number) -> Number:
    return ROUNDING * float(jnp.finfo(problem.dtype).eps) * (np.abs(value) + np.abs(gap))


def _distance(problem: Problem, bound: Number) -> Number | None:
    """`μ ‖x - x*‖² ≤ gap`: half of it from the minimum, half from the tangent at x."""
    if problem.strong_convexity is None:
        return None
    return _plain(np.sqrt(bound / np.asarray(problem.strong_convexity)))


# ---- measuring -------------------------------------------------------------------------------


def _measure(problem: Problem, x: PyTree) -> tuple[Array, Array, Array, Array]:
    """`F(x)`; its gradient and the oracle's answer, both flat; by how much that may miss."""
    value, gradient = problem.value_and_gradient(problem.shaped(x))
    vertex, slope = (ravel_pytree(tree)[0] for tree in (problem.domain.lmo(gradient), gradient))
    missed = _inaccuracy(problem.domain, slope.dtype)
    if missed is None:
        return value, slope, vertex, jnp.zeros_like(value)
    size = jnp.asarray(problem.domain.diameter, slope.dtype)
    return value, slope, vertex, missed * size * jnp.linalg.norm(slope)


def _inaccuracy(domain: AbstractSet, dtype: Any) -> Array | None:
    """What the oracle of a set may miss in units of diameter times `‖∇F‖`; None if it is exact.

    Inside a product the largest one counts: `Σ tol_j D_j ‖g_j‖` is at most that times the diameter
    and the norm of the whole (Cauchy-Schwarz).
    """
    within = lambda node: node is not domain and isinstance(node, AbstractSet)
    parts = [part for part in jax.tree.leaves(domain, is_leaf=within) if within(part)]
    found = [missed for part in parts if (missed := _inaccuracy(part, dtype)) is not None]
    inside = jnp.max(jnp.stack(found)) if found else None
    if isinstance(domain, Approximate):
        own = domain.accuracy
    elif isinstance(domain, IterativeSet) and hasattr(domain, "tol"):
        tol = domain.tol  # type: ignore[attr-defined]
        own = float(jnp.finfo(dtype).eps) ** (2 / 3) if tol is None else tol
    else:
        return inside
    return jnp.asarray(own, dtype) + (0 if inside is None else inside)


@eqx.filter_jit
def _exact(problem: Problem, x: PyTree, many: bool) -> tuple[Array, Array, Array]:
    def gap(point: PyTree) -> tuple[Array, Array, Array]:
        value, slope, vertex, missed = _measure(problem, point)
        return value, pytrees.dot(slope, ravel_pytree(point)[0] - vertex), missed

    return metrics.at_points(gap, x, many)


@eqx.filter_jit
def _sampled(
    problem: Problem, x: PyTree, key: PRNGKeyArray, samples: int, many: bool
) -> tuple[Array, Array, Array]:
    """`F(x)`, and `<∇F(x), x - s>` in row s and column g, where g is a fresh sample or one of its
    disjoint groups, and s the vertex that such a g names; the samples as a whole come first."""
    whole, rows = problem.freeze(samples, key), samples // metrics.GROUPS

    def group(number: Array) -> Problem:
        part = lambda a: jax.lax.dynamic_slice_in_dim(a, number * rows, rows)
        return metrics.on_part(problem, whole, part)

    def table(point: PyTree) -> tuple[Array, Array, Array]:
        first = _measure(whole, point)
        others = jax.lax.map(lambda g: _measure(group(g), point), jnp.arange(metrics.GROUPS))
        values, slopes, vertices, missed = jax.tree.map(
            lambda one, more: jnp.concatenate([one[None], more]), first, others
        )
        away = ravel_pytree(point)[0] - vertices
        return values, jnp.matmul(away, slopes.T, precision="highest"), missed[0]

    return metrics.at_points(table, x, many)


def _largest(table: np.ndarray, level: float) -> np.ndarray:
    """The largest confidence limit of a row: the whole stands in its first column."""
    groups = np.moveaxis(table[..., 1:], -1, 0)
    return np.max(confidence.upper_limit(table[..., 0], groups, level), axis=-1)


def _rounded_up(number: float) -> float:
    """To two digits, never to a smaller number: a bound that is printed is still one."""
    if number < 1e-300:
        return number
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    return math.ceil(number / unit * (1 - 1e-12)) * unit


def _plain(number: Any) -> Any:
    """A float, or an array of them; in double precision whatever JAX has."""
    array = np.asarray(number, dtype=float)
    return array if array.ndim else float(array)
