"""Ready-made problems: portfolios under a risk measure, and the matrix single-index model."""

from wolfnest.problems import risk
from wolfnest.problems.exact_minimum import Minimum, minimum
from wolfnest.problems.paper_portfolios import mean_deviation, mean_variance
from wolfnest.problems.single_index import (
    matrix_population,
    matrix_single_index,
    matrix_start,
    matrix_truth,
)

__all__ = [
    "Minimum",
    "matrix_population",
    "matrix_single_index",
    "matrix_start",
    "matrix_truth",
    "mean_deviation",
    "mean_variance",
    "minimum",
    "risk",
]
