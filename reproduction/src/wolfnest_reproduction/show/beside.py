"""Beside the claims: separate gradient batches, and the automatic choice, counted and shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wolfnest.common.formatting import number
from wolfnest.page.markup import Column, Raw, details, join, table, tag
from wolfnest_reproduction.judge.beside import APART, CHOICE, FORMS
from wolfnest_reproduction.judge.duels import AT_SAMPLES, AT_TIME, BETTER, OPEN, WORSE
from wolfnest_reproduction.judge.verdict import Tally
from wolfnest_reproduction.show import labels, prose
from wolfnest_reproduction.show.averages import Frame
from wolfnest_reproduction.show.verdict_page import tally

MEASURES = (AT_SAMPLES, AT_TIME)
TITLES = {APART: "Separate gradient batches", CHOICE: "The automatic choice"}
# What a sentence says of a form: who is lower than whom.
SENTENCES = {
    APART: "Separate gradient batches are lower than the paper’s shared ones",
    CHOICE: "The automatic choice, which is not tuned, is lower than a tuned method of the paper",
}


class Count(NamedTuple):
    """How comparisons at one measure ended, and the median ratio of their values."""

    outcomes: Tally
    ratio: float


def count(rows: Frame) -> dict[str, Count]:
    """The comparisons at every measure.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"measure": ["at equal time"] * 2, "outcome": ["better", "open"],
    ...     "ratio": [0.5, 1.5]})
    >>> count(rows)["at equal time"]
    Count(outcomes=Tally(better=1, worse=0, open=1), ratio=1.0)
    """
    found = {}
    for measure in MEASURES:
        those = rows[rows["measure"] == measure]
        ends = those["outcome"].tolist()
        outcomes = Tally(*(ends.count(name) for name in (BETTER, WORSE, OPEN)))
        found[measure] = Count(outcomes, float(those["ratio"].median()))
    return found


def sentences(aside: Frame) -> Iterable[str]:
    """The whole in one sentence per form."""
    for form, rows in _forms(aside):
        told = [
            f"{measure} in {one.outcomes} comparisons (higher in {one.outcomes.worse:,}; "
            f"median ratio {number(one.ratio)})"
            for measure, one in count(rows).items()
            if one.outcomes.total
        ]
        yield f"{SENTENCES.get(form, form)} {' and '.join(told)}."


def section(aside: Frame) -> Raw:
    """Both forms by experiment and method; in detail by data set and criterion."""
    if not len(aside):
        return tag("p", "No method with separate batches, and no automatic choice, was run.")
    parts = [tag("p", prose.BESIDE, class_="quiet")]
    for form, rows in _forms(aside):
        title = TITLES.get(form, form)
        whole = _table(rows, {"experiment": "Experiment", "rival": "Against"}, title)
        finer = _table(
            rows,
            {"experiment": "Experiment", "data": "Data set", "criterion": "Criterion"},
            f"{title}, by data set and criterion",
        )
        parts += [
            tag("h3", title),
            *(tag("p", text) for text in sentences(rows)),
            details("By experiment and method", whole),
            details("By data set and criterion", finer),
        ]
    return join(parts)


def _forms(aside: Frame) -> Iterable[tuple[str, Frame]]:
    """The forms that are there, the known ones first."""
    there = list(map(str, aside["form"].unique()))
    for form in dict.fromkeys((*FORMS, *there)):
        if form in there:
            yield form, aside[aside["form"] == form]


def _table(rows: Frame, keys: dict[str, str], label: str) -> Raw:
    """How often the form was lower, in groups of the named columns."""
    columns = [Column(title, "keep") for title in keys.values()]
    for measure in MEASURES:
        columns += [Column(f"Better / open / worse {measure}", "keep"), Column("×", "n")]
    body = []
    for key, part in rows.groupby(list(keys), sort=False):
        cells = [labels.CRITERIA.get(str(name), str(name)) for name in key]
        for one in count(part).values():
            cells += [tally(one.outcomes), number(one.ratio)]
        body.append(cells)
    return table(columns, body, label)
