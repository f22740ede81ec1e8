"""Arguments of `wolfnest portfolio` that are more than a number: pairs, and small files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wolfnest.datasets.returns import DataError


def pairs(option: str, given: Iterable[str]) -> dict[str, float]:
    """`NAME=VALUE` arguments as numbers by name.

    >>> pairs("--cap", ["AAPL=0.2"])
    {'AAPL': 0.2}
    """
    found = {}
    for text in given:
        name, sign, value = text.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            sign = ""
        if not sign or not name.strip():
            raise DataError(f"{option} must be NAME=VALUE with a number, got {text!r}.")
    return found


def settings(given: Iterable[str]) -> dict[str, Any]:
    """Settings of a measure: numbers where they are whole, text where they are none."""
    found: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise DataError(f"--setting must be NAME=VALUE, got {text!r}.")
        try:
            number = float(value)
            found[name.strip()] = int(number) if number == int(number) else number
        except (ValueError, OverflowError):
            found[name.strip()] = value.strip()
    return found


def by_asset(option: str, path: Path | None) -> Mapping[str, Any] | None:
    """A CSV file with two columns, assets and their values (a header line is left out)."""
    if path is None:
        return None
    if not path.is_file():
        raise DataError(f"{option} must name a CSV file, and there is no file {str(path)!r}.")
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if any(row)]
    found: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        if number == 1 and row[0].lower() in ("asset", "assets", "name", "ticker", "symbol", ""):
            continue
        if len(row) < 2 or not row[0]:
            raise DataError(f"{path}, line {number}: expected an asset and a value, got {row!r}.")
        if row[0] in found:
            raise DataError(f"{path}, line {number}: {row[0]!r} is there twice. Keep one of them.")
        found[row[0]] = row[1]
    return found


def numbers(option: str, path: Path | None) -> dict[str, float] | None:
    """A file of `by_asset` whose values are numbers."""
    given = by_asset(option, path)
    if given is None:
        return None
    found = {}
    for asset, value in given.items():
        try:
            found[asset] = float(value)
        except ValueError:
            raise DataError(f"{path}: expected a number for {asset!r}, got {value!r}.") from None
    return found
