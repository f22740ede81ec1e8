"""Beside the claims: separate gradient batches, and the automatic choice, against the paper's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from wolfnest_reproduction.define.entrants import AUTOMATIC, SEPARATE, Entrant
from wolfnest_reproduction.judge.claims import FINITE, PLAIN, STAGED
from wolfnest_reproduction.judge.comparisons import AT_SAMPLES, AT_TIME, Pair, compare
from wolfnest_reproduction.judge.curves import Curves, Group
from wolfnest_reproduction.judge.tally import Tally

FORMS = (APART := "separate batches", CHOICE := "automatic choice")
MEASURES = (AT_SAMPLES, AT_TIME)
# Ratios below 1: the form is lower.
COLUMNS = (
    *("form", *Group._fields, "criterion", "method", "rival", "measure"),
    *("value", "rival_value", "ratio", "low", "high", "outcome"),
)


def beside(curves: Curves) -> list[dict[str, Any]]:
    """Every such pair at equal samples and at equal time: rows of a table.

    Forms with separate batches meet their own method with shared ones, the automatic choice meets
    all methods of the paper that are there.
    """
    pairs = [(form, pair) for group in curves for form, pair in _pairs(group, curves)]
    found = compare(curves, [pair for _, pair in pairs])
    return [
        {"form": form, **row.row()}
        for form, pair in pairs
        for row in found[pair]
        if row.measure in MEASURES
    ]


def _pairs(group: Group, curves: Curves) -> Iterator[tuple[str, Pair]]:
    there = curves[group]
    names = [name for name in (*PLAIN, *STAGED, *FINITE) if name in there]
    for name in names:
        if (apart := Entrant(name, SEPARATE).label) in there:
            yield APART, Pair(group, apart, name)
    for name in names:
        if AUTOMATIC.label in there:
            yield CHOICE, Pair(group, AUTOMATIC.label, name)


class Count(NamedTuple):
    """How comparisons at one measure ended, and the median ratio of their values."""

    outcomes: Tally
    ratio: float


def count(rows: Any) -> dict[str, Count]:
    """The comparisons at every measure, of some rows of the table.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"measure": ["at equal time"] * 2, "outcome": ["better", "open"],
    ...     "ratio": [0.5, 1.5]})
    >>> count(rows)["at equal time"]
    Count(outcomes=Tally(better=1, worse=0, open=1), ratio=1.0)
    """
    found = {}
    for measure in MEASURES:
        those = rows[rows["measure"] == measure.name]
        found[measure.name] = Count(Tally.of(those["outcome"]), float(those["ratio"].median()))
    return found
