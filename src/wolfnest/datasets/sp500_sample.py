"""Real returns that need no download: they come with an optional package."""

from __future__ import annotations

import hashlib
import importlib.metadata

import numpy as np

from wolfnest.common.imports import optional
from wolfnest.datasets.returns import Returns


def sp500() -> Returns:
    """Daily returns in percent of 20 stocks of the S&P 500, 1990 to 2022 (needs skfolio).

    `100 (p_t / p_{t-1} - 1)` of the adjusted closing prices that skfolio ships
    (`skfolio.datasets.load_sp500_dataset`), according to its documentation "solely for testing
    and example purposes". All 20 have prices over the whole period, so they are survivors. `sha256`
    in the provenance is that of the prices as float64.

    >>> sp500()  # doctest: +SKIP
    Returns(8,312 × 20, percent, 1990-01-03 to 2022-12-28, S&P 500, 20 stocks, daily, shipped \
with skfolio)
    """
    datasets = optional("skfolio.datasets", "portfolio", "the S&P 500 data set")
    frame = datasets.load_sp500_dataset()
    prices = np.ascontiguousarray(frame.to_numpy(dtype=np.float64))
    return Returns(
        values=100 * (prices[1:] / prices[:-1] - 1),
        dates=frame.index.to_numpy().astype("datetime64[D]")[1:],
        names=tuple(frame.columns),
        source=f"S&P 500, {frame.shape[1]} stocks, daily, shipped with skfolio",
        provenance={
            "package": f"skfolio {importlib.metadata.version('skfolio')}",
            "sha256": hashlib.sha256(prices.tobytes()).hexdigest(),
            "frequency": "daily",
        },
    )
