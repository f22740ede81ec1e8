"""Industry portfolio files of the Kenneth R. French Data Library, in all their layouts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from wolfnest.datasets.french.parsing import read_block
from wolfnest.datasets.returns import DataError, Returns


def read_french(
    path: str | Path,
    weighting: str = "value",
    frequency: str | None = None,
    *,
    without: Iterable[str] = (),
) -> Returns:
    """Returns in percent from an industry portfolio file: CSV, text, or a zip archive of it.

    Reads official files of any vintage and copies with only the first block. `frequency` is
    "daily" or "monthly"; None takes what the file has. A row with a missing cell is dropped;
    `provenance` says how many rows, and which columns had how many missing cells: some industries
    start late, and with 38 of them hardly any row is complete. Columns named in `without` are left
    out first. A month is dated by its last day.

    >>> import tempfile
    >>> text = '''This file was created using the 202110 CRSP database.
    ...
    ...   Average Value Weighted Returns -- Daily
    ... ,Food ,Oil
    ... 20211028,   0.97,   0.60
    ... 20211029,  -0.17,  -0.46
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "2_Industry_Portfolios_Daily.CSV")
    ...     _ = file.write_text(text)
    ...     read_french(file)
    Returns(2 × 2, percent, 2021-10-28 to 2021-10-29, Kenneth R. French, 2 industry portfolios, \
daily, value weighted)
    """
    table = read_block(path, weighting, frequency)
    names, values = table.names, table.values
    without = (without,) if isinstance(without, str) else tuple(without)
    unknown = [name for name in without if name not in names]
    if unknown or len(set(without)) == len(names):
        raise DataError(
            f"without must name some of the columns {', '.join(names)} of {path}, got "
            f"{', '.join(unknown or without)}."
        )
    kept = [i for i, name in enumerate(names) if name not in without]
    names, values = tuple(names[i] for i in kept), values[:, kept]
    absent = np.isnan(values)
    complete = ~absent.any(axis=1)
    counts = {n: int(c) for n, c in zip(names, absent.sum(axis=0), strict=True) if c}
    if not complete.any():
        most = sorted(counts, key=lambda name: -counts[name])[:5]
        raise DataError(
            f"{path} has no row without a missing cell among its {len(values):,} "
            f"{table.facts['frequency']} rows. Most are missing in "
            + ", ".join(f"{name} ({counts[name]:,})" for name in most)
            + f". Leave out columns, such as without=({most[0]!r},), or name another file."
        )
    about = f"{len(table.names)} industry portfolios" + "".join(f" without {n}" for n in without)
    return Returns(
        values=values[complete],
        dates=table.dates[complete],
        names=names,
        source=f"Kenneth R. French, {about}, {table.facts['frequency']}, {weighting} weighted",
        provenance={
            **table.facts,
            "missing_rows_dropped": int(np.sum(~complete)),
            "missing_cells": counts,
        },
    )
