"""The unit of returns: fractions or percent, by the bulk of the numbers."""

from __future__ import annotations

import numpy as np

from wolfnest.datasets.returns import DataError
from wolfnest.portfolio.per_asset import listed
from wolfnest.portfolio.reading.table_checks import Labels, first

# Half of the values, without zeros, are within this size or beyond it. Fractions are hardly ever so
# large as LARGE, except those of years, which are below VERY_LARGE; nor percent as TOO_LARGE.
LARGE, VERY_LARGE, TOO_LARGE = 0.1, 0.3, 50.0
# Within SMALL, a loss of 1 is no percent but a mistake or a very long tail, where it is rare.
SMALL, FEW_BELOW = 0.02, 0.01
# A column so many times as large as the others has a unit of its own.
APART = 10.0
# Enough rows, taken evenly, to know the size of the bulk.
ROWS = 100_000

SAY = "Say --unit fraction or --unit percent"


def unit_of(values: np.ndarray, unit: str, labels: Labels) -> tuple[str, str]:
    """The unit of returns, "fraction" or "percent", and why.

    >>> unit_of(np.array([[0.4, -1.6]]), "detect", Labels(("A", "B")))[0]
    'percent'
    >>> unit_of(np.array([[0.01, -0.02]]), "detect", Labels(("A", "B")))
    ('fraction', 'half of the values are within 0.015')
    """
    if unit != "detect":
        return unit, "as was said"
    sizes = np.abs(values[:: max(1, len(values) // ROWS)], dtype=float)
    sizes[sizes == 0] = np.nan
    some = ~np.isnan(sizes).all(0)
    if not some.any():
        return "fraction", "all values are 0"
    size = float(np.nanmedian(sizes))
    if size > TOO_LARGE:
        raise DataError(
            f"half of the values are beyond {size:.2g}, which no returns are, even in percent. Say "
            "--prices, or --unit if they are."
        )
    below = int(np.sum(values < -1))
    if size > LARGE:
        if size < VERY_LARGE and not below:
            raise DataError(
                f"these returns can be fractions or percent: half of the values are within "
                f"{size:.2g}, which is much for fractions, and none is below -1, as many would be "
                f"in percent. {SAY}."
            )
        return "percent", f"half of the values are beyond {size:.2g}"
    _refuse_columns_apart(sizes[:, some], size, [labels.assets[i] for i in np.flatnonzero(some)])
    why = f"half of the values are within {size:.2g}"
    if not below:
        return "fraction", why
    row, column = first(values < -1)
    where = f"{below:,} of {values.size:,} values below -1, the first {labels.place(row, column)}"
    if size > SMALL or below > FEW_BELOW * values.size:
        raise DataError(
            f"these returns can be fractions or percent: {why}, as of fractions; but a fraction "
            f"below -1 loses more than all, and there are {where}. {SAY}, or correct the values."
        )
    return "fraction", f"{why}; though there are {where} (--unit percent, if they are right)"


def _refuse_columns_apart(sizes: np.ndarray, size: float, names: list[str]) -> None:
    """An error that names the columns which look like percent among fractions."""
    medians = np.nanmedian(sizes, axis=0)
    apart = np.flatnonzero(medians > max(LARGE, APART * size))
    if apart.size:
        raise DataError(
            f"these columns seem to be percent among fractions: {listed(names[i] for i in apart)} "
            f"(half of the values of {names[apart[0]]!r} are beyond {medians[apart[0]]:.2g}, of "
            f"all columns {size:.2g}). Bring all columns to one unit, leave those out (--without), "
            "or, if all are of one unit, say --unit fraction or --unit percent."
        )
