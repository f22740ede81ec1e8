"""Oracles that run on the host: NumPy and SciPy code inside compiled programs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Bool, Float, UInt32

from wolfnest.sets.tools.points import rescaled


def on_host(
    solver: Callable[..., np.ndarray], direction: Float[Array, "*shape"], *parameters: Any
) -> Float[Array, "*shape"]:
    """`solver(direction, *parameters)` in NumPy, called from compiled code.

    The solver gets the `rescaled` direction in double precision, so neither scale nor infinite
    entries reach it; with a NaN in the direction it is not called, and the answer is NaN. It must
    not use JAX (a callback that does may wait for itself), and must be a function at the top of a
    module or compare equal to itself when made anew, since a new one is a new program. An error in
    it becomes a RuntimeError with the name of the solver; JAX passes its text on.

    >>> import jax, jax.numpy as jnp, numpy as np
    >>> def smallest(d):
    ...     return np.eye(d.size)[np.argmin(d)]
    >>> print(jax.jit(lambda d: on_host(smallest, d))(jnp.array([3.0, -1.0, 2.0])))
    [0. 1. 0.]
    """
    heading, nan = rescaled(direction)
    result = jax.ShapeDtypeStruct(direction.shape, direction.dtype)
    return jax.pure_callback(
        _Oracle(solver), result, heading, nan, *parameters, vmap_method="sequential"
    )


def answer_on_host(
    question: Callable[..., Any], x: Float[Array, "*shape"], *parameters: Any
) -> Bool[Array, ""]:
    """`question(x, *parameters)`, yes or no, in NumPy; no for a point that is not finite."""
    result = jax.ShapeDtypeStruct((), np.bool_)
    return jax.pure_callback(_Question(question), result, x, *parameters, vmap_method="sequential")


def as_words(value: Any) -> UInt32[np.ndarray, " words"]:
    """Double precision numbers as pairs of 32-bit words.

    JAX rounds floats to single precision unless told otherwise. An LP solver must not see that:
    rounded, constraints that touch may have no common point left.
    """
    return np.ascontiguousarray(value, np.float64).reshape(-1).view(np.uint32)


def from_words(words: Any) -> Float[np.ndarray, " n"]:
    """The numbers behind `as_words`, flat.

    >>> from_words(as_words([0.1, 0.2])).tolist()
    [0.1, 0.2]
    """
    return np.asarray(words).view(np.float64)


def linear_program(
    cost: Float[np.ndarray, " n"], bounds: Float[np.ndarray, "n 2"], **constraints: Any
) -> Float[np.ndarray, " n"]:
    """A vertex that minimises `<cost, x>`, by HiGHS; constraints as `scipy.optimize.linprog` has
    them.

    The dual simplex method. Its interior point method, with a crossover to a vertex, took 1.3 s in
    place of 6 s on a dense 500 × 1,000 matrix, but two to three times as long on sparse ones.
    """
    from scipy.optimize import linprog

    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(cost, bounds=bounds, method="highs-ds", options=tight, **constraints)
    if found.status == 4:  # also where presolve cannot tell an empty set from an unbounded one
        plain = {"presolve": False}
        found = linprog(cost, bounds=bounds, method="highs-ds", options=plain, **constraints)
    if found.status == 2:
        raise Infeasible("no point satisfies the constraints")
    if found.status == 3:
        raise Unbounded("the constraints leave the set unbounded")
    if found.x is None or found.status:
        raise RuntimeError(f"HiGHS stopped with the message {found.message!r}")
    return np.clip(found.x, bounds[:, 0], bounds[:, 1])


class Infeasible(ValueError):
    """There is no point in the set."""


class Unbounded(ValueError):
    """The set reaches to infinity."""


@dataclasses.dataclass(frozen=True)
class _Oracle:
    # A dataclass, because equal ones share a compiled program.
    solver: Callable[..., np.ndarray] | Hashable

    def __call__(self, heading: Any, nan: Any, *parameters: Any) -> np.ndarray:
        heading = np.asarray(heading)
        if nan:
            return np.full(heading.shape, np.nan, heading.dtype)
        point = _run(self.solver, heading.astype(np.float64), *jax.tree.map(np.asarray, parameters))
        return np.asarray(point, heading.dtype)


@dataclasses.dataclass(frozen=True)
class _Question:
    question: Callable[..., Any] | Hashable

    def __call__(self, x: Any, *parameters: Any) -> np.ndarray:
        x = np.asarray(x, np.float64)
        if not np.all(np.isfinite(x)):
            return np.asarray(False)
        return np.asarray(_run(self.question, x, *jax.tree.map(np.asarray, parameters)), np.bool_)


def _run(function: Any, *arguments: np.ndarray) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise RuntimeError(f"{name} failed on the host: {error}") from error
