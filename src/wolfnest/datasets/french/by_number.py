"""Industry portfolios by number: found in a folder by the names of files, or downloaded."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable
from pathlib import Path

from wolfnest.common import checks
from wolfnest.datasets.french.industry_file import read_french
from wolfnest.datasets.french.official_archives import (
    BASE,
    archive_name,
    cache_dir,
    download,
    recorded,
)
from wolfnest.datasets.french.parsing import WEIGHTINGS
from wolfnest.datasets.returns import DataError, Returns, When

VARIABLE = "WOLFNEST_DATA"
# Official names, and names like industry10_daily_vw_25105.csv.
OFFICIAL = re.compile(r"(\d+)_industry_portfolios(_daily)?(?:_csv|_txt)?\.(csv|zip|txt)", re.I)
TRIMMED = re.compile(r"industry_?(\d+)_(daily|monthly)(?:_(vw|ew))?(?:_\w+)?\.(csv|zip|txt)", re.I)
ORDER = ("csv", "zip", "txt")
ABBREVIATED = {"vw": ("value",), "ew": ("equal",)}


@dataclasses.dataclass(frozen=True)
class Candidate:
    """What the name of a file promises; of several, those with the lowest rank are taken."""

    path: Path
    portfolios: int
    frequency: str
    weightings: tuple[str, ...]
    rank: int


def industry(
    portfolios: int = 17,
    frequency: str = "daily",
    weighting: str = "value",
    *,
    data: str | Path | None = None,
    download: bool = False,
    start: When | None = None,
    end: When | None = None,
    without: Iterable[str] = (),
) -> Returns:
    """Returns of the Kenneth R. French industry portfolios, in percent.

    `data` names a folder or a file; else the environment variable WOLFNEST_DATA does, and then
    downloads in the cache are looked through. Official names are recognised
    (`17_Industry_Portfolios_daily_CSV.zip`, `17_Industry_Portfolios_Daily.CSV`), and
    `industry17_daily_vw.csv`. With `download=True` the official archive is fetched if there is no
    file (into the folder `data`, else into the cache); delete it to get a newer one. `start` and
    `end` are both included; `without` leaves out columns, see `read_french`.

    >>> import tempfile
    >>> rows = "date,Cnsmr,Manuf,HiTec,Hlth,Other\\n20211028,1,2,3,4,5\\n20211029,2,3,4,5,6\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "industry5_daily_vw.csv").write_text(rows)
    ...     industry(5, data=folder, start="2021-10-29").values
    array([[2., 3., 4., 5., 6.]])
    """
    archive_name(portfolios, frequency)  # refuses what there is not
    checks.choice("weighting", weighting, WEIGHTINGS)
    path = locate(portfolios, frequency, weighting, data)
    if path is None and not download:
        raise DataError(_nothing(portfolios, frequency, weighting, data))
    if path is None:
        path = _download(portfolios, frequency, data)
    returns = verified(path, weighting, frequency, without)
    columns = len(returns.names) + len({without} if isinstance(without, str) else set(without))
    if columns != portfolios:
        raise DataError(
            f"{path} has {columns} columns, and {portfolios} industry portfolios were asked for. "
            f"Ask for portfolios={columns}, or name another file."
        )
    return returns.between(start, end)


def verified(
    path: Path,
    weighting: str = "value",
    frequency: str | None = None,
    without: Iterable[str] = (),
) -> Returns:
    """What `read_french` reads, after a look whether a downloaded file is still the same."""
    record = recorded(path)
    returns = read_french(path, weighting, frequency, without=without)
    return dataclasses.replace(returns, provenance={**returns.provenance, **record})


def locate(portfolios: int, frequency: str, weighting: str, data: str | Path | None) -> Path | None:
    """The file that holds a data set, or None."""
    for place in places(data):
        if place.is_file():
            return place
        fits = [
            c
            for c in candidates(place)
            if (c.portfolios, c.frequency) == (portfolios, frequency) and weighting in c.weightings
        ]
        best = [c.path for c in fits if c.rank == min(c.rank for c in fits)]
        if len(best) > 1:
            raise DataError(
                f"{place} holds several files of these portfolios: "
                f"{', '.join(sorted(p.name for p in best))}. Name one of them with data=…, or "
                "remove the others."
            )
        if best:
            return best[0]
    return None


def places(data: str | Path | None = None) -> list[Path]:
    """The folders, or the one file, in which data are looked for, in order."""
    named = os.environ.get(VARIABLE) if data is None else data
    if not named:
        return [cache_dir()]
    place = Path(named).expanduser()
    if not place.exists():
        who = f"the environment variable {VARIABLE}" if data is None else "data"
        raise DataError(f"{who} must name a folder or a file that exists, got {str(named)!r}.")
    return [place] if data is not None or place.is_file() else [place, cache_dir()]


def candidates(folder: Path) -> list[Candidate]:
    """The files in a folder whose names are those of industry portfolios."""
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if match := OFFICIAL.fullmatch(path.name):
            frequency = "daily" if match[2] else "monthly"
            rank = ORDER.index(match[3].lower())
            found.append(Candidate(path, int(match[1]), frequency, WEIGHTINGS, rank))
        elif match := TRIMMED.fullmatch(path.name):
            weightings = ABBREVIATED[(match[3] or "vw").lower()]
            rank = len(ORDER)
            found.append(Candidate(path, int(match[1]), match[2].lower(), weightings, rank))
    return found


def _download(portfolios: int, frequency: str, data: str | Path | None) -> Path:
    return download(portfolios, frequency, None if data is None else places(data)[0])


def _nothing(portfolios: int, frequency: str, weighting: str, data: str | Path | None) -> str:
    name = archive_name(portfolios, frequency)
    return (
        f"there is no file of the {portfolios} industry portfolios, {frequency}, {weighting} "
        f"weighted, in {' or '.join(map(str, places(data)))}. Put {name} there (from "
        f"{BASE}{name}), name its folder with data=… or the environment variable {VARIABLE}, or "
        "pass download=True."
    )
