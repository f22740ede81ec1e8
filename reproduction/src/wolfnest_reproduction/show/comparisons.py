"""The comparisons behind the verdicts: those worth reading, as columns for the page's script."""

from __future__ import annotations

from typing import Any

from wolfnest_reproduction.show import labels
from wolfnest_reproduction.show.averages import Frame

MOST = 3000
TITLES = {
    "claim": "Claim",
    "experiment": "Experiment",
    "data": "Data set",
    "setting": "Setting",
    "horizon": "Horizon",
    "criterion": "Criterion",
    "measure": "Measured",
    "method": "Method",
    "rival": "Rival",
    "value": "Its value",
    "rival_value": "Rival’s value",
    "ratio": "Ratio",
    "low": "log₁₀ ratio from",
    "high": "to",
    "outcome": "Outcome",
}
NUMBERS = ("value", "rival_value", "ratio", "low", "high")
FILTERS = ("claim", "data", "criterion", "measure", "method", "outcome")


def listed(comparisons: Frame) -> Frame:
    """The comparisons that are worth reading: those that count, and not too many.

    Where there are more than a few thousand, those with the strongest rival of each.
    """
    for name in ("counted", "best_rival"):
        if name in comparisons and (name == "counted" or len(comparisons) > MOST):
            comparisons = comparisons[comparisons[name].astype(bool)]
    return comparisons.head(2 * MOST)


def columns(figures: Frame) -> dict[str, Any]:
    """The listed comparisons as columns: texts as numbers of their level."""
    if not len(figures):
        return {"rows": 0}
    figures = listed(figures)
    names = [name for name in TITLES if name in figures]
    cells: list[list[Any]] = []
    levels: list[list[str] | None] = []
    for name in names:
        if name in NUMBERS:
            cells.append([_number(value) for value in figures[name].tolist()])
            levels.append(None)
            continue
        texts = [labels.CRITERIA.get(str(value), str(value)) for value in figures[name].tolist()]
        order = list(dict.fromkeys(texts))
        place = {text: k for k, text in enumerate(order)}
        cells.append([place[text] for text in texts])
        levels.append(order)
    return {
        "rows": len(figures),
        "columns": names,
        "titles": [TITLES[name] for name in names],
        "filters": [name for name in FILTERS if name in names],
        "levels": levels,
        "cells": cells,
    }


def _number(value: Any) -> float | int | str | None:
    real = float(value)
    if real != real:
        return None
    if real in (float("inf"), float("-inf")):
        return "∞" if real > 0 else "-∞"
    short = float(f"{real:.3g}")
    return int(short) if short.is_integer() and abs(short) < 1e6 else short
