"""Linear constraints, as the host's solvers take them."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Float, Int, UInt32

from wolfnest.sets.tools.arrays import numbers, per_entry, refuse_where
from wolfnest.sets.tools.host import as_words, from_words, linear_program


class Rows(eqx.Module):
    """A sparse matrix and a right-hand side, in double precision whatever JAX is told to use."""

    values: UInt32[np.ndarray, " words"]
    at: Int[np.ndarray, "2 entries"]
    right: UInt32[np.ndarray, " words"]
    shape: tuple[int, int] = eqx.field(static=True)

    def matrix(self) -> Any:
        from scipy.sparse import coo_matrix

        return coo_matrix((from_words(self.values), tuple(self.at)), self.shape).tocsr()


class System(eqx.Module):
    """All constraints of a polytope."""

    below: Rows
    equal: Rows
    bounds: UInt32[np.ndarray, " words"]

    def box(self) -> Float[np.ndarray, "n 2"]:
        return from_words(self.bounds).reshape(-1, 2)


def lowest_vertex(cost: Float[np.ndarray, " n"], system: System) -> Float[np.ndarray, " n"]:
    constraints: dict[str, Any] = {}
    for kind, rows in (("ub", system.below), ("eq", system.equal)):
        if rows.shape[0]:
            constraints |= {f"A_{kind}": rows.matrix(), f"b_{kind}": from_words(rows.right)}
    return linear_program(cost, system.box(), **constraints)


def satisfies(
    x: Float[np.ndarray, " n"], system: System, slack: np.ndarray, eps: np.ndarray
) -> bool:
    """Whether no constraint is violated by a distance of more than `slack`."""

    def excess(rows: Rows) -> Float[np.ndarray, " m"]:
        matrix, right = rows.matrix(), from_words(rows.right)
        lengths = np.sqrt((matrix.multiply(matrix)).sum(axis=1)).A1
        rounding = 4 * eps * (abs(matrix) @ np.abs(x) + np.abs(right))
        error = matrix @ x - right
        return np.sign(error) * np.maximum(np.abs(error) - lengths * slack - rounding, 0)

    lower, upper = system.box().T
    room = slack + 4 * eps * np.abs(x)
    return bool(
        np.all(excess(system.below) <= 0)
        and np.all(excess(system.equal) == 0)
        and np.all((x >= lower - room) & (x <= upper + room))
    )


def as_system(A: Any, b: Any, C: Any, d: Any, lower: Any, upper: Any) -> System:
    sizes = [np.shape(matrix)[-1:] for matrix in (A, C) if matrix is not None]
    sizes += [np.shape(bound) for bound in (lower, upper) if np.ndim(bound) == 1]
    if not sizes or not sizes[0] or not sizes[0][0]:
        raise ValueError("A, C, lower or upper must say how many entries x has, got none of them.")
    n = int(sizes[0][0])
    bounds = np.stack(
        [_bound("lower", lower, -np.inf, n), _bound("upper", upper, np.inf, n)], axis=1
    )
    wrong = bounds[:, 0] > bounds[:, 1]
    if np.any(wrong):
        i = int(np.argmax(wrong))
        raise ValueError(
            f"lower must not exceed upper, got {bounds[i, 0]} > {bounds[i, 1]} at index {i}."
        )
    return System(_rows(("A", "b"), A, b, n), _rows(("C", "d"), C, d, n), as_words(bounds))


def _bound(name: str, value: Any, missing: float, n: int) -> Float[np.ndarray, " n"]:
    bound = np.asarray(per_entry(name, missing if value is None else value, n))
    refuse_where(name, bound, bound == -missing, "a possible bound")
    return bound


def _rows(names: tuple[str, str], matrix: Any, right: Any, n: int) -> Rows:
    from scipy.sparse import coo_matrix, issparse

    if (matrix is None) != (right is None):
        raise ValueError(f"{names[0]} and {names[1]} must be given together, got one of them.")
    if matrix is None:
        matrix, right = np.zeros((0, n)), np.zeros(0)
    matrix = matrix if issparse(matrix) else np.asarray(numbers(names[0], matrix))
    if matrix.ndim != 2 or matrix.shape[1] != n:
        raise ValueError(f"{names[0]} must be a matrix with {n} columns, got {matrix.shape}.")
    sparse, right = coo_matrix(matrix), np.asarray(numbers(names[1], right))
    numbers(names[0], sparse.data)
    if right.shape != matrix.shape[:1]:
        raise ValueError(
            f"{names[1]} must have shape ({matrix.shape[0]},), one entry per row of {names[0]}, "
            f"got {right.shape}."
        )
    at = np.stack([sparse.row, sparse.col]).astype(np.int32)
    return Rows(as_words(sparse.data), at, as_words(right), (matrix.shape[0], n))
