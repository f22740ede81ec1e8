"""Directions: where to move, given a point and an estimate of the gradient there."""

from __future__ import annotations

import abc
from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PyTree

from wolfnest import _checks, _trees
from wolfnest.sets.base import AbstractSet

Rule = Literal["line-search", "agnostic"]


class Target(NamedTuple):
    """`z`, towards which the point moves; the oracle's next guess; oracle calls made."""

    z: PyTree
    guess: PyTree
    lmo: Int32[Array, ""]


class AbstractDirection(eqx.Module):
    """Computes `z_t` of `x_{t+1} = x_t + η (z_t - x_t)`. Directions never see levels."""

    @abc.abstractmethod
    def target(
        self, domain: AbstractSet, x: PyTree, v: PyTree, inner: int, guess: PyTree
    ) -> Target:
        """`z` for the point `x` and the gradient estimate `v`, with at most `inner` inner steps."""

    @abc.abstractmethod
    def needs(self, domain: AbstractSet) -> str | None:
        """Why this direction cannot be taken in `domain`; None if it can."""

    @abc.abstractmethod
    def most_calls(self, inner: int) -> int:
        """The largest number of oracle calls that `target` makes."""


class LMO(AbstractDirection):
    """v1: `z = argmin_{s ∈ X} <s, v>`.

    >>> LMO()
    LMO()
    """

    def target(
        self, domain: AbstractSet, x: PyTree, v: PyTree, inner: int, guess: PyTree
    ) -> Target:
        z, guess = domain.lmo_from(v, guess)
        return Target(z, guess, jnp.int32(1))

    def needs(self, domain: AbstractSet) -> str | None:
        return None

    def most_calls(self, inner: int) -> int:
        return 1


class InnerFrankWolfe(AbstractDirection):
    """v2 (Algorithm IFW): Frank-Wolfe on `g(w) = <v, w - x> + β/2 ||w - x||²` from `w = x`.

    `rule="line-search"` takes the exact minimiser of the quadratic along each segment,
    `rule="agnostic"` takes `γ_n = 2/(n+1)`. With `tol` the iteration ends once its own
    Frank-Wolfe gap is at most `tol`.

    >>> InnerFrankWolfe(beta=1.0, rule="agnostic").rule
    'agnostic'
    """

    beta: Any
    rule: Rule = eqx.field(static=True)
    tol: Any

    def __init__(self, beta: float, rule: Rule = "line-search", tol: float | None = None) -> None:
        self.beta = _checks.positive("beta", beta)
        self.rule = _checks.choice("rule", rule, ("line-search", "agnostic"))  # type: ignore[assignment]
        self.tol = None if tol is None else _checks.non_negative("tol", tol)

    def target(
        self, domain: AbstractSet, x: PyTree, v: PyTree, inner: int, guess: PyTree
    ) -> Target:
        def turn(w: PyTree, guess: PyTree, n: Array) -> tuple[PyTree, PyTree, Array, Array]:
            slope = jax.tree.map(lambda g, a, b: g + self._beta(g) * (a - b), v, w, x)
            s, guess = domain.lmo_from(slope, guess)
            along = _trees.subtract(s, w)
            gap = -_trees.dot(slope, along)
            if self.rule == "line-search":
                bend = self._beta(gap) * _trees.squared_norm(along)
                gamma = jnp.where(bend > 0, jnp.clip(gap / bend, 0, 1), 0)
            else:
                gamma = 2.0 / (n + 1)
            return _trees.move(w, s, gamma), guess, gap, n + 1

        first = jnp.int32(1)
        if self.tol is None:
            body = lambda _, carry: turn(carry[0], carry[1], carry[3])
            gap = jnp.zeros((), _trees.dot(v, x).dtype)
            w, guess, _, n = jax.lax.fori_loop(0, inner, body, (x, guess, gap, first))
            return Target(w, guess, n - 1)

        def unfinished(carry: tuple) -> Array:
            # `not (gap <= tol)` rather than `gap > tol`: NaN must not look like convergence.
            return (carry[3] <= inner) & ~(carry[2] <= self.tol)

        def search(carry: tuple) -> tuple:
            w, guess, gap, n = turn(carry[0], carry[1], carry[3])
            stop = gap <= self.tol
            w = jax.tree.map(lambda new, old: jnp.where(stop, old, new), w, carry[0])
            return w, guess, gap, n

        gap = jnp.full((), jnp.inf, _trees.dot(v, x).dtype)
        w, guess, _, n = jax.lax.while_loop(unfinished, search, (x, guess, gap, first))
        return Target(w, guess, n - 1)

    def needs(self, domain: AbstractSet) -> str | None:
        return None

    def most_calls(self, inner: int) -> int:
        return inner

    def _beta(self, like: Array) -> Array:
        return jnp.asarray(self.beta, like.dtype)


class Projected(AbstractDirection):
    """`z = Π_X(x - v/β)`: the step of projected methods (learning rate 1/β), for comparison.

    >>> Projected(beta=10.0).most_calls(inner=5)
    0
    """

    beta: Any

    def __init__(self, beta: float) -> None:
        self.beta = _checks.positive("beta", beta)

    def target(
        self, domain: AbstractSet, x: PyTree, v: PyTree, inner: int, guess: PyTree
    ) -> Target:
        ahead = jax.tree.map(lambda a, g: a - g / jnp.asarray(self.beta, g.dtype), x, v)
        return Target(domain.project(ahead), guess, jnp.int32(0))

    def needs(self, domain: AbstractSet) -> str | None:
        try:
            jax.eval_shape(lambda: domain.project(domain.start()))
        except ValueError as error:
            return str(error).rstrip(".")
        return None

    def most_calls(self, inner: int) -> int:
        return 0
