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
    from scipy.sparse import eye_array

    d, whole = len(lower), float(np.sum(np.maximum(np.abs(lower), np.abs(upper))))
    # Without a limit of its own a sum of absolute values needs no parts.
    sums = [(limit, around) for limit, around in ((gross, np.zeros(d)), (turnover, previous))
            if limit is not None]  # fmt: skip
    widest = whole if np.isfinite(whole) else max([abs(net), *(limit for limit, _ in sums)])
    ones, identity = np.ones((1, d)), eye_array(d)
    equal: list[dict[int, Any]] = [{0: ones}]
    below: list[dict[int, Any]] = []
    for part, _ in enumerate(sums):
        plus, minus = 1 + 2 * part, 2 + 2 * part
        equal.append({0: identity, plus: -identity, minus: identity})
        below.append({plus: ones, minus: ones})
    below += [{0: members[None].astype(float)} for members, _ in groups or ()]
    caps = [limit for limit, _ in sums] + [cap for _, cap in groups or ()]
    right = [np.array([net]), *(np.asarray(around, float) for _, around in sums)]
    sides = np.concatenate([np.zeros(0), *(np.full(2 * d, limit) for limit, _ in sums)])
    columns = 1 + 2 * len(sums)
    bounds = {
        "lower": np.concatenate([np.maximum(lower, -widest), np.zeros_like(sides)]),
        "upper": np.concatenate([np.minimum(upper, widest), sides]),
    }
    try:
        found = sets.Polytope(
            A=_stacked(below, columns, d), b=np.array(caps) if caps else None,
            C=_stacked(equal, columns, d), d=np.concatenate(right), **bounds,
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
    return sets.LinearImage(np.eye(d, found.middle.size), found) if sums else found


def _stacked(rows: list[dict[int, Any]], columns: int, d: int) -> Any:
    """Rows of blocks, by the number of their column, as one sparse matrix."""
    from scipy.sparse import block_array, csr_array

    blocks = [
        [csr_array(row.get(i, (row[max(row)].shape[0], d))) for i in range(columns)] for row in rows
    ]
    return block_array(blocks, format="csr") if rows else None
