"""Any polytope that is given by linear constraints."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.host import Infeasible, Unbounded, answer_on_host, on_host
from wolfnest.sets.tools.linear_constraints import System, as_system, lowest_vertex, satisfies
from wolfnest.sets.tools.points import as_point, float_dtype, like, no_projection


class Polytope(ClosedFormSet):
    """`{x ∈ R^n : A x ≤ b, C x = d, lower ≤ x ≤ upper}`; what is not given does not constrain.

    `A` and `C` are dense or `scipy.sparse` matrices; `lower` and `upper` are vectors or numbers,
    and may be infinite. The oracle is a linear program, solved on the host by HiGHS (dual
    simplex), so the answer is a vertex. An infinite entry of the direction outweighs all finite
    ones; a NaN gives NaN. Sets that are empty or unbounded are refused.

    The size of the set is found by linear programs when the set is made: two if `lower` or `upper`
    is finite everywhere, otherwise one more for every bound that is missing. The constraints
    must be known then; none can be traced.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> budget = {"C": [[1.0, 1.0, 1.0]], "d": [1.0], "lower": 0.0}
    >>> hedged = sets.Polytope(A=[[1.0, 1.0, 0.0]], b=[0.5], **budget)
    >>> print(hedged.lmo(jnp.array([1.0, -3.0, 2.0])))
    [0.  0.5 0.5]
    """

    system: System
    middle: Float[np.ndarray, " n"]
    size: Float[np.ndarray, ""]

    def __init__(
        self,
        A: Any = None,
        b: Any = None,
        C: Any = None,
        d: Any = None,
        lower: Any = None,
        upper: Any = None,
    ):
        given = {"A": A, "b": b, "C": C, "d": d, "lower": lower, "upper": upper}
        for name, value in given.items():
            if checks.is_traced(value):
                raise ValueError(
                    f"{name} must be known when a Polytope is made, got a traced value: make the "
                    "set outside of jit and vmap."
                )
        self.system = as_system(**given)
        self.middle, self.size = _extent(self.system)

    def lmo(self, direction: Float[Array, " n"]) -> Float[Array, " n"]:
        d = as_point("direction", direction, self.middle.shape)
        return on_host(lowest_vertex, d, self.system)

    def project(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        raise no_projection("Polytope")

    def contains(self, x: Float[Array, " n"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Every constraint up to a distance of `tol · diameter`, and rounding."""
        x = as_point("x", x, self.middle.shape)
        slack = tol * like(self.size, x)
        return answer_on_host(satisfies, x, self.system, slack, float(jnp.finfo(x.dtype).eps))

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound: the diagonal of a box around the set, or, where the entries are bounded
        on one side, `√2` times the largest sum of their distances to the bounds, if that is less.
        """
        return jnp.asarray(self.size)

    def start(self, dtype: Any = None) -> Float[Array, " n"]:
        """The mean of the vertices that were found when the set was made."""
        return jnp.asarray(self.middle, float_dtype(dtype))


def _extent(system: System) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, ""]]:
    """A point of the set, and a bound of its diameter."""
    box = system.box().copy()
    n = len(box)
    try:
        vertices = [lowest_vertex(np.zeros(n), system)]
    except Infeasible:
        raise ValueError(
            "A, b, C, d, lower and upper must leave at least one point, got an empty set."
        ) from None
    one_sided = [side for side in (0, 1) if np.all(np.isfinite(box[:, side]))]
    sum_of_distances = np.inf
    for side in one_sided[:1]:
        sign = 1.0 - 2.0 * side
        vertices.append(_vertex(np.full(n, -sign), system))
        sum_of_distances = np.sum(np.abs(vertices[-1] - box[:, side]))
        reach = box[:, side] + sign * sum_of_distances
        box[:, 1 - side] = (np.minimum, np.maximum)[side](box[:, 1 - side], reach)
    for i, side in np.argwhere(~np.isfinite(box)):
        cost = np.zeros(n)
        cost[i] = 1.0 - 2.0 * side
        vertices.append(_vertex(cost, system))
        box[i, side] = vertices[-1][i]
    diagonal = np.linalg.norm(box[:, 1] - box[:, 0])
    return np.mean(vertices, axis=0), np.minimum(diagonal, 2**0.5 * sum_of_distances)


def _vertex(cost: Float[np.ndarray, " n"], system: System) -> Float[np.ndarray, " n"]:
    try:
        return lowest_vertex(cost, system)
    except Unbounded:
        entry = f"entry {int(np.flatnonzero(cost)[0])}" if np.sum(cost != 0) == 1 else "a direction"
        raise ValueError(
            "A, b, C, d, lower and upper must bound the set, got one that is unbounded in "
            f"{entry}: give lower and upper."
        ) from None
