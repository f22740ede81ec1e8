"""Beside the claims: separate gradient batches, and the automatic choice, against the paper's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from wolfnest_reproduction.define.entrants import AUTOMATIC, SEPARATE, Entrant
from wolfnest_reproduction.judge.claims import FINITE, PLAIN, STAGED
from wolfnest_reproduction.judge.curves import Group
from wolfnest_reproduction.judge.duels import AT_SAMPLES, AT_TIME
from wolfnest_reproduction.judge.pairwise import Curves, Pair, Spreads, meet

FORMS = (APART := "separate batches", CHOICE := "automatic choice")


class Beside(NamedTuple):
    """A form against a method of the paper, at one measure. Ratios below 1: the form is lower."""

    form: str
    experiment: str
    data: str
    setting: str
    horizon: int
    criterion: str
    method: str
    rival: str
    measure: str
    value: float
    rival_value: float
    ratio: float
    low: float
    high: float
    outcome: str


def beside(curves: Curves, spreads: Spreads) -> list[dict[str, Any]]:
    """Every such pair at equal samples and at equal time: rows of a table.

    Forms with separate batches meet their own method with shared ones, the automatic choice meets
    all methods of the paper that are there.
    """
    pairs = [(form, pair) for group in curves for form, pair in _pairs(group, curves)]
    found = meet(curves, [pair for _, pair in pairs], spreads)
    rows = [
        Beside(
            form,
            *pair[0],
            met.criterion,
            *pair[1:],
            met.measure,
            met.duel.values[met.place],
            met.duel.rival_values[met.place],
            met.interval.ratio,
            met.interval.low,
            met.interval.high,
            met.outcome,
        )
        for form, pair in pairs
        for met in found[pair]
        if met.measure in (AT_SAMPLES, AT_TIME)
    ]
    return [row._asdict() for row in rows]


def _pairs(group: Group, curves: Curves) -> Iterator[tuple[str, Pair]]:
    there = curves[group]
    for name in (*PLAIN, *STAGED, *FINITE):
        apart = Entrant(name, SEPARATE).label
        if name in there and apart in there:
            yield APART, (group, apart, name)
    for name in (*PLAIN, *STAGED, *FINITE):
        if name in there and AUTOMATIC.label in there:
            yield CHOICE, (group, AUTOMATIC.label, name)
