"""Transport plans: non-negative matrices with given row and column sums."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.arrays import refuse_where, vector
from wolfnest.sets.tools.host import linear_program, on_host
from wolfnest.sets.tools.points import as_point, float_dtype, like, no_projection


class Transport(ClosedFormSet):
    """`{X ∈ R^(n×m) : X ≥ 0, X 1 = rows, Xᵀ 1 = columns}`, plans that move `rows` to `columns`.

    `rows` and `columns` are non-negative with equal totals. The oracle is a linear program, solved
    on the host by HiGHS (dual simplex), so the answer is a vertex: at most `n + m - 1` entries are
    not zero. Infinite entries and NaN are treated as in `Birkhoff`.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> plans = sets.Transport(rows=[2.0, 1.0], columns=[1.0, 1.0, 1.0])
    >>> print(plans.lmo(jnp.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])))
    [[1. 1. 0.]
     [0. 0. 1.]]
    """

    rows: Array | np.ndarray
    columns: Array | np.ndarray

    def __init__(self, rows: Any, columns: Any):
        self.rows, self.columns = _marginal("rows", rows), _marginal("columns", columns)
        if checks.is_traced((self.rows, self.columns)):
            return
        supply, demand = float(np.sum(self.rows)), float(np.sum(self.columns))
        if not abs(supply - demand) <= 1e-6 * supply:
            raise ValueError(
                f"rows and columns must have equal totals, got {supply} in rows and {demand} in "
                "columns."
            )

    def lmo(self, direction: Float[Array, "n m"]) -> Float[Array, "n m"]:
        d = as_point("direction", direction, self._shape())
        total = jnp.sum(like(self.rows, d))
        return total * on_host(least_transport, d, self.rows, self.columns)

    def project(self, x: Float[Array, "n m"]) -> Float[Array, "n m"]:
        raise no_projection("Transport")

    def contains(self, x: Float[Array, "n m"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Entries and sums up to `tol` times the total."""
        x = as_point("x", x, self._shape())
        rows, columns = like(self.rows, x), like(self.columns, x)
        return has_sums(x, rows, columns, tol * jnp.sum(rows))

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound: the least of the diagonal of the bounding box, `√(2 Σ_i r_i min(r_i,
        max c))`, which is exact for `Birkhoff`, and the same with rows and columns exchanged."""
        r, c = jnp.asarray(self.rows), jnp.asarray(self.columns)
        low = jnp.maximum(r[:, None] + c - jnp.sum(r), 0)
        box = jnp.sum((jnp.minimum(r[:, None], c) - low) ** 2)
        by_rows = 2 * jnp.sum(r * jnp.minimum(r, jnp.max(c)))
        by_columns = 2 * jnp.sum(c * jnp.minimum(c, jnp.max(r)))
        return jnp.sqrt(jnp.minimum(box, jnp.minimum(by_rows, by_columns)))

    def start(self, dtype: Any = None) -> Float[Array, "n m"]:
        """`rows columnsᵀ / total`."""
        rows = jnp.asarray(self.rows, float_dtype(dtype))
        return jnp.outer(rows / jnp.sum(rows), jnp.asarray(self.columns, rows.dtype))

    def _shape(self) -> tuple[int, int]:
        return (self.rows.size, self.columns.size)


def least_transport(
    cost: Float[np.ndarray, "n m"], rows: Float[np.ndarray, " n"], columns: Float[np.ndarray, " m"]
) -> Float[np.ndarray, "n m"]:
    """The plan of least cost between `rows` and `columns`, both divided by their totals."""
    n, m = cost.shape
    # As float64, and with equal totals again: rounded ones may leave no plan at all. The last
    # column follows from the others.
    r, c = np.asarray(rows, float), np.asarray(columns, float)
    r, c = r / np.sum(r), c / np.sum(c)
    plan = linear_program(
        cost.ravel(),
        np.tile([0.0, 1.0], (n * m, 1)),
        A_eq=_incidence(n, m),
        b_eq=np.concatenate([r, c[:-1]]),
    )
    return plan.reshape(n, m)


@functools.lru_cache(maxsize=8)
def _incidence(n: int, m: int) -> Any:
    """The matrix that takes a plan to its row sums and to its column sums, but the last one."""
    from scipy import sparse

    rows = sparse.kron(sparse.eye(n), np.ones((1, m)))
    columns = sparse.kron(np.ones((1, n)), sparse.eye(m), format="csr")[:-1]
    return sparse.vstack([rows, columns], format="csr")


def has_sums(
    x: Float[Array, "n m"], rows: Float[Array, " n"], columns: Float[Array, " m"], slack: Any
) -> Bool[Array, ""]:
    error = jnp.maximum(
        jnp.max(jnp.abs(jnp.sum(x, axis=1) - rows)), jnp.max(jnp.abs(jnp.sum(x, axis=0) - columns))
    )
    return (jnp.min(x) >= -slack) & (error <= slack)


def _marginal(name: str, value: Any) -> Array | np.ndarray:
    sums = vector(name, value)
    if isinstance(sums, np.ndarray):
        refuse_where(name, sums, sums < 0, "non-negative")
        if not np.sum(sums) > 0:
            raise ValueError(f"{name} must have a positive total, got {float(np.sum(sums))}.")
    return sums
