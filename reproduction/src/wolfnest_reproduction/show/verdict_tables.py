"""The verdicts as tables: claims, their parts, what decides them, comparisons, and those beside."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from wolfnest_reproduction.judge.judgement import Judgement
from wolfnest_reproduction.judge.tally import Tally
from wolfnest_reproduction.judge.verdict import Part
from wolfnest_reproduction.show import labels, sentences
from wolfnest_reproduction.show.averages import Frame

MOST = 3000  # comparisons, from which on those with the strongest rivals are enough
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


def claims(judgement: Judgement) -> Frame:
    """One row per claim."""
    return _frame(
        {
            "claim": one.claim.name,
            "verdict": one.outcome,
            "incomplete": one.incomplete,
            "text": one.claim.text,
            "reason": sentences.reason(one),
            "explanation": sentences.explanation(one),
        }
        for one in judgement.verdicts
    )


def parts(judgement: Judgement) -> Frame:
    """One row per part of a claim, data set and criterion ("all" among them), with its counts."""
    return _frame(
        {
            "claim": claim,
            "part": part.name,
            "data": counts.data,
            "criterion": counts.criterion,
            "verdict": counts.outcome,
            **_tallied("", counts.comparisons),
            **_tallied("best_rival_", counts.best_rival),
            **_tallied("best_against_best_", counts.best_against_best),
            **_tallied("by_time_", counts.by_time),
            **_tallied("by_samples_", counts.by_samples),
        }
        for claim, part in _parts(judgement)
        for counts in (part.whole, *part.finer)
    )


def factors(judgement: Judgement) -> Frame:
    """One row per level of a circumstance: the comparisons that differ in nothing else."""
    return _frame(
        {
            "claim": claim,
            "part": part.name,
            "factor": factor.name,
            "level": level,
            **_tallied("", tally),
        }
        for claim, part in _parts(judgement)
        for factor in part.factors
        for level, tally in factor.levels.items()
    )


def comparisons(judgement: Judgement) -> Frame:
    """The comparisons that are worth reading: those that count, and not too many.

    Where there are more than a few thousand, those with the strongest rival of each.
    """
    found: Any = judgement.figures
    for name in ("counted", "best_rival"):
        if name in found and (name == "counted" or len(found) > MOST):
            found = found[found[name].astype(bool)]
    return found.head(2 * MOST)


TABLES: dict[str, Callable[[Judgement], Frame]] = {
    "claims": claims,
    "parts": parts,
    "factors": factors,
    "comparisons": comparisons,
    "beside": lambda judgement: judgement.beside,
}


def columns(judgement: Judgement | None) -> dict[str, Any]:
    """The comparisons for the page's script, by column: texts as numbers of their level."""
    if judgement is None or not len(judgement.figures):
        return {"rows": 0}
    found = comparisons(judgement)
    names = [name for name in TITLES if name in found]
    cells: list[list[Any]] = []
    levels: list[list[str] | None] = []
    for name in names:
        values = found[name].tolist()
        if name in NUMBERS:
            cells.append(list(map(_number, values)))
            levels.append(None)
            continue
        codes, texts = pd.factorize(pd.Series(values, dtype=object).astype(str))
        cells.append(codes.tolist())
        levels.append([labels.CRITERIA.get(text, text) for text in map(str, texts)])
    return {
        "rows": len(found),
        "columns": names,
        "titles": [TITLES[name] for name in names],
        "filters": [name for name in FILTERS if name in names],
        "levels": levels,
        "cells": cells,
    }


def _parts(judgement: Judgement) -> Iterable[tuple[str, Part]]:
    return ((one.claim.name, part) for one in judgement.verdicts for part in one.parts)


def _tallied(prefix: str, tally: Tally | None) -> dict[str, int | None]:
    names = ("better", "open", "worse")
    return {f"{prefix}{name}": None if tally is None else getattr(tally, name) for name in names}


def _frame(rows: Iterable[dict[str, Any]]) -> Frame:
    return pd.DataFrame(list(rows))


def _number(value: Any) -> float | int | str | None:
    """Three digits, in a form that JSON has."""
    real = float(value)
    if real != real:
        return None
    if real in (float("inf"), float("-inf")):
        return "∞" if real > 0 else "-∞"
    short = float(f"{real:.3g}")
    return int(short) if short.is_integer() and abs(short) < 1e6 else short
