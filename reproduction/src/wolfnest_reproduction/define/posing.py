"""The problems of the experiments, ready to run: where to start, and the smallest value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
from jaxtyping import PyTree

from wolfnest import metrics, problems
from wolfnest.datasets import Returns
from wolfnest.objective.problem import Problem

# How precisely the minimum is asked for, relative to its size or to the gap at the start; and how
# far off it may be where rounding allows no more.
TOLERANCE, LARGEST = 1e-12, 1e-9


class Posed(NamedTuple):
    """A problem, the point that all runs start from, and the minimum, NaN where it is unknown.

    The true minimum lies between `best - certificate` and `best`.
    """

    problem: Problem
    x0: PyTree
    best: float
    certificate: float = 0.0


class Poser:
    """Makes problems from their descriptions, each once.

    >>> from wolfnest import datasets
    >>> poser = Poser({"made up": datasets.factor_model(100, 5)})
    >>> poser("mean_variance", "made up", {"risk": 1.0}).x0.shape
    (5,)
    """

    def __init__(self, data: Mapping[str, Returns]) -> None:
        self.data = dict(data)
        self._posed: dict[str, Posed] = {}

    def __call__(self, kind: str, data: str, arguments: Mapping[str, Any]) -> Posed:
        """The function `kind` of `wolfnest.problems` with these arguments, on these returns."""
        name = repr((kind, data, sorted(arguments.items())))
        if name not in self._posed:
            matrix = kind == "matrix_single_index"
            problem = getattr(problems, kind)(*([] if matrix else [self.data[data]]), **arguments)
            x0 = problems.matrix_start(problem) if matrix else problem.start()
            self._posed[name] = Posed(problem, x0, *_minimum(problem, x0, f"{kind} on {data}"))
        return self._posed[name]


def _minimum(problem: Problem, x0: PyTree, title: str) -> tuple[float, float]:
    """The minimum and its certificate: `TOLERANCE` where rounding allows it, never worse than
    `LARGEST` (in 32-bit floats some units in the last place)."""
    if not problem.convex:
        return math.nan, 0.0
    found = problems.minimum(problem, tol=TOLERANCE)
    scale = max(abs(found.value), float(metrics.frank_wolfe_gap(problem, x0)))
    rounding = 64 * float(jnp.finfo(problem.dtype).eps)
    if not found.gap <= max(LARGEST, rounding) * scale:
        raise ValueError(
            f"the minimum of {title} was not reached: after {found.steps:,} steps it is known to "
            f"{found.gap:.1e} only, and {LARGEST:g} of {scale:.3g} is needed for optimal gaps. "
            "Check the returns for columns that are equal or of very different size."
        )
    return found.value, found.gap
