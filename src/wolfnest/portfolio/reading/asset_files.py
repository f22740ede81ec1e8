"""Small files with a value per asset: groups, weights that are held."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from wolfnest.datasets.returns import DataError

HEADINGS = ("asset", "assets", "name", "ticker", "symbol", "")
Value = TypeVar("Value", str, float)


def by_asset(
    option: str, path: Path | None, kind: Callable[[str], Value]
) -> dict[str, Value] | None:
    """A CSV file with two columns, assets and their values (a header line is left out)."""
    if path is None:
        return None
    if not path.is_file():
        raise DataError(f"{option} must name a CSV file, and there is no file {str(path)!r}.")
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if any(row)]
    found: dict[str, Value] = {}
    for number, row in enumerate(rows, start=1):
        if number == 1 and row[0].lower() in HEADINGS:
            continue
        if len(row) < 2 or not row[0]:
            raise DataError(f"{path}, line {number}: expected an asset and a value, got {row!r}.")
        if row[0] in found:
            raise DataError(f"{path}, line {number}: {row[0]!r} is there twice. Keep one of them.")
        try:
            found[row[0]] = kind(row[1])
        except ValueError:
            raise DataError(f"{path}: expected a number for {row[0]!r}, got {row[1]!r}.") from None
    return found
