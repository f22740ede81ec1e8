"""Ready-made problems: portfolios under a risk measure, and the matrix single-index model."""

from wolfnest.problems import risk
from wolfnest.problems.matrix import (
    matrix_population,
    matrix_single_index,
    matrix_start,
    matrix_truth,
)
from wolfnest.problems.minimum import Minimum, minimum
from wolfnest.problems.portfolio import mean_deviation, mean_variance

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
