"""The verdicts as tables: claims, their parts, what decides them, comparisons, and those beside."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wolfnest_reproduction.judge.verdict import Tally
from wolfnest_reproduction.show import comparisons
from wolfnest_reproduction.show.averages import Frame

if TYPE_CHECKING:
    from wolfnest_reproduction.judge.judgement import Judgement


def claims(judgement: Judgement) -> Frame:
    """One row per claim."""
    names = ("claim", "verdict", "incomplete", "text", "reason", "explanation")
    return _frame({name: getattr(one, name) for name in names} for one in judgement.verdicts)


def parts(judgement: Judgement) -> Frame:
    """One row per part of a claim, data set and criterion ("all" among them), with its counts."""
    return _frame(
        {
            "claim": part.claim,
            "part": part.part,
            "data": part.data,
            "criterion": part.criterion,
            "verdict": part.verdict,
            **_counts("", part.comparisons),
            **_counts("best_rival_", part.best),
            **_counts("best_against_best_", part.family),
            **_counts("by_time_", part.by_time),
            **_counts("by_samples_", part.by_samples),
        }
        for verdict in judgement.verdicts
        for part in verdict.parts
    )


def factors(judgement: Judgement) -> Frame:
    """One row per level of a circumstance: the comparisons that differ in nothing else."""
    return _frame(
        {
            "claim": verdict.claim,
            "part": factor.part,
            "factor": factor.factor,
            "level": factor.level,
            **_counts("", factor.comparisons),
        }
        for verdict in judgement.verdicts
        for factor in verdict.factors
    )


TABLES: dict[str, Callable[[Judgement], Frame]] = {
    "claims": claims,
    "parts": parts,
    "factors": factors,
    "comparisons": lambda judgement: comparisons.listed(judgement.figures),
    "beside": lambda judgement: judgement.beside,
}


def _counts(prefix: str, counts: Tally | None) -> dict[str, int | None]:
    names = ("better", "open", "worse")
    return {f"{prefix}{name}": None if counts is None else getattr(counts, name) for name in names}


def _frame(rows: Any) -> Frame:
    import pandas as pd

    return pd.DataFrame(list(rows))
