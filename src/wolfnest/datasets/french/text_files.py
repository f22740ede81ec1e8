"""Text out of a file or of the one member of a zip archive, with its hash; never too much of it."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import zipfile
from pathlib import Path

from wolfnest.datasets.returns import DataError

# The largest official file (49 industries, daily, two blocks) has about 20 MiB.
LIMIT = 1 << 27
MEMBERS = (".csv", ".txt")
ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")  # how archives begin, and empty ones
AGAIN = "Download it again, or name another file."


@dataclasses.dataclass(frozen=True)
class Text:
    """The lines of a file without their ends, and where they come from."""

    path: Path
    sha256: str
    lines: list[str]
    ended: bool  # whether the last line has a line end

    def problem(self, line: int, what: str, advice: str = AGAIN) -> DataError:
        """An error that names the file and the line."""
        return DataError(f"{self.path}, line {line:,}: {what} {advice}")


def read_text(path: str | Path) -> Text:
    """Read a text file, or the only text file in a zip archive, as recognised by its content."""
    path = Path(path)
    raw = _bytes(path)
    digest = hashlib.sha256(raw).hexdigest()
    if raw[:4] in ARCHIVES:
        raw = _unzipped(path, raw)
    if b"\0" in raw:
        raise DataError(f"{path} is not plain text. Save it as CSV in UTF-8, or name another file.")
    # Quotes are put around names by some programs and mean nothing here.
    text = raw.decode("utf-8-sig", errors="replace").replace('"', "")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise DataError(f"{path} is empty. {AGAIN}")
    ended = text.endswith("\n")
    lines = text.removesuffix("\n").split("\n")
    return Text(path=path, sha256=digest, lines=lines, ended=ended)


def sha256(path: Path) -> str:
    return hashlib.sha256(_bytes(path)).hexdigest()


def _bytes(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            raw = file.read(LIMIT + 1)
    except OSError as error:
        raise DataError(
            f"{path} cannot be read ({error.strerror}). Name a file that exists and that you may "
            "read."
        ) from error
    if len(raw) > LIMIT:
        raise _too_large(path)
    return raw


def _unzipped(path: Path, raw: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            every = archive.namelist()
            names = [n for n in every if n.lower().endswith(MEMBERS) and "__MACOSX" not in n]
            text = b""
            if len(names) == 1:
                with archive.open(names[0]) as member:
                    text = member.read(LIMIT + 1)  # what the archive says of sizes may be wrong
    except Exception as error:  # a damaged archive raises almost anything
        raise DataError(f"{path} is a damaged or protected archive ({error}). {AGAIN}") from error
    if len(names) != 1:
        raise DataError(
            f"{path} must hold exactly one file that ends in .csv or .txt, got "
            f"{', '.join(every) or 'no files'}. Unpack it and name one file."
        )
    if len(text) > LIMIT:
        raise _too_large(path)
    return text


def _too_large(path: Path) -> DataError:
    return DataError(
        f"{path} holds more than {LIMIT >> 20} MiB, more than any file of industry portfolios. "
        "Name another file."
    )
