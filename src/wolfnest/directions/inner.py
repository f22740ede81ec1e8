"""v2: the prox step `argmin_{w ∈ X} <v, w> + β/2 ||w - x||²` by an inner Frank-Wolfe iteration."""

from __future__ import annotations

import math
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.directions.base import Target, TargetDirection
from wolfnest.schedules.stage import Stage
from wolfnest.sets.base import AbstractSet
from wolfnest.state import State

InnerRule = Literal["line-search", "agnostic"]


def inner_frank_wolfe(
    domain: AbstractSet,
    v: PyTree,
    x: PyTree,
    guess: PyTree,
    *,
    beta: Any,
    steps: Any,
    rule: InnerRule = "line-search",
    tol: Any = None,
) -> Target:
    """Algorithm IFW: Frank-Wolfe on `g(w) = <v, w - x> + β/2 ||w - x||²` from `w = x`.

    `rule="line-search"` takes the exact minimiser of the quadratic along each segment,
    `rule="agnostic"` takes `γ_n = 2/(n+1)`. With `tol` the iteration ends once its own Frank-Wolfe
    gap is at most `tol`: with the line search, that is CndG of conditional gradient sliding.
    """
    weight = lambda like: jnp.asarray(beta, like.dtype)

    def turn(w: PyTree, guess: PyTree, n: Array) -> tuple[PyTree, PyTree, Array, Array]:
        slope = jax.tree.map(lambda g, a, b: g + weight(g) * (a - b), v, w, x)
        s, guess = domain.lmo_from(slope, guess)
        along = pytrees.subtract(s, w)
        gap = -pytrees.dot(slope, along)
        if rule == "line-search":
            bend = weight(gap) * pytrees.squared_norm(along)
            gamma = jnp.where(bend > 0, jnp.clip(gap / bend, 0, 1), 0)
        else:
            gamma = 2.0 / (n + 1)
        return pytrees.move(w, s, gamma), guess, gap, n + 1

    first = jnp.int32(1)
    if tol is None:
        body = lambda _, carry: turn(carry[0], carry[1], carry[3])
        gap = jnp.zeros((), pytrees.dot(v, x).dtype)
        w, guess, _, n = jax.lax.fori_loop(0, steps, body, (x, guess, gap, first))
        return Target(w, guess, n - 1)

    def unfinished(carry: Any) -> Array:
        # `not (gap <= tol)` rather than `gap > tol`: NaN must not look like convergence.
        return (carry[3] <= steps) & ~(carry[2] <= tol)

    def search(carry: Any) -> Any:
        w, guess, gap, n = turn(carry[0], carry[1], carry[3])
        stop = gap <= tol
        w = jax.tree.map(lambda new, old: jnp.where(stop, old, new), w, carry[0])
        return w, guess, gap, n

    gap = jnp.full((), jnp.inf, pytrees.dot(v, x).dtype)
    w, guess, _, n = jax.lax.while_loop(unfinished, search, (x, guess, gap, first))
    return Target(w, guess, n - 1)


class InnerFrankWolfe(TargetDirection):
    """v2: `z` is where an inner Frank-Wolfe iteration of N steps ends (`inner_frank_wolfe`).

    N is `stage.inner`, or `⌈inner · k^growth⌉` in step k where `growth` is given. `tol` (or that
    of the stage) ends the iteration earlier.

    >>> InnerFrankWolfe(beta=1.0, rule="agnostic").rule
    'agnostic'
    """

    beta: Any
    rule: InnerRule = eqx.field(static=True)
    tol: Any
    growth: float = eqx.field(static=True)

    def __init__(
        self,
        beta: Any,
        rule: InnerRule = "line-search",
        tol: float | None = None,
        *,
        growth: float = 0.0,
    ) -> None:
        self.beta = checks.positive("beta", beta)
        self.rule = checks.choice("rule", rule, ("line-search", "agnostic"))  # type: ignore[assignment]
        self.tol = None if tol is None else checks.non_negative("tol", tol)
        self.growth = float(checks.non_negative("growth", growth))

    def target(self, domain: AbstractSet, state: State, stage: Stage) -> Target:
        return inner_frank_wolfe(
            domain,
            state.v,
            state.x,
            state.guess,
            beta=self.beta,
            steps=self._steps(stage.inner, state.k),
            rule=self.rule,
            tol=self.tol if stage.tol is None else stage.tol,
        )

    def _steps(self, inner: int, k: Array) -> Any:
        if self.growth == 0:
            return inner
        # A square root is rounded correctly, so that it is whole where it should be.
        k = k.astype(jnp.result_type(float))
        power = jnp.sqrt(k) if self.growth == 0.5 else k**self.growth * (1 - 1e-6)
        return jnp.ceil(inner * power).astype(jnp.int32)

    def needs(self, domain: AbstractSet) -> str | None:
        return None

    def most_calls(self, stage: Stage, k: int, n: int) -> int:
        if self.growth == 0:
            return n * stage.inner
        steps = stage.inner * np.arange(k, k + n, dtype=float) ** self.growth
        return math.ceil(np.ceil(steps * (1 + 1e-9)).sum())
