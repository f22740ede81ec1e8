"""jaxopt: accelerated projected gradients."""

from __future__ import annotations

import importlib
from typing import Any

import jax
import jax.numpy as jnp

from wolfnest.sets import CappedSimplex, L1Ball
from wolfnest_benchmarks.peers.compared_method import Stepwise, Unsupported
from wolfnest_benchmarks.peers.convex_problems import Instance


class Jaxopt(Stepwise):
    """Accelerated projected gradients, with jaxopt's line search or with steps of 1/L."""

    def __init__(self, instance: Instance, stepsize: str) -> None:
        jaxopt: Any = importlib.import_module("jaxopt")
        projection: Any = importlib.import_module("jaxopt.projection")
        if isinstance(instance.domain, L1Ball):
            project, bounds = projection.projection_l1_ball, jnp.asarray(instance.size)
        elif isinstance(instance.domain, CappedSimplex):
            ones = jnp.ones(instance.start().size)
            bounds = (0 * ones, instance.size * ones, ones, 1.0)
            project = projection.projection_box_section
        else:
            raise Unsupported("jaxopt has no nuclear ball")
        data, self.x0 = tuple(map(jnp.asarray, instance.data)), jnp.asarray(instance.start())
        solver = jaxopt.ProjectedGradient(
            fun=lambda x, *data: instance.loss(*data, x),
            projection=project,
            stepsize=0.0 if stepsize == "search" else 1 / instance.smoothness,
        )

        @jax.jit
        def begin(x: Any, *given: Any) -> Any:
            return x, solver.init_state(x, *given)

        @jax.jit
        def advance(carry: Any, n: Any, *given: Any) -> Any:
            return jax.lax.fori_loop(
                0, n, lambda _, pair: tuple(solver.update(*pair, *given)), carry
            )

        self._begin = lambda: begin(self.x0, bounds, *data)
        self._advance = lambda carry, n: advance(carry, n, bounds, *data)

    def begin(self) -> Any:
        return self._begin()

    def advance(self, carry: Any, first: int, last: int) -> Any:
        return self._advance(carry, last - first)

    def point(self, carry: Any) -> jax.Array:
        return carry[0]
