"""Limits that no portfolio can meet: refused with the numbers, and what to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# Weights that were rounded by others still count as spending the budget.
ROUNDING = 1e-6


def refuse(
    assets: Sequence[str], bad: np.ndarray, values: np.ndarray, name: str, expected: str
) -> None:
    """An error that names the first asset with a bad value."""
    if np.any(bad):
        at = int(np.argmax(bad))
        raise ValueError(f"{name} must be {expected}, got {values[at]:g} for {assets[at]!r}.")


def refuse_infeasible(
    assets: Sequence[str], lower: np.ndarray, upper: np.ndarray, net: float, restricted: bool
) -> None:
    """Bounds must leave room for the sum of the weights."""
    least, most = float(np.sum(lower)), float(np.sum(upper))
    of = "of the assets that cardinality leaves " if restricted else ""
    if most < net - ROUNDING:
        fair = f" to at least {net / len(assets):.3g} for each" if not restricted else ""
        raise ValueError(
            f"max_weight leaves no portfolio: the caps {of}add up to {most:g}, and the weights "
            f"must add up to {net:g}. Raise max_weight{fair}."
        )
    if least > net + ROUNDING:
        raise ValueError(
            f"min_weight leaves no portfolio: the bounds {of}add up to {least:g}, and the weights "
            f"must add up to {net:g}. Lower min_weight."
        )


def refuse_full_groups(
    members: list[Any], caps: dict[Any, float], upper: np.ndarray, net: float
) -> None:
    """So must the caps of groups, each with those of its assets."""
    room = dict.fromkeys(caps, 0.0)
    free = 0.0
    for label, cap in zip(members, upper, strict=True):
        if label in room:
            room[label] += float(cap)
        else:
            free += float(cap)
    total = free + sum(min(room[label], cap) for label, cap in caps.items())
    if total < net - ROUNDING:
        raise ValueError(
            f"group_caps and max_weight leave no portfolio: they leave room for {total:g}, and the "
            f"weights must add up to {net:g}. Raise the cap of a group, or max_weight."
        )
