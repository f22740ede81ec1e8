"""What a direction and a step-size rule tell each other: a ray, and how far to go along it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from jaxtyping import Array, Int32, PyTree


class Ray(NamedTuple):
    """The points `x + γ · along` with `0 ≤ γ ≤ most`; `slope` is `<v, along>`, the derivative of
    the objective at γ = 0 as far as it is known."""

    along: PyTree
    most: Any
    slope: Array


class Length(NamedTuple):
    """γ; what the rule remembers for the next step; the exact passes that it made."""

    gamma: Any
    memory: PyTree
    passes: Int32[Array, ""]


Rule = Callable[[Ray], Length]
