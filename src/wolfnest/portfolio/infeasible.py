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
    fair = "" if restricted else f" to at least {net / len(assets):.3g} for each"
    if most < net - ROUNDING:
        what = f"max_weight leaves no portfolio: the caps {of}add up to {most:g}"
        raise _no_portfolio(what, net, f"Raise max_weight{fair}.")
    if least > net + ROUNDING:
        what = f"min_weight leaves no portfolio: the bounds {of}add up to {least:g}"
        raise _no_portfolio(what, net, "Lower min_weight.")


def refuse_too_few(cardinality: int, upper: np.ndarray, net: float) -> None:
    """So must as many of them as may be held."""
    room = float(np.sum(np.sort(upper)[::-1][:cardinality]))
    if room < net - ROUNDING:
        what = f"the {cardinality} largest caps add up to {room:g}"
        what = f"cardinality={cardinality} leaves no portfolio: {what}"
        raise _no_portfolio(what, net, "Raise max_weight or cardinality.")


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
        what = f"group_caps and max_weight leave no portfolio: they leave room for {total:g}"
        raise _no_portfolio(what, net, "Raise the cap of a group, or max_weight.")


def _no_portfolio(what: str, net: float, advice: str) -> ValueError:
    return ValueError(f"{what}, and the weights must add up to {net:g}. {advice}")
