"""Which asset brings how much of the risk."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from wolfnest import sets
from wolfnest.portfolio.mean_risk import MeanRisk
from wolfnest.portfolio.weights_alone import full_point
from wolfnest.problems import risk as measures
from wolfnest.problems.risk.returns_table import as_table


def contributions(
    returns: Any,
    weights: Any,
    risk: str = "semideviation",
    *,
    settings: Mapping[str, Any] | None = None,
    scenario_weights: Any = None,
) -> np.ndarray:
    """The share of each asset in the risk of a portfolio, `x_i ∂ρ/∂x_i / Σ_j x_j ∂ρ/∂x_j`.

    Shares add up to 1. For measures that grow in proportion to the weights, such as deviations and
    CVaR, `x_i ∂ρ/∂x_i` add up to ρ itself (Euler). They are those of the smoothed measure. A share
    is negative for an asset that hedges the others. Where the mean gain outweighs the risk of a
    loss, and the sum is not positive, they are shares in the risk about the mean, `ρ(x) + E r·x`.

    >>> from wolfnest import datasets
    >>> shares = contributions(datasets.factor_model(500, 3), [0.5, 0.5, 0.0], "variance")
    >>> float(shares.sum()), float(shares[2])
    (1.0, 0.0)
    """
    weights = np.asarray(weights, float)
    task = MeanRisk(risk, as_table(returns), math.inf, dict(settings or {}), scenario_weights)
    # A box around one point: the ranges of what the measure has beside the weights are short.
    problem = task.problem(sets.Box(weights, weights))
    x = full_point(problem, jnp.asarray(weights, problem.dtype))
    slope = np.asarray(measures.portfolio(problem, problem.gradient(x)), float)
    parts = weights * slope
    if parts.sum() <= 0:
        parts = parts + weights * task.means()
    total = float(parts.sum())
    return parts / total if total else np.zeros_like(parts)
