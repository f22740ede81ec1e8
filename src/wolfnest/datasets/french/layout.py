"""Where the blocks of an industry portfolio file are.

A block is a run of rows that start with a date (`YYYYMMDD`, `YYYYMM` or a year), with a header
line above, and above that a title such as `Average Value Weighted Returns -- Daily`. Everything
else, the preamble of any length and the copyright line, is text. Separators are commas, or blanks
as in the `.txt` files.
"""

from __future__ import annotations

import dataclasses
import re

from wolfnest.datasets.french.text_files import Text

ROW = re.compile(r"\s*(\d{4}(?:-?\d\d){0,2})\s*(?:,|$|\s[-+.:\d])")
TITLE = re.compile(
    r"\W*(?:average\s+)?(value|equal)[\s-]*weight(?:ed)?\s+returns?\b", re.IGNORECASE
)
EQUAL = re.compile(r"(?:\b|_)(?:ew|equal)(?:\b|_)", re.IGNORECASE)
FREQUENCIES = {4: "annual", 6: "monthly", 8: "daily"}
NOTHING = ", \t"  # what a line of a spreadsheet without content consists of


@dataclasses.dataclass(frozen=True)
class Block:
    """One table of a file: line numbers count from 1; 0 means that there is no such line."""

    title: str
    header: int
    rows: list[int]
    weighting: str | None
    frequency: str

    def __str__(self) -> str:
        kind = f"{self.weighting} weighted" if self.weighting else repr(self.title or "untitled")
        return f"{kind} {self.frequency} rows from line {self.rows[0]:,}"


def blocks(text: Text) -> list[Block]:
    """All blocks of a file, in order."""
    found: list[Block] = []
    above: list[int] = []  # lines of text since the last row
    for number, line in enumerate(text.lines, 1):
        if match := ROW.match(line):
            if above or not found:
                found.append(_block(text, above, match[1], first=not found))
                above = []
            found[-1].rows.append(number)
        elif line.strip(NOTHING):
            above.append(number)
    return found


def _block(text: Text, above: list[int], date: str, first: bool) -> Block:
    header, title = above[-1] if above else 0, ""
    if len(above) > 1:
        line = text.lines[above[-2] - 1].strip(NOTHING)
        # After a blank line it may also be the end of the preamble.
        title = line if above[-2] == header - 1 or TITLE.match(line) else ""
    match = TITLE.match(title)
    if match:
        weighting = match[1].lower()
    elif first and not title:
        # A copy of the first block only, which is the value-weighted one in official files.
        weighting = "equal" if EQUAL.search(text.path.stem) else "value"
    else:
        weighting = None
    return Block(title, header, [], weighting, FREQUENCIES[len(date.replace("-", ""))])


def cells(line: str) -> list[str]:
    """The cells of a line, between commas, or between blanks if there are no commas."""
    return [cell.strip() for cell in line.split(",")] if "," in line else line.split()
