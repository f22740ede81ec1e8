"""Download of the official archives, each with a record of where it came from and its hash.

The data are copyrighted by their authors: they are fetched only when asked for, for your own use.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wolfnest.common import checks
from wolfnest.common.files import store
from wolfnest.common.imports import optional
from wolfnest.datasets.french.parsing import FREQUENCIES, WEIGHTINGS, read_block
from wolfnest.datasets.french.text_files import sha256
from wolfnest.datasets.returns import DataError

BASE = "https://mba.tuck.dartmouth.edu/pages/faculty/ken.french/ftp/"
PORTFOLIOS = (5, 10, 12, 17, 30, 38, 48, 49)


def cache_dir() -> Path:
    """Where downloads are kept: the user's cache folder, as the operating system has it."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(base)) / "wolfnest"


def archive_name(portfolios: int, frequency: str) -> str:
    """The name of an official archive.

    >>> archive_name(17, "daily"), archive_name(5, "monthly")
    ('17_Industry_Portfolios_daily_CSV.zip', '5_Industry_Portfolios_CSV.zip')
    """
    if checks.whole("portfolios", portfolios) not in PORTFOLIOS:
        known = ", ".join(map(str, PORTFOLIOS))
        raise ValueError(f"portfolios must be one of {known}, got {portfolios!r}.")
    checks.choice("frequency", frequency, FREQUENCIES)
    return f"{portfolios}_Industry_Portfolios{'_daily' * (frequency == 'daily')}_CSV.zip"


def download(
    portfolios: int = 17,
    frequency: str = "daily",
    folder: str | Path | None = None,
    *,
    fetch: Callable[[str, Path], Any] | None = None,
) -> Path:
    """Fetch an official archive into a folder (the cache if None), replacing an earlier copy.

    The archive is put in place only once both of its blocks have been read, together with
    `<archive>.json`: url, sha256, day of the download, vintage. `fetch(url, path)` downloads one
    file; None does it with pooch.
    """
    name = archive_name(portfolios, frequency)
    url = BASE + name
    fetch = with_pooch if fetch is None else fetch
    folder = cache_dir() if folder is None else Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = tempfile.TemporaryDirectory(prefix=".download-", dir=folder)
    except OSError as error:
        raise DataError(
            f"cannot write to {folder} ({error.strerror}). Name a folder you may write to."
        ) from error
    with place as temporary:
        archive = Path(temporary, name)
        try:
            fetch(url, archive)
        except OSError as error:  # of requests too
            raise DataError(
                f"{url} cannot be fetched ({error}). Without a connection, get that file elsewhere "
                f"and put it into {folder} under the name {name}."
            ) from error
        try:
            facts = [_facts(archive, portfolios, weighting, frequency) for weighting in WEIGHTINGS]
        except DataError as error:
            raise DataError(
                f"what {url} delivered cannot be used, and nothing was kept: "
                f"{str(error).replace(str(archive), name)}"
            ) from error
        about = {
            "url": url,
            "sha256": facts[0]["sha256"],
            "downloaded": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "vintage": facts[0]["vintage"],
        }
        # An archive without a record counts as the user's own; a record never meets another file.
        _record(folder / name).unlink(missing_ok=True)
        store(folder / name, archive.read_bytes())
        store(_record(folder / name), json.dumps(about, indent=2) + "\n")
    return folder / name


def recorded(path: Path) -> dict[str, Any]:
    """What was recorded when a file was downloaded, if it was and has not changed since."""
    if not _record(path).is_file():
        return {}
    try:
        record = json.loads(_record(path).read_text(encoding="utf-8"))
        about = {key: record[key] for key in ("url", "sha256", "downloaded")}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise DataError(
            f"{_record(path)} is damaged ({error}). Delete it and {path.name}, and download again."
        ) from error
    if sha256(path) != about["sha256"]:
        raise DataError(
            f"{path} is not the file that was downloaded on {about['downloaded']}: its sha256 is "
            f"not the recorded one. Delete it and {_record(path).name}, and download again."
        )
    return about


def with_pooch(url: str, path: Path) -> None:
    pooch = optional("pooch", "data", "a download")
    pooch.HTTPDownloader(timeout=60)(url, str(path), None)


def _facts(archive: Path, portfolios: int, weighting: str, frequency: str) -> dict[str, Any]:
    table = read_block(archive, weighting, frequency)
    if len(table.names) != portfolios:
        raise DataError(f"expected {portfolios} columns, got {len(table.names)}.")
    return table.facts


def _record(path: Path) -> Path:
    return path.with_name(path.name + ".json")
