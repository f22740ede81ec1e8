"""`judge`: which of the paper's claims hold, on the results of a reproduction."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from wolfnest_reproduction.judge import completeness, curves, facts
from wolfnest_reproduction.judge.beside import Beside, beside
from wolfnest_reproduction.judge.claims import CLAIMS, CRITERIA, Claim
from wolfnest_reproduction.judge.factors import Edges, Factor, explain, factors
from wolfnest_reproduction.judge.pairwise import Comparison, Curves, compare
from wolfnest_reproduction.judge.verdict import (
    HOLDS,
    PARTLY,
    RULE,
    UNTESTED,
    Measured,
    Part,
    Tally,
    combine,
    parts,
)

if TYPE_CHECKING:
    import pandas as pd


class Traces(Protocol):
    """What `judge` needs of the results: two tables."""

    @property
    def traces(self) -> pd.DataFrame: ...
    @property
    def cells(self) -> pd.DataFrame: ...


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The answer to one claim.

    `verdict` is "holds", "partly", "does not hold" or "not tested". `reason` counts what it rests
    on; `explanation` says what decides it where it does not simply hold, from the `factors`.
    `incomplete` if something that the claim speaks of is missing: it then holds partly at most.
    """

    claim: str
    text: str
    verdict: str
    reason: str
    explanation: str
    parts: list[Part]
    factors: list[Factor]
    incomplete: bool = False


@dataclasses.dataclass(frozen=True)
class Judgement:
    """All verdicts, the figures of every comparison behind them, and those beside the claims."""

    verdicts: list[Verdict]
    figures: pd.DataFrame
    beside: pd.DataFrame
    rule: str = RULE

    def __str__(self) -> str:
        return "\n".join(f"{one.claim} {one.verdict}: {one.reason}" for one in self.verdicts)

    def to_records(self) -> list[dict[str, Any]]:
        """The verdicts as plain dictionaries, ready for JSON: what is not finite is None."""
        return [_plain(verdict) for verdict in self.verdicts]

    def to_json(self) -> str:
        """Rule and verdicts as JSON. The figures are a table: `figures.to_csv(...)`."""
        document = {"rule": self.rule, "verdicts": self.to_records()}
        return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)

    def to_markdown(self) -> str:
        """The claims page: the verdicts, what they rest on, and the rule."""
        from wolfnest_reproduction.show.verdict_text import page

        return page(self.verdicts, self.rule, self.beside)


def judge(results: Traces) -> Judgement:
    """Answers C1 to C5 from the traces; what is missing makes a claim "not tested".

    The rule is `Judgement.rule`. The same results give the same judgement, whatever the order of
    their rows.
    """
    import pandas as pd

    found = curves.read(results.traces, CRITERIA, facts.read(results.cells))
    spreads = facts.spreads(results.cells)
    rows = compare(found, spreads=spreads)
    edges = facts.edges(results.cells)
    unfinished = _unfinished(getattr(results, "info", None) or {}, results.cells)
    verdicts = [_verdict(claim, rows, found, edges, unfinished) for claim in CLAIMS]
    columns = [field.name for field in dataclasses.fields(Comparison)]
    figures = pd.DataFrame([vars(row) for row in rows], columns=columns)
    aside = pd.DataFrame(beside(found, spreads), columns=list(Beside._fields))
    return Judgement(verdicts, figures, aside)


def _verdict(
    claim: Claim, rows: list[Comparison], found: Curves, edges: Edges, unfinished: int
) -> Verdict:
    by_contest = {
        contest: [row for row in rows if (row.claim, row.part) == (claim.name, contest.name)]
        for contest in claim.contests
    }
    tables = [parts(claim.name, contest, those) for contest, those in by_contest.items()]
    wholes = [table[0] for table in tables]
    verdict = combine([whole.verdict for whole in wholes])
    incomplete = unfinished > 0 or not completeness.complete(claim, by_contest, found)
    reasons = [*(f"{whole}." for whole in wholes), *completeness.notes(claim, by_contest, found)]
    if unfinished:
        reasons.append(f"The run is not finished: {unfinished:,} of its cells are still to come.")
    if incomplete and verdict != UNTESTED:
        reasons.insert(0, "Incomplete.")
    table = [
        factor
        for contest, those in by_contest.items()
        for factor in factors(contest.name, those, edges)
    ]
    told = [explain(one.part, table) for one in wholes if one.verdict not in (HOLDS, UNTESTED)]
    return Verdict(
        claim.name,
        claim.text,
        PARTLY if incomplete and verdict == HOLDS else verdict,
        " ".join(reasons),
        " ".join(filter(None, told)),
        [part for table in tables for part in table],
        table,
        incomplete,
    )


def _unfinished(info: Mapping[str, Any], cells: pd.DataFrame | None) -> int:
    """Cells that were neither finished nor failed, of a run that says which it has."""
    there = set(cells["id"]) if cells is not None and "id" in cells else set()
    failed = {failure["id"] for failure in info.get("failures") or ()}
    return len(set(info.get("cells") or ()) - there - failed)


def _plain(value: Any) -> Any:
    """Dictionaries, lists, strings and finite numbers only."""
    if isinstance(value, Tally):
        return {**value._asdict(), "total": value.total}
    if isinstance(value, Factor | Measured):
        return _plain(value._asdict())
    if isinstance(value, Verdict | Part):
        return _plain(vars(value))
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
