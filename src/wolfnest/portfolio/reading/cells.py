"""Numbers as people write them: 1.234,56 and 1,234.56 and 1.2 %."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from wolfnest.common.imports import optional
from wolfnest.datasets.returns import DataError
from wolfnest.portfolio.reading.dates import NAMES

if TYPE_CHECKING:
    import pandas as pd

pandas: Any = optional("pandas", "portfolio", "reading a file of returns")

SIGNED = r"^[-+]?"
COMMA = SIGNED + r"(?:\d{1,3}(?:\.\d{3})+|\d+)?(?:,\d*)?(?:e[-+]?\d+)?$"
POINT = SIGNED + r"(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:e[-+]?\d+)?$"
# What can be written in one of the two ways only.
ONLY_COMMA = SIGNED + r"(?:0*,\d+|\d+,(?!\d{3}$)\d+(?:e[-+]?\d+)?|\d{1,3}(?:\.\d{3})+,\d*)$"
ONLY_POINT = SIGNED + r"(?:\d{1,3}(?:,\d{3}){2,}|(?:\d{1,3}(?:,\d{3})+|\d+)?\.\d+)$"


def plain_numbers(
    frame: pd.DataFrame, skip: Collection[str] = ()
) -> tuple[pd.DataFrame, list[str], bool]:
    """The table with text made numbers where all of it is clear, notes, and if it had "%" signs.

    >>> table = pandas.DataFrame({"A": ["1,5", "-0,25"], "B": ["1.234,5", "7"]})
    >>> plain_numbers(table)[0].to_numpy().tolist()
    [[1.5, 1234.5], [-0.25, 7.0]]
    """
    text = {}
    for column in frame.columns:
        named = str(column).strip().lower() in NAMES
        if named or column in skip or frame[column].dtype.kind in "fiubcM":
            continue
        cells = frame[column].astype("string").str.replace(r"[\s\u00a0\u202f']", "", regex=True)
        bare = cells.str.lower().str.removesuffix("%")
        some = bare.dropna()
        if len(some) and (some.str.match(COMMA) | some.str.match(POINT)).all():
            text[column] = (bare, cells.str.endswith("%").fillna(False))
    if not text:
        return frame, [], False
    every = pandas.concat([bare.dropna() for bare, _ in text.values()])
    commas, points = every[every.str.match(ONLY_COMMA)], every[every.str.match(ONLY_POINT)]
    both = every[every.str.contains(",", regex=False)]
    notes = []
    if len(both):
        if bool(len(commas)) == bool(len(points)):
            raise DataError(
                f"numbers such as {both.iloc[0]!r} can be read with a decimal comma or with commas "
                "between thousands. Save the table with decimal points and nothing between "
                "thousands."
            )
        notes.append("numbers have a decimal comma" if len(commas) else "commas part thousands")
    decimal_comma = bool(len(both) and len(commas))
    frame = frame.copy()
    for column, (bare, _) in text.items():
        if decimal_comma:
            bare = bare.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
        else:
            bare = bare.str.replace(",", "", regex=False)
        frame[column] = pandas.to_numeric(bare, errors="coerce").astype(float)
    signs = pandas.concat([sign[bare.notna()] for bare, sign in text.values()])
    if not signs.any():
        return frame, notes, False
    others = [c for c in frame if c not in {*text, *skip} and frame[c].dtype.kind == "f"]
    if not signs.all() or others:
        raise DataError(
            "some numbers have a percent sign and others have none. Write all of them in one way."
        )
    return frame, [*notes, "numbers have percent signs"], True
