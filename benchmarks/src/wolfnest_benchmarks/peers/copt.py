"""copt: Frank-Wolfe steps and accelerated projected gradients, in NumPy."""

from __future__ import annotations

import contextlib
import importlib
import io
import warnings
from typing import Any

import numpy as np

from wolfnest.sets import L1Ball, NuclearBall
from wolfnest_benchmarks.peers.compared_method import (
    MOST_STEPS,
    Method,
    Unsupported,
    Watch,
    efforts,
)
from wolfnest_benchmarks.peers.convex_problems import Instance


class Copt(Method):
    """Frank-Wolfe steps ("vanilla"), "pairwise" ones, or accelerated "projected" gradients."""

    def __init__(self, instance: Instance, variant: str) -> None:
        copt: Any = importlib.import_module("copt")
        constraint: Any = importlib.import_module("copt.constraint")
        if not hasattr(np, "alltrue"):
            setattr(np, "alltrue", np.all)  # noqa: B010  # a name that NumPy 2 has dropped
        shape = self.shape = instance.start().shape
        if isinstance(instance.domain, L1Ball):
            ball = constraint.L1Ball(instance.size)
        elif not isinstance(instance.domain, NuclearBall):
            raise Unsupported("copt has no capped simplex")
        elif variant == "pairwise":
            raise Unsupported("copt has pairwise steps on the L1 ball only")
        else:
            ball = constraint.TraceBall(instance.size, shape)
        self.start, self.arguments = np.zeros(instance.start().size), {"jac": True, "tol": 0.0}
        if variant == "projected":
            # It makes one step more than it is told to.
            self.minimize, self.surplus = copt.minimize_proximal_gradient, 1
            self.arguments |= {"prox": ball.prox, "accelerated": True}
        else:
            self.minimize, self.surplus = copt.minimize_frank_wolfe, 0
            oracle = ball.lmo_pairwise if variant == "pairwise" else ball.lmo
            self.arguments |= {"lmo": oracle, "variant": variant}
        if variant == "pairwise":  # begins at a vertex
            self.start[0] = instance.size
            self.arguments["x0_rep"] = (1.0, 0)

        def fun(x: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = instance.value_and_gradient(x.reshape(shape))
            return value, gradient.ravel()

        self.fun = fun

    def _minimize(self, steps: int, callback: Any = None) -> np.ndarray:
        # It prints its first estimate, and warns of every run that its tolerance did not end.
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self.minimize(
                self.fun,
                self.start.copy(),
                max_iter=steps - self.surplus,
                callback=callback,
                **self.arguments,
            )
        return found.x

    def trace(self, watch: Watch) -> None:
        calls, wanted = 0, efforts()
        effort = next(wanted)

        def callback(found: dict[str, Any]) -> bool:
            nonlocal calls, effort
            if calls == effort:
                effort = next(wanted, None)
                if not watch(calls, found["x"].reshape(self.shape)) or effort is None:
                    return False
            calls += 1
            return True

        self._minimize(MOST_STEPS, callback)

    def run(self, effort: int) -> Any:
        return self._minimize(effort).reshape(self.shape)
