"""Line searches: the minimiser of the objective along the ray."""

from __future__ import annotations

from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import checks
from wolfnest.objective.composition import Composition
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes.base import AbstractStepSize, longest, slope_at, value_at
from wolfnest.stepsizes.ray import Length, Ray

Search = Literal["secant", "golden"]

MOST_SECANTS, MOST_SECTIONS = 30, 50
FLAT = 1e-6  # of the first slope: as good as a minimiser
GOLDEN = (5**0.5 - 1) / 2


class LineSearch(AbstractStepSize):
    """`γ = argmin_{0 ≤ γ ≤ most} F(x + γ · along)`, for objectives that are convex on the ray.

    "secant" looks for a zero of the slope between two ends (regula falsi, the Illinois way, with
    bisection where that is slow): exact for quadratics. It ends where the slope is at most `flat`
    times the one at its start; a step gains hardly less with 0.1, in fewer passes. "golden"
    compares values alone: the golden section, as precise as values can tell, about `√ε · most`.

    >>> LineSearch("secant", flat=0.1).most_passes
    31
    """

    rule: Search = eqx.field(static=True)
    flat: Any

    def __init__(self, rule: Search = "secant", flat: Any = FLAT) -> None:
        self.rule = checks.choice("rule", rule, ("secant", "golden"))  # type: ignore[assignment]
        self.flat = checks.positive("flat", flat)

    def begin(self, x: PyTree) -> None:
        return None

    def length(self, composition: Composition, state: State, stage: Stage, ray: Ray) -> Length:
        if self.rule == "secant":
            slope = lambda gamma: slope_at(composition, state.x, ray, gamma)
            gamma, passes = secant(slope, ray.slope, longest(ray), self.flat)
        else:
            value = lambda gamma: value_at(composition, state.x, ray, gamma)
            gamma, passes = golden(value, state.u[-1], longest(ray))
        return Length(gamma, None, passes)

    @property
    def most_passes(self) -> int:
        # The end of the ray is looked at as well; golden sections begin with two points.
        return 1 + (MOST_SECANTS if self.rule == "secant" else MOST_SECTIONS + 2)


def secant(slope: Any, first: Array, most: Array, flat: Any = FLAT) -> tuple[Array, Array]:
    """A zero of a rising `slope` in [0, most], or the end next to it; and evaluations made."""
    last = slope(most)

    def unsure(carry: Any) -> Array:
        return ~carry[-1]

    def narrow(carry: Any) -> Any:
        (a, slope_a), (b, slope_b), (side, slow), (best, least), n, _ = carry
        guess = b - slope_b * (b - a) / (slope_b - slope_a)
        straight = jnp.isfinite(guess) & ~slow
        middle = jnp.where(straight, jnp.clip(guess, a, b), (a + b) / 2)
        found = slope(middle)
        left = found < 0
        moved = jnp.where(left, jnp.int32(1), jnp.int32(-1))
        # An end that stays twice counts half; a bracket that hardly shrinks is cut in the middle.
        again = jnp.where(moved == side, 0.5, 1.0).astype(found.dtype)
        lower = (jnp.where(left, middle, a), jnp.where(left, found, again * slope_a))
        upper = (jnp.where(left, b, middle), jnp.where(left, again * slope_b, found))
        width = upper[0] - lower[0]
        better = jnp.abs(found) < least
        best, least = jnp.where(better, middle, best), jnp.where(better, jnp.abs(found), least)
        done = (least <= flat * jnp.abs(first)) | (width <= narrowest) | (n + 1 >= MOST_SECANTS)
        return lower, upper, (moved, width > (b - a) / 2), (best, least), n + 1, done

    narrowest = jnp.finfo(most.dtype).eps * most
    # Flat or rising from the start: stay. Falling to the end, or flat there: go there.
    ended = jnp.where(first >= 0, jnp.zeros_like(most), most)
    begin = (
        (jnp.zeros_like(most), first),
        (most, last),
        (jnp.int32(0), jnp.asarray(False)),
        (ended, jnp.full_like(first, jnp.inf)),
        jnp.int32(0),
        (first >= 0) | (last <= flat * jnp.abs(first)),
    )
    *_, (gamma, _), n, _ = jax.lax.while_loop(unsure, narrow, begin)
    # NaN at the start is no slope: it must not look like a whole step.
    return jnp.where(jnp.isnan(first), first, gamma), n + 1


def golden(value: Any, first: Array, most: Array) -> tuple[Array, Array]:
    """The minimiser of a unimodal `value` in [0, most] (`first` at 0); and evaluations made."""
    width = jnp.sqrt(jnp.finfo(most.dtype).eps) * most

    def unsure(carry: Any) -> Array:
        a, b, *_, n = carry
        return (b - a > width) & (n < MOST_SECTIONS)

    def narrow(carry: Any) -> Any:
        a, b, c, d, at_c, at_d, n = carry
        left = at_c < at_d
        a, b = jnp.where(left, a, c), jnp.where(left, d, b)
        new = jnp.where(left, b - GOLDEN * (b - a), a + GOLDEN * (b - a)).astype(most.dtype)
        at_new = value(new)
        c, d = jnp.where(left, new, d), jnp.where(left, c, new)
        at_c, at_d = jnp.where(left, at_new, at_d), jnp.where(left, at_c, at_new)
        return a, b, c, d, at_c, at_d, n + 1

    c, d = (1 - GOLDEN) * most, GOLDEN * most
    begin = (jnp.zeros_like(most), most, c, d, value(c), value(d), jnp.int32(0))
    _, _, c, d, at_c, at_d, n = jax.lax.while_loop(unsure, narrow, begin)
    # The ends are candidates themselves: only a step to the very end can drop a vertex.
    places = jnp.stack([most, c, d, jnp.zeros_like(most)])
    values = jnp.stack([value(most), at_c, at_d, first])
    return places[jnp.nanargmin(values)], n + 3
