"""Limits for which no set has an oracle of its own: a polytope, by linear programs on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from wolfnest import sets


def polytope(
    lower: np.ndarray,
    upper: np.ndarray,
    net: float,
    *,
    gross: float | None = None,
    groups: list[tuple[np.ndarray, float]] | None = None,
    previous: np.ndarray | None = None,
    turnover: float | None = None,
) -> sets.AbstractSet:
    """`{x : Σ x_i = net, lower ≤ x ≤ upper}` with a gross limit, group caps and a turnover.

    A sum of absolute values is a linear limit on the parts of `x = p - q`, or of
    `x - previous = b - s`, so that the set is the image of a polytope in `(x, p, q, b, s)` under
    the map that keeps `x`. A group is its members (True) and its cap.

    >>> import jax.numpy as jnp
    >>> near = polytope(np.zeros(3), np.full(3, 0.6), 1.0,
    ...                 previous=np.array([0.5, 0.5, 0.0]), turnover=0.5)
    >>> print(near.lmo(jnp.array([1.0, 0.0, -1.0])))
    [0.25 0.5  0.25]
    """
    from scipy.sparse import csr_array, eye_array

    d, whole = len(lower), float(np.sum(np.maximum(np.abs(lower), np.abs(upper))))
    limits = [(gross, np.zeros(d)), (turnover, previous)]
    # Without a limit of its own a sum of absolute values needs no parts.
    parts = [(limit, around) for limit, around in limits if limit is not None]
    widest = whole if np.isfinite(whole) else max([abs(net), *(limit for limit, _ in parts)])
    identity, zero = eye_array(d), csr_array((d, d))
    equal: list[list[Any]] = [[np.ones((1, d))] + [None] * (2 * len(parts))]
    right = [np.array([net])]
    for number, (_, around) in enumerate(parts):
        row: list[Any] = [identity] + [zero] * (2 * len(parts))
        row[1 + 2 * number], row[2 + 2 * number] = -identity, identity
        equal.append(row)
        right.append(np.asarray(around, float))
    below: list[list[Any]] = []
    caps = []
    for number, (limit, _) in enumerate(parts):
        row = [csr_array((1, d))] + [csr_array((1, d))] * (2 * len(parts))
        row[1 + 2 * number] = row[2 + 2 * number] = np.ones((1, d))
        below.append(row)
        caps.append(limit)
    for members, cap in groups or ():
        below.append([members[None].astype(float)] + [csr_array((1, d))] * (2 * len(parts)))
        caps.append(cap)
    sides = np.concatenate([np.full(2 * d, limit) for limit, _ in parts] or [np.zeros(0)])
    bounds = {
        "lower": np.concatenate([np.maximum(lower, -widest), np.zeros_like(sides)]),
        "upper": np.concatenate([np.minimum(upper, widest), sides]),
    }
    try:
        found = sets.Polytope(
            A=_stacked(below), b=np.array(caps) if caps else None,
            C=_stacked(equal), d=np.concatenate(right), **bounds,
        )  # fmt: skip
    except ValueError as error:
        if "empty set" not in str(error):
            raise
        raise ValueError(
            f"the limits leave no portfolio: bounds, net sum {net:g}"
            f"{'' if gross is None else f', gross {gross:g}'}"
            f"{'' if not groups else ', group caps'}"
            f"{'' if turnover is None else f', turnover {turnover:g} from previous_weights'} "
            "cannot all be met. Loosen one of them."
        ) from None
    return sets.LinearImage(np.eye(d, found.middle.size), found) if parts else found


def _stacked(rows: list[list[Any]]) -> Any:
    """Rows of blocks as one sparse matrix."""
    from scipy.sparse import block_array, csr_array

    sparse = [[None if part is None else csr_array(part) for part in row] for row in rows]
    return block_array(sparse, format="csr") if rows else None
