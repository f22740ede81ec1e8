"""Assets that start late or stop early, and where the sample begins and ends without them."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from wolfnest.datasets.returns import DataError
from wolfnest.portfolio.reading.table_checks import Labels

MOST_SHOWN = 4


def notes_of_gaps(values: np.ndarray, labels: Labels, nan: str) -> list[str]:
    """What gaps do to the sample under the policy `nan`, in words; "raise" refuses short columns.

    >>> table = np.array([[1.0, np.nan], [2.0, np.nan], [2.0, 3.0], [1.0, 2.0]])
    >>> for note in notes_of_gaps(table, Labels(("A", "B")), "drop"):
    ...     print(note)
    not there all the time: 'B' (row 2 to row 3), of a table from row 0 to row 3; --nan drop \
leaves out every row that they lack: leave them out first (--without B), unless you mean it
    the sample now runs from row 2 to row 3, 2 of 4 rows
    """
    if not np.isnan(values.sum()):  # without a mask as large as the table
        return []
    there = ~np.isnan(values)
    some: Any = there.any(0)
    begin, end = there.argmax(0), len(there) - 1 - there[::-1].argmax(0)
    short = np.flatnonzero(~some | (begin > 0) | (end < len(there) - 1))
    kept = np.flatnonzero(there.all(1))
    notes = []
    if short.size:
        lives = [f"{labels.assets[i]!r} (no value)" for i in short[:MOST_SHOWN]]
        for number, i in enumerate(short[:MOST_SHOWN]):
            if some[i]:
                life = f"{_when(labels, begin[i])} to {_when(labels, end[i])}"
                lives[number] = f"{labels.assets[i]!r} ({life})"
        whole = f"{_when(labels, 0)} to {_when(labels, len(there) - 1)}"
        more = f" and {short.size - MOST_SHOWN:,} more" if short.size > MOST_SHOWN else ""
        named = f"{', '.join(lives)}{more}, of a table from {whole}"
        options = " ".join(f"--without {shlex.quote(labels.assets[i])}" for i in short[:MOST_SHOWN])
        out = f"leave them out first ({options}{', …' if more else ''})"
        if nan == "raise":
            raise DataError(
                f"these columns are not there all the time: {named}. A portfolio cannot hold what "
                f"is not traded: {out}. Or say --nan drop (without the rows that they lack) or "
                "--nan zero (they count as if nothing moved)."
            )
        if nan == "drop" and kept.size < 2:
            raise DataError(
                f"--nan drop leaves {kept.size} of {len(there):,} rows, since these columns are "
                f"not there all the time: {named}. So {out}."
            )
        does = {
            "drop": "--nan drop leaves out every row that they lack",
            "zero": "--nan zero takes them for free of risk where they are not there",
        }[nan]
        notes.append(f"not there all the time: {named}; {does}: {out}, unless you mean it")
    left = kept if nan == "drop" else np.arange(len(there))
    if nan != "raise" and left.size:
        first, last = _when(labels, left[0]), _when(labels, left[-1])
        notes.append(
            f"the sample now runs from {first} to {last}, {left.size:,} of {len(there):,} rows"
        )
    return notes


def _when(labels: Labels, row: int) -> str:
    if labels.index is None or labels.index.dtype.kind != "M":
        return f"row {row}"
    return str(labels.index[row].date())
