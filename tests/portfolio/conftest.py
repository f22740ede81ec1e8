"""Small tables of returns, and a folder with a page on a portfolio."""

import numpy as np
import pandas as pd
import pytest
from holdings import returns_frame


@pytest.fixture(scope="session")
def frame():
    """120 days of five assets, as fractions, with dates."""
    return returns_frame(120, 5)


@pytest.fixture
def prices(frame):
    """The prices behind the returns."""
    levels = 100 * np.vstack([np.ones(5), np.cumprod(1 + frame.to_numpy(), axis=0)])
    first = frame.index[0] - pd.Timedelta(days=1)
    return pd.DataFrame(levels, index=frame.index.insert(0, first), columns=frame.columns)
