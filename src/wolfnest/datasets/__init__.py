"""Returns to run on: industry portfolios, the S&P 500, synthetic samples of any size."""

from wolfnest.datasets.catalog import industry
from wolfnest.datasets.french import read_french
from wolfnest.datasets.lookup import Found, available, load
from wolfnest.datasets.official import cache_dir, download
from wolfnest.datasets.returns import DataError, Returns
from wolfnest.datasets.shipped import sp500
from wolfnest.datasets.synthetic import factor_model

__all__ = [
    "DataError",
    "Found",
    "Returns",
    "available",
    "cache_dir",
    "download",
    "factor_model",
    "industry",
    "load",
    "read_french",
    "sp500",
]
