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
SHARES = (
    "The share of an asset in the risk is its weight times how fast the risk grows with it. Shares "
    "add up to 100 %. A share above the weight means that the asset is riskier than the others; a "
    "negative one, that it hedges."
)
FRONTIER = (
    "Every point is the best portfolio for one weight λ of risk against return, within the same "
    "limits. To the left of the curve there is nothing to be had. All numbers are of the past rows "
    "that the weights were fitted to."
)
WORDS = {
    "Risk aversion λ": "How much return is given up for less risk: the weights minimise minus the "
    "mean return plus λ times the risk.",
    "Certificate": "A proven bound on how far the objective can be from its minimum: the duality "
    "gap. A small one means that no other weights within the limits are better by more than it.",
    "Without smoothing": "Measures with kinks are minimised in a smooth form. This bounds how far "
    "the weights are from the best ones for the measure itself.",
    "Semideviation": "The size of returns below the mean; those above it do not count.",
    "Conditional value at risk": "The mean of the worst losses, such as the worst 5 %.",
    "Frank-Wolfe gap": "What a straight-line view of the objective could still fall: the "
    "certificate along the way.",
    "Out of sample": "On rows that the weights were not fitted to.",
    "Largest fall": "From a peak of the value to the lowest point after it.",
}


def measure(name: str) -> str:
    """The name of a measure in words.

    >>> measure("cvar"), measure("mine")
    ('conditional value at risk', 'mine')
    """
    return MEASURES.get(name, name)


def lead(study: Study) -> list[str]:
    model, weights = study.model, study.weights
    held = int(np.sum(np.abs(weights) > 5e-4))
    goal = (
        f"have the least {measure(model.risk)}"
        if math.isinf(model.risk_aversion)
        else f"trade mean return against {measure(model.risk)}, with a weight of "
        f"{model.risk_aversion:g} on the risk"
    )
    largest = int(np.argmax(np.abs(weights)))
    return [
        f"These weights {goal}. They hold {held} of {len(weights)} assets; the largest is "
        f"{study.assets[largest]} with {percent(float(weights[largest]))}.",
    ]


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


def convergence(study: Study) -> str:
    model = study.model
    solution = model.solution_
    ended = (
        f"The tolerance was reached after {solution.steps:,} steps."
        if solution.status == "converged"
        else f"The tolerance was not reached in {solution.steps:,} steps: raise it, or max_steps."
    )
    return (
        "At every step the gap bounds how far the objective is from its minimum. "
        f"{ended} The weights are {model.certificate_}."
    )


def backtest(study: Study) -> str:
    assert study.windows is not None
    assert study.test is not None
    train, test = study.windows
    return (
        f"Fitted on {train:,} rows, held over the next {test:,}, and so on: "
        f"{len(study.test.turnover)} windows, {len(study.test.returns):,} rows out of sample. "
        "Minimum variance keeps to the same limits. What did well here may not do so again."
    )


def growth(logarithmic: bool) -> str:
    scale = ", on a logarithmic scale" if logarithmic else ""
    seen = "The weights of each window were found from the rows before it alone."
    return f"What 1 became{scale}. {seen}"


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
