"""One block of an industry portfolio file, read and checked cell by cell."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from wolfnest.common import checks
from wolfnest.datasets.french import layout
from wolfnest.datasets.french.layout import Block
from wolfnest.datasets.french.text_files import Text, read_text
from wolfnest.datasets.returns import DataError

WEIGHTINGS = ("value", "equal")
FREQUENCIES = ("daily", "monthly")
MISSING = (-99.99, -999.0)  # "Missing data are indicated by -99.99 or -999." (the files' preamble)
BLANK = {"", "na", "n/a", "nan", "."}


@dataclasses.dataclass(frozen=True)
class ParsedBlock:
    """A block as it stands in the file, with NaN for missing cells."""

    names: tuple[str, ...]
    dates: np.ndarray
    values: np.ndarray
    facts: dict[str, Any]


def read_block(
    path: str | Path, weighting: str = "value", frequency: str | None = None
) -> ParsedBlock:
    """One block of a file, checked cell by cell, nothing dropped."""
    checks.choice("weighting", weighting, WEIGHTINGS)
    if frequency is not None:
        checks.choice("frequency", frequency, FREQUENCIES)
    text = read_text(path)
    found = layout.blocks(text)
    block = _chosen(text, found, weighting, frequency)
    names = _names(text, block)
    _refuse_a_cut(text, block)
    _refuse_untitled(text, found[found.index(block) + 1 :])
    dates = _dates(text, block)
    values = _values(text, block, names)
    returns = [b for b in found if b.weighting and b.frequency in FREQUENCIES]
    preamble = text.lines[: found[0].rows[0] - 1]
    vintage = next((line.strip(layout.NOTHING) for line in preamble if "CRSP" in line), None)
    facts = {
        "file": text.path.name,
        "sha256": text.sha256,
        "vintage": vintage,
        "weighting": weighting,
        "frequency": block.frequency,
        "blocks": [f"{b.weighting} {b.frequency}" for b in returns],
    }
    return ParsedBlock(names, dates, values, facts)


def _chosen(text: Text, found: list[Block], weighting: str, frequency: str | None) -> Block:
    if not found:
        first = next((i for i, line in enumerate(text.lines) if line.strip()), 0)
        line = text.lines[first].strip()
        what = "this is a web page, not data" if line.startswith("<") else "there are no rows here"
        raise text.problem(
            first + 1,
            f"{what}: expected rows that start with a date, 'YYYYMMDD,' or 'YYYYMM,', got "
            f"{line[:60]!r}.",
        )
    for wanted in FREQUENCIES if frequency is None else (frequency,):
        fits = [b for b in found if b.weighting == weighting and b.frequency == wanted]
        if len(fits) > 1:
            raise text.problem(
                fits[1].rows[0],
                f"there are two blocks of {weighting} weighted {wanted} returns, the first from "
                f"line {fits[0].rows[0]:,}.",
                "Delete one of them.",
            )
        if fits:
            return fits[0]
    raise DataError(
        f"{text.path} has no {weighting} weighted {frequency or 'daily or monthly'} returns; it "
        f"has {'; '.join(map(str, found))}. Ask for what it has, or name another file."
    )


def _names(text: Text, block: Block) -> tuple[str, ...]:
    if not block.header:
        raise text.problem(
            block.rows[0],
            "the rows start here, without a header line above.",
            "Add one, such as 'date,Food,Mines,…'.",
        )
    line = text.lines[block.header - 1]
    names = layout.cells(line)
    # The first cell stands over the dates; in files with blanks as separators it is often missing.
    if "," in line or len(names) == len(layout.cells(text.lines[block.rows[0] - 1])):
        names = names[1:]
    while names and not names[-1]:
        names.pop()
    bad = [name for name in names if not name or _is_number(name) or names.count(name) > 1]
    if not names or bad:
        raise text.problem(
            block.header,
            "expected a header line with a different name for every column, got "
            f"{line.strip()[:60]!r}.",
            "Correct it, or download the file again.",
        )
    return tuple(names)


def _refuse_a_cut(text: Text, block: Block) -> None:
    """A file that ends inside its last number, or a block that is broken by a line of text."""
    last = block.rows[-1]
    for number in block.rows:
        after = text.lines[number] if number < len(text.lines) else ""
        text_follows = after.strip(layout.NOTHING) and not layout.ROW.match(after)
        if text_follows and not after.strip().lower().startswith("copyright"):
            raise text.problem(
                number + 1, f"expected a row that starts with a date, got {after.strip()[:60]!r}."
            )
    if last == len(text.lines) and not text.ended and len(block.rows) > 1:
        # Numbers with two decimals throughout, and fewer in the very last one.
        *before, final = (_decimals(text.lines[n - 1]) for n in block.rows)
        if final < before[0] and len(set(before)) == 1:
            raise text.problem(last, "the file ends inside a number.")


def _refuse_untitled(text: Text, after: list[Block]) -> None:
    """Rows below a header without a title may belong to the block above, or be another one."""
    if after and not after[0].title:
        raise text.problem(
            after[0].header,
            "rows start again below this line, and there is no title that says of what.",
            "Delete the line, or put one above such as 'Average Equal Weighted Returns -- Daily'.",
        )


def _dates(text: Text, block: Block) -> np.ndarray:
    unit = "D" if block.frequency == "daily" else "M"
    dates = []
    for number in block.rows:
        match = layout.ROW.match(text.lines[number - 1])
        digits = match[1].replace("-", "") if match else ""
        if layout.FREQUENCIES.get(len(digits)) != block.frequency:
            raise text.problem(number, f"expected a {block.frequency} date, got {digits!r}.")
        parts = (digits[:4], digits[4:6], digits[6:])
        try:
            dates.append(np.datetime64("-".join(part for part in parts if part), unit))
        except ValueError:
            raise text.problem(number, f"{digits!r} is not a date.") from None
    days = np.array(dates)
    late = np.flatnonzero(days[1:] <= days[:-1])
    if late.size:
        here = int(late[0]) + 1
        raise text.problem(
            block.rows[here],
            f"{days[here]} comes after {days[here - 1]} (line {block.rows[here - 1]:,}): dates "
            "must increase, each once.",
            "Sort the rows and keep one per date, or download the file again.",
        )
    return days if unit == "D" else (days + 1).astype("datetime64[D]") - 1


def _values(text: Text, block: Block, names: tuple[str, ...]) -> np.ndarray:
    table = []
    for number in block.rows:
        row = layout.cells(text.lines[number - 1])[1:]
        if len(row) > len(names) and not any(row[len(names) :]):
            row = row[: len(names)]
        if len(row) != len(names):
            raise text.problem(
                number,
                f"expected {len(names)} values, one per name in line {block.header:,}, got "
                f"{len(row)}.",
            )
        try:
            table.append([float(cell) for cell in row])
        except ValueError:
            table.append([_number(text, number, n, c) for n, c in zip(names, row, strict=True)])
    values = np.array(table)
    values[np.isin(values, MISSING)] = np.nan
    wrong = np.argwhere((values < -100) | np.isinf(values))
    if wrong.size:
        row, column = wrong[0]
        raise text.problem(
            block.rows[row],
            f"column {names[column]!r}: {values[row, column]} is not a return in percent, which "
            "is finite and not below -100.",
        )
    return values


def _number(text: Text, line: int, name: str, cell: str) -> float:
    if cell.lower() in BLANK:
        return np.nan
    if _is_number(cell):
        return float(cell)
    raise text.problem(
        line,
        f"column {name!r}: expected a number, got {cell!r}.",
        "Correct it, or download the file again.",
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _decimals(line: str) -> int:
    return len(line.rstrip().rpartition(".")[2])
