"""A set of your own: copy this file and put your geometry in place of the non-negative ball."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jax import Array

import wolfnest as wn


class NonnegativeBall(wn.sets.ClosedFormSet):  # wn.sets.IterativeSet if the oracle is an iteration
    """`{x ∈ R^dim : x ≥ 0, ‖x‖ ≤ radius}`."""

    dim: int = eqx.field(static=True)  # sizes are static: a new one compiles anew
    radius: Array  # numbers are arrays: a new one does not

    def __init__(self, dim: int, radius: float = 1.0) -> None:
        self.dim, self.radius = dim, jnp.asarray(radius)

    def lmo(self, direction: Array) -> Array:
        """The point with the smallest `<s, direction>`; NaN in, NaN out."""
        down = jnp.maximum(-direction, 0)
        norm = jnp.linalg.norm(down)
        return jnp.asarray(self.radius, down.dtype) * down / jnp.where(norm == 0, 1, norm)

    def project(self, x: Array) -> Array:
        """The nearest point; `raise ValueError` with what to do instead where none is known."""
        positive = jnp.maximum(x, 0)
        radius = jnp.asarray(self.radius, x.dtype)
        return positive * radius / jnp.maximum(jnp.linalg.norm(positive), radius)

    def contains(self, x: Array, tol: float = 1e-5) -> Array:
        slack = tol * self.radius
        within = jnp.linalg.norm(x) <= self.radius + slack
        return jnp.logical_and(jnp.min(x) >= -slack, within)

    @property
    def diameter(self) -> Array:
        """The largest distance of two points, or an upper bound."""
        return jnp.sqrt(2.0) * self.radius

    def start(self, dtype: Any = None) -> Array:
        """A feasible point, which also tells the shape of all points."""
        return jnp.zeros(self.dim, dtype)


def example() -> wn.Solution:
    """The point of the ball that is nearest to a target."""
    target = jnp.array([0.9, -0.4, 1.2])
    level = wn.Level(lambda x: jnp.sum((x - target) ** 2))
    problem = wn.Problem([level], NonnegativeBall(3), convex=True)
    return wn.solve(problem, wn.method("FW"), steps=100, progress=False)


if __name__ == "__main__":
    print(example().x)
