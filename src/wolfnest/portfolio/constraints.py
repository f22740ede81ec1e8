"""What a portfolio must keep to, by name, and the set of weights that follows."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from wolfnest import sets
from wolfnest.common import checks
from wolfnest.portfolio.general_limits import polytope
from wolfnest.portfolio.infeasible import (
    ROUNDING,
    refuse,
    refuse_full_groups,
    refuse_infeasible,
    refuse_too_few,
)
from wolfnest.portfolio.per_asset import labels, listed, per_asset


@dataclasses.dataclass(frozen=True)
class Constraints:
    """Limits on the weights of a portfolio.

    - `long_only`: no weight below zero.
    - `max_weight`, `min_weight`: bounds, one number or one per asset (a sequence, or a dictionary
      or Series by name; assets that are not in it have no bound of their own). Without
      `long_only`, `min_weight` is minus `max_weight` unless it is given.
    - `groups`: the label of each asset; `group_caps`: the largest net weight of a group, by label.
    - `net`: the sum of the weights; `gross`: the largest sum of their absolute values. 130/30 is
      `long_only=False, gross=1.6`. `net=None` leaves the sum free, and goes with `cardinality` and
      one `max_weight` for all (positions that are not paid for from the budget).
    - `previous`: the weights held now; `max_turnover`: the largest `Σ |x_i - previous_i|`, sales
      and purchases both counted.
    - `cardinality`: the largest number of assets held.

    `domain(assets)` is the smallest set of `wolfnest.sets` that holds all of these portfolios; a
    cardinality is no convex limit, and see there what becomes of it.

    >>> limits = Constraints(max_weight=0.4, groups={"A": "tech", "B": "tech"},
    ...                      group_caps={"tech": 0.5})
    >>> type(limits.domain(["A", "B", "C", "D"])).__name__
    'GroupCapped'
    >>> type(Constraints(long_only=False, gross=1.6).domain(["A", "B"])).__name__
    'LongShort'
    """

    long_only: bool = True
    max_weight: Any = None
    min_weight: Any = None
    groups: Any = None
    group_caps: Any = None
    gross: float | None = None
    net: float | None = 1.0
    previous: Any = None
    max_turnover: float | None = None
    cardinality: int | None = None

    def domain(self, assets: Sequence[str]) -> sets.AbstractSet:
        """The set of weights. A `cardinality` of k leaves its convex hull: with positions of at
        most `max_weight`, a gross sum of k times that (the K-sparse polytope)."""
        return self._domain(assets, np.ones(len(assets), bool))

    def restricted(self, assets: Sequence[str], held: np.ndarray) -> sets.AbstractSet:
        """The set of weights that are zero where `held` is False."""
        return dataclasses.replace(self, cardinality=None)._domain(assets, held)

    def _domain(self, assets: Sequence[str], held: np.ndarray) -> sets.AbstractSet:
        if self.net is None:
            return self._unfunded(assets, held)
        net = checks.finite("net", self.net)
        if self.long_only and net <= 0:
            raise ValueError(
                f"net must be positive with long_only=True, got {net:g}: weights that are not "
                "negative add up to more. Allow short positions (long_only=False, and gross)."
            )
        lower, upper = self._bounds(assets)
        if self.cardinality is not None:
            refuse_too_few(
                checks.whole("cardinality", self.cardinality, 1, len(assets)), upper, net
            )
        lower, upper = np.where(held, lower, 0.0), np.where(held, upper, 0.0)
        refuse_infeasible(assets, lower, upper, net, restricted=not held.all())
        gross = self._gross(lower, upper, net)
        members, caps = self._grouped(assets)
        plain = self.long_only and not np.any(lower)
        spends = self.previous is not None and abs(np.sum(self._held(assets)) - net) <= ROUNDING
        turnover = self._turnover()
        if plain and not caps and turnover is None:
            if np.all(upper >= net):
                return sets.Simplex(len(assets), net)
            return sets.CappedSimplex(len(assets), upper, net)
        if plain and turnover is None:
            refuse_full_groups(members, caps, upper, net)
            numbers = {label: number for number, label in enumerate(caps)}
            numbered = [numbers.get(label, -1) for label in members]  # -1: in none with a cap
            return sets.GroupCapped(numbered, list(caps.values()), upper, net)
        if plain and not caps and spends:
            return sets.TurnoverSimplex(self._held(assets), turnover, upper)
        if not caps and turnover is None:
            return sets.LongShort(len(assets), gross, net, lower, upper)
        return polytope(
            lower,
            upper,
            net,
            gross=None if self.long_only else gross,
            groups=[(np.array([m == name for m in members]), cap) for name, cap in caps.items()],
            previous=None if turnover is None else self._held(assets),
            turnover=turnover,
        )

    # ---- the parts ---------------------------------------------------------------------------

    def _bounds(self, assets: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        upper = per_asset("max_weight", self.max_weight, assets, math.inf)
        if self.long_only:
            lower = per_asset("min_weight", self.min_weight, assets, 0.0)
            refuse(assets, lower < 0, lower, "min_weight", "at least 0 with long_only=True")
        else:
            lower = per_asset("min_weight", self.min_weight, assets, -math.inf)
            lower = np.where(np.isinf(lower), -upper, lower)
        refuse(assets, upper < 0, upper, "max_weight", "at least 0")
        refuse(assets, lower > upper, lower, "min_weight", "at most max_weight")
        return lower, upper

    def _gross(self, lower: np.ndarray, upper: np.ndarray, net: float) -> float:
        widest = float(np.sum(np.maximum(np.abs(lower), np.abs(upper))))
        if self.cardinality is not None:
            largest = float(np.max(np.maximum(np.abs(lower), np.abs(upper))))
            widest = min(widest, checks.whole("cardinality", self.cardinality) * largest)
        if self.gross is None:
            if self.long_only:
                return net
            if not math.isfinite(widest):
                raise ValueError(
                    "without long_only the weights need a limit: give gross (1.6 for 130/30), or "
                    "max_weight for every asset."
                )
            return widest
        gross = float(checks.positive("gross", self.gross))
        if gross < abs(net) - ROUNDING:
            raise ValueError(
                f"gross must be at least the net sum of the weights, {net:g}, got {gross:g}."
            )
        return min(gross, widest)

    def _grouped(self, assets: Sequence[str]) -> tuple[list[Any], dict[Any, float]]:
        if self.group_caps is None:
            return [None] * len(assets), {}
        if self.groups is None:
            raise ValueError("group_caps needs groups: the label of each asset, got None.")
        members = labels("groups", self.groups, assets)
        known = dict.fromkeys(label for label in members if label is not None)
        caps: dict[Any, float] = {}
        for label, cap in dict(self.group_caps).items():
            if label not in known:
                raise ValueError(
                    f"group_caps has {label!r}, and no asset is in such a group: the groups are "
                    f"{listed(known)}. Correct the name, or leave it out."
                )
            caps[label] = float(checks.non_negative(f"the cap of group {label!r}", cap))
        return members, caps

    def _held(self, assets: Sequence[str]) -> np.ndarray:
        return per_asset("previous_weights", self.previous, assets, 0.0)

    def _turnover(self) -> float | None:
        if self.max_turnover is None:
            return None
        if self.previous is None:
            raise ValueError("max_turnover needs previous_weights, the weights held now, got None.")
        return float(checks.positive("max_turnover", self.max_turnover))

    def _unfunded(self, assets: Sequence[str], held: np.ndarray) -> sets.AbstractSet:
        others = (self.min_weight, self.group_caps, self.gross, self.max_turnover)
        if self.long_only or any(other is not None for other in others):
            raise ValueError(
                "net=None goes with long_only=False, cardinality and max_weight alone: the weights "
                "are then the K-sparse polytope. Give net, or leave out the other limits."
            )
        cap = checks.positive("max_weight (with net=None, one number)", self.max_weight)
        if held.all():
            return sets.KSparse(len(assets), checks.whole("cardinality", self.cardinality), cap)
        return sets.Box(np.where(held, -cap, 0.0), np.where(held, cap, 0.0))
