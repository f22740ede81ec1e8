"""A CSV file as a table: its encoding, compression, separator and header."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wolfnest.common.imports import optional
from wolfnest.datasets.returns import DataError
from wolfnest.portfolio.reading.shapes import prices_alone, two_headers
from wolfnest.portfolio.reading.table_checks import refuse_doubled

if TYPE_CHECKING:
    import pandas as pd

pandas: Any = optional("pandas", "portfolio", "reading a file of returns")

HEAD = 65_536  # bytes by which a file is judged
WESTERN = "cp1252"
WORKBOOKS = {".xlsx", ".xls", ".xlsm", ".ods", ".numbers"}


def csv_table(path: Path) -> tuple[pd.DataFrame, list[str]]:
    """The table in a file, and notes on what was unusual."""
    head = _head(path)
    encoding, notes = _encoding(head, path), []
    if encoding not in ("utf-8-sig", WESTERN):
        notes.append("the file is read as UTF-16")
    compression = "gzip" if _packed(path) else None
    frame: Any
    try:
        try:
            frame = _parsed(path, head, encoding, compression)
        except UnicodeDecodeError:
            frame = _parsed(path, head, WESTERN, compression)
            encoding = WESTERN
    except (
        UnicodeDecodeError, EOFError, OSError, pandas.errors.ParserError,
        pandas.errors.EmptyDataError,
    ) as error:  # fmt: skip
        reason = (str(error).strip() or type(error).__name__).splitlines()[-1]
        raise DataError(
            f"{path} cannot be read as CSV: {reason}. Expected a header line with one name per "
            "column, and as many values in every line, saved as UTF-8."
        ) from error
    if encoding == WESTERN:
        notes.append("the file is not UTF-8 and was read as Latin-1: look at the names")
    if head.lstrip().startswith(b"<"):
        raise DataError(f"{path} is a web page, not CSV. Download the data again.")
    if frame.columns.nlevels == 2:
        frame, note = prices_alone(frame)
        notes.append(note)
    empty = [c for c in frame if str(c).startswith("Unnamed:") and frame[c].isna().all()]
    return frame.drop(columns=empty), notes


def _parsed(path: Path, head: bytes, encoding: str, compression: str | None) -> pd.DataFrame:
    lines = head.decode(encoding, errors="replace").splitlines()
    first = next(iter(lines), "")
    separator = max(",;\t", key=first.count)
    header, row = (
        [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
        for line in (first, lines[1] if len(lines) > 1 else "")
    )
    if two_headers(header, row):
        return pandas.read_csv(
            path, sep=separator, encoding=encoding, compression=compression, header=[0, 1],
            index_col=0,
        )  # fmt: skip
    refuse_doubled(header, f"{path}: ")
    longer = len(row) == len(header) + 1
    options: dict[str, Any] = {"index_col": False} if longer and not row[-1] else {}
    frame = pandas.read_csv(
        path, sep=separator, encoding=encoding, compression=compression, skipinitialspace=True,
        **options,
    )  # fmt: skip
    if longer and row[-1]:  # the column of dates has no name
        frame = frame.rename_axis("Unnamed: 0").reset_index()
    return frame


def _packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _head(path: Path) -> bytes:
    """The beginning of the text, in bytes; what is no text is refused."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")) or path.suffix.lower() in WORKBOOKS:
        raise DataError(
            f"{path} is a workbook or an archive, not text. In the spreadsheet program save the "
            "sheet as CSV (UTF-8), or unpack the archive, and name that file."
        )
    if not head.startswith(b"\x1f\x8b"):
        return head
    try:
        with gzip.open(path) as file:
            return file.read(HEAD)
    except (OSError, EOFError) as error:
        raise DataError(f"{path} cannot be unpacked: {error}. Download the data again.") from error


def _encoding(head: bytes, path: Path) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    zeros = head.count(b"\0")
    if not zeros:
        return "utf-8-sig"
    if zeros > 0.4 * len(head):
        return "utf-16-le" if head[1:2] == b"\0" else "utf-16-be"
    raise DataError(f"{path} is not a text file. Save the table as CSV (UTF-8), and name that.")
