"""Data sets by name, and what there is on this machine."""

from __future__ import annotations

import dataclasses
import re
from contextlib import suppress
from pathlib import Path

from wolfnest.datasets.french.by_number import candidates, industry, places, verified
from wolfnest.datasets.french.official_archives import PORTFOLIOS
from wolfnest.datasets.returns import DataError, Returns, When
from wolfnest.datasets.sp500_sample import sp500
from wolfnest.datasets.synthetic import factor_model

INDUSTRY = re.compile(r"industry(\d+)(?:-(daily|monthly))?(?:-(value|equal))?")
SYNTHETIC = re.compile(r"synthetic:(\d+)x(\d+)(?::(\d+))?")
# What is taken first when nothing is named: the paper's data sets, then the others.
PREFERRED = (17, 12, 10, *(n for n in PORTFOLIOS if n not in (17, 12, 10)))


@dataclasses.dataclass(frozen=True)
class Found:
    """A data set on this machine: `load(name)` loads it, unless `problem` says why it cannot."""

    name: str
    file: str
    source: str = ""
    rows: int = 0
    columns: int = 0
    first: str = ""
    last: str = ""
    vintage: str = ""
    problem: str = ""


def load(
    name: str | None = None,
    *,
    data: str | Path | None = None,
    download: bool = False,
    start: When | None = None,
    end: When | None = None,
) -> Returns:
    """A data set by name, which the result repeats in `source`.

    - `"industry17"`, `"industry10-monthly"`, `"industry49-daily-equal"`: see `industry`;
    - `"sp500"`: see `sp500`;
    - `"synthetic:100000x50"`, or with a seed `"synthetic:100000x50:7"`: see `factor_model`;
    - None: the file that `data` names, else industry portfolios if there are any in the folder
      `data`, in WOLFNEST_DATA or in the cache (17, 12 or 10 before others, daily before monthly),
      else, if no `data` was named, the S&P 500 set.

    >>> load("synthetic:1000x5").shape
    (1000, 5)
    """
    if name is None:
        return _default(data, download).between(start, end)
    if name == "sp500":
        return sp500().between(start, end)
    if match := INDUSTRY.fullmatch(name):
        portfolios, frequency, weighting = int(match[1]), match[2] or "daily", match[3] or "value"
        return industry(
            portfolios, frequency, weighting, data=data, download=download, start=start, end=end
        )
    if match := SYNTHETIC.fullmatch(name):
        rows, dim, seed = (int(number or 0) for number in match.groups())
        return factor_model(rows, dim, seed=seed).between(start, end)
    raise ValueError(
        "name must be 'industry17' (or another number, with '-monthly' or '-equal'), 'sp500' or "
        f"'synthetic:ROWSxCOLUMNS', got {name!r}."
    )


def available(data: str | Path | None = None) -> list[Found]:
    """What `load` finds without a download, each set read once to see that it can be.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "industry5_daily_vw.csv").write_text("<html>")
    ...     [found.name for found in available(folder) if found.problem]
    ['industry5']
    """
    file = _named_file(data)
    if file is not None:
        return [_file_facts(file)]
    found = []
    keys = _keys(data)
    for key, file in keys.items():
        portfolios, frequency, weighting = key
        try:
            found.append(_facts(_name(*key), industry(*key, data=data)))
        except DataError as error:
            # Official files promise both weightings; a copy with one block is no problem.
            if weighting == "value" or (portfolios, frequency, "value") not in keys:
                found.append(Found(_name(*key), file, problem=str(error)))
    if data is None:
        with suppress(ImportError):
            found.append(_facts("sp500", sp500()))
    return found


def _default(data: str | Path | None, download: bool) -> Returns:
    file = _named_file(data)
    if file is not None:
        return verified(file)
    for key in _keys(data):
        return industry(*key, data=data)
    if download or data is not None:
        return industry(data=data, download=download)  # or says what is missing
    try:
        return sp500()
    except ImportError as error:
        raise DataError(
            f"there are no data: no industry portfolios in {' or '.join(map(str, places()))}, and "
            f"{error} Or name a folder with data=…, pass download=True, or load "
            "'synthetic:10000x20'."
        ) from error


def _keys(data: str | Path | None) -> dict[tuple[int, str, str], str]:
    """(portfolios, frequency, weighting) of what the names of files promise, best first."""
    keys = {}
    for place in places(data):
        known = [c for c in candidates(place) if c.portfolios in PREFERRED]
        known.sort(key=lambda c: (PREFERRED.index(c.portfolios), c.frequency, c.rank))
        for c in known:
            for weighting in c.weightings:
                keys.setdefault((c.portfolios, c.frequency, weighting), c.path.name)
    return keys


def _named_file(data: str | Path | None) -> Path | None:
    return next((place for place in places(data) if place.is_file()), None)


def _name(portfolios: int, frequency: str, weighting: str) -> str:
    monthly = "-monthly" if frequency == "monthly" else ""
    return f"industry{portfolios}{monthly}{'-equal' if weighting == 'equal' else ''}"


def _file_facts(file: Path) -> Found:
    try:
        returns = verified(file)
    except DataError as error:
        return Found(file.name, file.name, problem=str(error))
    facts = returns.provenance
    return _facts(_name(len(returns.names), facts["frequency"], facts["weighting"]), returns)


def _facts(name: str, returns: Returns) -> Found:
    rows, columns = returns.shape
    first, last, *_ = returns.span.split(" to ")
    return Found(
        name=name,
        file=returns.provenance.get("file") or returns.provenance.get("package", ""),
        source=returns.source,
        rows=rows,
        columns=columns,
        first=first,
        last=last,
        vintage=returns.provenance.get("vintage") or "",
    )
