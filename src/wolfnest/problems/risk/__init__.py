"""Portfolios under a risk measure, `-E r·x + λ ρ(x)`: nested expectations, one file per family."""

from wolfnest.problems.risk.common_options import Common
from wolfnest.problems.risk.deviations import absolute_deviation, semideviation
from wolfnest.problems.risk.entropic_risk import entropic
from wolfnest.problems.risk.exact_values import evaluate, exact_gap, scale
from wolfnest.problems.risk.growth import log_utility
from wolfnest.problems.risk.measures import error_bound, names, portfolio, problem, settings
from wolfnest.problems.risk.robust import chi2_robust, evar, kl_robust
from wolfnest.problems.risk.tails import cvar, expectile
from wolfnest.problems.risk.terms import with_risk
from wolfnest.problems.risk.variances import deviation, tracking_error, variance

__all__ = [
    "Common",
    "absolute_deviation",
    "chi2_robust",
    "cvar",
    "deviation",
    "entropic",
    "error_bound",
    "evaluate",
    "evar",
    "exact_gap",
    "expectile",
    "kl_robust",
    "log_utility",
    "names",
    "portfolio",
    "problem",
    "scale",
    "semideviation",
    "settings",
    "tracking_error",
    "variance",
    "with_risk",
]
