"""What the page and the command say about a portfolio, in words for people who hold one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from wolfnest.common.formatting import duration, percent
from wolfnest.portfolio.per_asset import by_name

if TYPE_CHECKING:
    from wolfnest.portfolio.estimator import PortfolioOptimizer
    from wolfnest.portfolio.study import Study

MEASURES = {
    "variance": "variance",
    "deviation": "standard deviation",
    "semideviation": "semideviation",
    "absolute-deviation": "mean absolute deviation",
    "cvar": "conditional value at risk",
    "entropic": "entropic risk",
    "evar": "entropic value at risk",
    "expectile": "expectile",
    "kl-robust": "KL-robust loss",
    "chi2-robust": "χ²-robust loss",
    "log-utility": "logarithmic utility",
    "tracking-error": "tracking error",
}


def measure(name: str) -> str:
    """The name of a measure in words.

    >>> measure("cvar"), measure("mine")
    ('conditional value at risk', 'mine')
    """
    return MEASURES.get(name, name)


def achieved(study: Study) -> dict[str, Any]:
    """What the weights achieve on the rows they were fitted to, and how sure that is."""
    model, year = study.model, study.per_year
    per_year = f" ({percent(year * model.mean_)} a year)" if year else ""
    bound = model.certificate_
    relative = float(np.max(bound.relative))
    close = f", {relative:.1g} of it" if math.isfinite(relative) else ""
    return {
        "mean return": f"{percent(model.mean_)} a period{per_year}",
        measure(model.risk): f"{percent(model.risk_)} a period"
        if model.risk != "variance"
        else f"{model.risk_:.4g} a period (deviation {percent(math.sqrt(max(model.risk_, 0)))})",
        "objective": f"{float(bound.value):.6g}",
        "certificate": f"{bound}{close}",
        "without smoothing": f"within {model.exact_gap_:.2g} of the minimum"
        if math.isfinite(model.exact_gap_)
        else f"off by at most {model.smoothing_:.2g}",
        "found by": f"{model.solution_.solver.name}, {model.solution_.steps:,} steps",
        "time": f"{duration(model.seconds_)} ({duration(model.solution_.seconds)} of it solving)",
    }


def limits(model: PortfolioOptimizer) -> dict[str, str]:
    """The limits on the weights that are not at their defaults."""
    default = type(model)().get_params()
    names = ("risk", "risk_aversion", "settings", "long_only", "max_weight", "min_weight",
             "group_caps", "gross", "net", "cardinality", "max_turnover", "transaction_costs",
             "holding_periods", "nan")  # fmt: skip
    shown = {"risk": model.risk, "risk_aversion": f"{model.risk_aversion:g}"}
    for name in names[2:]:
        value = getattr(model, name)
        if value is not None and (name == "long_only" or str(value) != str(default[name])):
            given = by_name(value)
            text = value if given is None else ", ".join(f"{k}={v}" for k, v in given.items())
            shown[name] = str(text)
    return {name.replace("_", " "): value for name, value in shown.items()}
