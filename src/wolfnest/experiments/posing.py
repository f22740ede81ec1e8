"""The problems of the experiments, ready to run: where to start, and the smallest value."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from jaxtyping import PyTree

from wolfnest import problems
from wolfnest.datasets import Returns
from wolfnest.problem import Problem


@dataclasses.dataclass(frozen=True)
class Posed:
    """A problem, the point that all runs start from, and the minimum, NaN where it is unknown."""

    problem: Problem
    x0: PyTree
    best: float


class Poser:
    """Makes problems from their descriptions, each once."""

    def __init__(self, data: Mapping[str, Returns]) -> None:
        self.data = dict(data)
        self._posed: dict[str, Posed] = {}

    def __call__(self, kind: str, data: str, arguments: Mapping[str, Any]) -> Posed:
        """The function `kind` of `wolfnest.problems` with these arguments, on these returns.

        >>> from wolfnest import datasets
        >>> poser = Poser({"made up": datasets.factor_model(100, 5)})
        >>> poser("mean_variance", "made up", {"risk": 1.0}).x0.shape
        (5,)
        """
        name = repr((kind, data, sorted(arguments.items())))
        if name not in self._posed:
            make = getattr(problems, kind)
            if kind == "matrix_single_index":
                problem = make(**arguments)
                x0 = problems.matrix_start(problem)
            else:
                problem = make(self.data[data], **arguments)
                x0 = problem.start()
            best = problems.minimum(problem).value if problem.convex else math.nan
            self._posed[name] = Posed(problem, x0, best)
        return self._posed[name]
