"""Returns to run on: industry portfolios, the S&P 500, synthetic samples of any size."""

from wolfnest.datasets.french.by_number import industry
from wolfnest.datasets.french.industry_file import read_french
from wolfnest.datasets.french.official_archives import cache_dir, download
from wolfnest.datasets.loading import Found, available, load
from wolfnest.datasets.returns import DataError, Returns
from wolfnest.datasets.sp500_sample import sp500
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
