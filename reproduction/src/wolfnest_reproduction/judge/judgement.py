"""`judge`: which of the paper's claims hold, on the results of a reproduction."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from wolfnest_reproduction.define.entrants import SEPARATE, SHARED, Entrant
from wolfnest_reproduction.judge import beside, completeness, curves, facts
from wolfnest_reproduction.judge.claims import CLAIMS, CRITERIA, Claim, Contest
from wolfnest_reproduction.judge.comparisons import Comparison, Pair, compare
from wolfnest_reproduction.judge.curves import Curves, Group
from wolfnest_reproduction.judge.factors import factors
from wolfnest_reproduction.judge.verdict import HOLDS, PARTLY, Counts, Part, Verdict, combine
from wolfnest_reproduction.run.store import Results

COLUMNS = (
    *("claim", "part", *Group._fields, "criterion", "measure", "method", "rival", "value"),
    *("rival_value", "ratio", "low", "high", "outcome", "log10_ratio", "at", "seeds", "lost"),
    *("rival_lost", "time_spread", "best_rival", "counted"),
)


@dataclasses.dataclass(frozen=True)
class Judgement:
    """All verdicts, the figures of every comparison behind them, and those beside the claims."""

    verdicts: list[Verdict]
    figures: pd.DataFrame
    beside: pd.DataFrame

    def to_records(self) -> list[dict[str, Any]]:
        """The verdicts as plain dictionaries, ready for JSON: what is not finite is None."""
        return _plain(self.verdicts)

    def to_json(self) -> str:
        """The verdicts as JSON. The figures are a table: `figures.to_csv(...)`."""
        return json.dumps(self.to_records(), ensure_ascii=False, indent=1, allow_nan=False)


def judge(results: Results) -> Judgement:
    """Answers C1 to C5 from the traces; what is missing makes a claim "not tested".

    The same results give the same judgement, whatever the order of their rows.
    """
    found = curves.read(results.traces, CRITERIA, facts.read(results.cells))
    unfinished = completeness.unfinished(results.info, results.cells)
    meetings = {contest: list(pairs(contest, found)) for one in CLAIMS for contest in one.contests}
    met = compare(found, [pair for those in meetings.values() for pair in those])
    verdicts, figures = [], []
    for claim in CLAIMS:
        rows: dict[Contest, list[Comparison]] = {}
        for contest in claim.contests:
            every = [row for pair in meetings[contest] for row in met[pair]]
            rows[contest] = with_best_rivals([r for r in every if r.criterion in claim.criteria])
            names = {"claim": claim.name, "part": contest.name}
            figures += [names | row.row() for row in rows[contest]]
        verdicts.append(_verdict(claim, rows, found, unfinished))
    return Judgement(
        verdicts,
        pd.DataFrame(figures, columns=COLUMNS),
        pd.DataFrame(beside.beside(found), columns=beside.COLUMNS),
    )


def pairs(contest: Contest, curves: Curves) -> Iterator[Pair]:
    """Who meets whom: the methods of the contest, then their forms with separate batches.

    A form with separate batches meets the rival's form with separate batches where there is one.
    """
    for group, methods in curves.items():
        if group.experiment != contest.experiment:
            continue
        for batch in (SHARED, SEPARATE):
            for name, rivals in contest.pairs:
                for rival in rivals:
                    method, apart = (Entrant(one, batch).label for one in (name, rival))
                    other = apart if apart in methods else rival
                    if {method, other} <= set(methods):
                        yield Pair(group, method, other)


def with_best_rivals(rows: Sequence[Comparison]) -> list[Comparison]:
    """Marks, for every method at every measure, the rival against which it does worst."""
    best: dict[tuple, Comparison] = {}
    for row in rows:
        key = row.pair.group, row.criterion, row.measure, row.pair.method
        if key not in best or row.interval.mean > best[key].interval.mean:
            best[key] = row
    marked = set(map(id, best.values()))
    return [dataclasses.replace(row, best_rival=id(row) in marked) for row in rows]


def _verdict(
    claim: Claim, rows: Mapping[Contest, list[Comparison]], found: Curves, unfinished: int
) -> Verdict:
    parts = [_part(contest, those) for contest, those in rows.items()]
    every = [row for those in rows.values() for row in those]
    seeds = [row.seeds for row in every]
    data = completeness.tested_on(every)
    absent = completeness.absent(claim, data)
    notes = completeness.notes(claim, rows, found, unfinished)
    incomplete = bool(absent) or any(note.code in completeness.LACKING for note in notes)
    outcome = combine([part.outcome for part in parts])
    return Verdict(
        claim,
        PARTLY if incomplete and outcome == HOLDS else outcome,
        parts,
        data,
        absent,
        (min(seeds), max(seeds)) if seeds else None,
        notes,
        incomplete,
    )


def _part(contest: Contest, rows: Sequence[Comparison]) -> Part:
    cells: dict[tuple[str, str], list[Comparison]] = {}
    for row in rows:
        cells.setdefault((row.pair.group.data, row.criterion), []).append(row)
    finer = [Counts.of(contest, those, *names) for names, those in cells.items()]
    return Part(contest.name, Counts.of(contest, rows), finer, factors(rows))


def _plain(value: Any) -> Any:
    """Dictionaries, lists, strings and finite numbers only."""
    if dataclasses.is_dataclass(value):
        return _plain(vars(value))
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
