"""What a step-size rule is, and the objective along a ray."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import pytrees
from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes.ray import Length, Ray


class AbstractStepSize(eqx.Module):
    """Chooses γ in `x ← x + γ · along`, where `0 ≤ γ ≤ most`."""

    @abc.abstractmethod
    def begin(self, x: PyTree) -> PyTree:
        """What the rule remembers at the first point; None where it remembers nothing."""

    @abc.abstractmethod
    def length(self, composition: Composition, state: State, stage: Stage, ray: Ray) -> Length:
        """γ along `ray` from `state.x`, where `state.u` and `state.v` are the values there."""

    @property
    @abc.abstractmethod
    def most_passes(self) -> int:
        """The largest number of exact passes of one step. A rule that makes any takes the values
        in the state for exact as well."""


def value_at(composition: Composition, x: PyTree, ray: Ray, gamma: Array) -> Array:
    """`F(x + γ · along)`: one pass of values."""
    return composition.exact_values(_point(x, ray, gamma))[-1]


def slope_at(composition: Composition, x: PyTree, ray: Ray, gamma: Array) -> Array:
    """`<∇F(x + γ · along), along>`: the derivative along the ray, in one pass over the data."""
    value = lambda gamma: value_at(composition, x, ray, gamma)
    return jax.jvp(value, (gamma,), (jnp.ones_like(gamma),))[1]


def first_that_fits(
    trial: Callable[[Any, Array], tuple[Any, Array]], first: Any, most: int, over: Any = False
) -> tuple[Any, Array, Array]:
    """`trial(value, n)` is the n-th value to try (n from 0) and whether it fits, made of the one
    before; none is tried if it is `over` before it begins, and `most` at the most. Returns the last
    value, how many were tried, and whether it fits."""

    def unsure(carry: Any) -> Array:
        return ~carry[2] & (carry[1] < most)

    def again(carry: Any) -> Any:
        value, n, _ = carry
        value, fits = trial(value, n)
        return value, n + 1, fits

    return jax.lax.while_loop(unsure, again, (first, jnp.int32(0), jnp.asarray(over)))


def longest(ray: Ray) -> Array:
    return jnp.asarray(ray.most, ray.slope.dtype)


def model_step(ray: Ray, smoothness: Any) -> Array:
    """The minimiser of `γ · slope + γ²/2 · L · ||along||²` in `[0, most]`."""
    bend = jnp.asarray(smoothness, ray.slope.dtype) * pytrees.squared_norm(ray.along)
    gamma = jnp.clip(-ray.slope / bend, 0, longest(ray))
    # Without a way to go, or without descent: no step.
    return jnp.where((bend == 0) | (ray.slope >= 0), 0, gamma)


def _point(x: PyTree, ray: Ray, gamma: Array) -> PyTree:
    move = lambda a, d: (a + gamma.astype(a.dtype) * d).astype(a.dtype)
    return jax.tree.map(move, x, ray.along)
