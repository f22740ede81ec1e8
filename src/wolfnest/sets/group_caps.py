"""Long-only budgets with caps per asset and per group of assets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.arrays import per_entry
from wolfnest.sets.tools.filling import ROUNDINGS, filled
from wolfnest.sets.tools.points import (
    as_point,
    float_dtype,
    has_nan,
    like,
    nan_where,
    no_projection,
    unit,
)


class GroupCapped(ClosedFormSet):
    """`{x ≥ 0 : x_i ≤ caps_i, Σ_{i ∈ g} x_i ≤ group_caps_g for every group g, Σ x_i = radius}`.

    `groups` has one label per asset. Either `group_caps` is a dictionary from labels to caps, and
    groups that are not in it have none; or it is a sequence, and the labels are positions in it,
    with -1 for assets in no group. `caps` is a number, or one per asset.

    The oracle is greedy: in the order of the direction, on ties the first asset first, every asset
    gets all that its cap, its group and the budget have left. That is exact, since the sets of
    assets with a cap are nested or disjoint, so that the feasible points are the bases of a
    polymatroid (Edmonds 1970). It costs two sorts. The answer is a vertex, with the same bits
    whichever direction leads to it, or NaN if the direction has a NaN. There is no projection.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> sectors = ["tech", "tech", "energy", "health"]
    >>> fund = sets.GroupCapped(sectors, {"tech": 0.5}, caps=0.375)
    >>> print(fund.lmo(jnp.array([-3.0, -2.0, 1.0, 0.0])))
    [0.375 0.125 0.125 0.375]
    """

    labels: Array | np.ndarray
    group_caps: Array | np.ndarray
    caps: Array | np.ndarray
    radius: Array | np.ndarray

    def __init__(
        self,
        groups: Sequence[Any] | np.ndarray,
        group_caps: Mapping[Any, Any] | Sequence[Any] | np.ndarray,
        caps: Any = 1.0,
        radius: Any = 1.0,
    ):
        self.labels, self.group_caps = _groups(groups, group_caps)
        self.caps = per_entry("caps", caps, self.labels.size, least=0.0)
        self.radius = checks.positive("radius", radius)
        if not checks.is_traced((self.group_caps, self.caps, self.radius)):
            totals = np.bincount(self.labels, self.caps, self.group_caps.size)
            room = float(np.sum(np.minimum(totals, self.group_caps)))
            if room < float(self.radius) * (1 - 1e-9):
                raise ValueError(
                    f"caps and group_caps must leave room for the radius, {self.radius}, "
                    f"got room for {room:g}."
                )

    def lmo(self, direction: Float[Array, " dim"]) -> Float[Array, " dim"]:
        d = as_point("direction", direction, self.labels.shape)
        caps, group_caps, radius = self._limits(d)
        order = jnp.argsort(d)
        # Within every group first, then over all.
        allowed = _poured(caps, group_caps, jnp.asarray(self.labels), order)
        return nan_where(has_nan(d), filled(jnp.zeros_like(d), allowed, radius, order))

    def project(self, x: Float[Array, " dim"]) -> Float[Array, " dim"]:
        raise no_projection("GroupCapped")

    def contains(self, x: Float[Array, " dim"], tol: float = 1e-5) -> Bool[Array, ""]:
        """Signs, caps, group caps and the sum, each up to `tol · radius`."""
        x = as_point("x", x, self.labels.shape)
        caps, group_caps, radius = self._limits(x)
        slack = tol * radius
        totals = jax.ops.segment_sum(x, jnp.asarray(self.labels), group_caps.size)
        within = jnp.all(totals <= group_caps + slack)
        sums = within & (jnp.abs(jnp.sum(x) - radius) <= slack)
        return sums & jnp.all((x >= -slack) & (x <= caps + slack))

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound: with `u_i` the least of the caps of an entry and the radius, and `u` the
        largest of them, two points are at most `√(2 · radius · u)` apart, and at most `‖u_i‖`."""
        caps, group_caps, radius = self._limits(jnp.asarray(self.radius))
        most = jnp.minimum(caps, group_caps[jnp.asarray(self.labels)])
        return jnp.minimum(jnp.sqrt(2 * radius) * jnp.sqrt(jnp.max(most)), unit(most)[1])

    def start(self, dtype: Any = None) -> Float[Array, " dim"]:
        """Every group with the same share of its room, spread over its assets by their caps."""
        caps, group_caps, radius = self._limits(jnp.zeros((), float_dtype(dtype)))
        labels = jnp.asarray(self.labels)
        totals = jax.ops.segment_sum(caps, labels, group_caps.size)
        room = jnp.minimum(totals, group_caps)
        filled = radius / jnp.sum(room) * room / jnp.where(totals > 0, totals, 1)
        return caps * filled[labels]

    def _limits(self, x: Array) -> tuple[Array, Array, Array]:
        """Caps, group caps and radius; no cap needs to be larger than the radius."""
        radius = like(self.radius, x)
        caps, group_caps = like(self.caps, x), like(self.group_caps, x)
        return jnp.minimum(caps, radius), jnp.minimum(group_caps, radius), radius


def _poured(
    caps: Float[Array, " n"],
    limits: Float[Array, " groups"],
    labels: Int[Array, " n"],
    order: Int[Array, " n"],
) -> Float[Array, " n"]:
    """`filled` from zero in every group, as far as its limit goes."""
    by_group = order[jnp.argsort(labels[order])]  # which keeps the order within a group
    begins = jnp.diff(labels[by_group], prepend=-1) != 0

    def join(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
        return jnp.where(b[1], b[0], a[0] + b[0]), a[1] | b[1]

    spent, _ = jax.lax.associative_scan(join, (caps[by_group], begins))
    rounding = ROUNDINGS * jnp.finfo(caps.dtype).eps * limits
    fits = spent <= (limits + rounding)[labels[by_group]]
    next_one = ~fits & (begins | jnp.roll(fits, 1))
    full, last = jnp.zeros((2, *caps.shape), bool).at[:, by_group].set(jnp.stack([fits, next_one]))
    x = jnp.where(full, caps, 0)
    rest = limits - jax.ops.segment_sum(x, labels, limits.size)
    rest = jnp.where(rest <= rounding, 0, rest)[labels]
    return jnp.where(last, jnp.minimum(rest, caps), x)


def _groups(groups: Any, group_caps: Any) -> tuple[np.ndarray, Array | np.ndarray]:
    """The number of every asset's group, and the caps by number; the last group has no cap."""
    labels = list(groups)
    if not labels:
        raise ValueError("groups must have one label per asset, got none.")
    if isinstance(group_caps, Mapping):
        names = {name: number for number, name in enumerate(group_caps)}
        for name in names:
            if name not in labels:
                raise ValueError(f"group_caps has {name!r}, but no asset in groups is labelled so.")
        count, values = len(names), list(group_caps.values())
        numbered = [names.get(label, count) for label in labels]
    else:
        values, count = group_caps, len(group_caps)
        within = f"groups[{{}}], with {count} group_caps,"
        given = [
            checks.whole(within.format(i), label, least=-1, most=count - 1)
            for i, label in enumerate(labels)
        ]
        numbered = [count if label < 0 else label for label in given]
    caps = per_entry("group_caps", values, count, least=0.0)
    library = jnp if checks.is_traced(caps) else np
    return np.asarray(numbered, np.int32), library.append(caps, np.inf)
