"""skfolio: portfolios of maximal utility, `MeanRisk`."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np


def mean_risk(measure: str, returns: np.ndarray, risk: float, cap: float) -> np.ndarray:
    """The weights that minimise `-E r·x + risk · ρ(x)`, none above `cap`; `measure` is the name of
    ρ in skfolio's `RiskMeasure`."""
    skfolio: Any = importlib.import_module("skfolio")
    optimization: Any = importlib.import_module("skfolio.optimization")
    model = optimization.MeanRisk(
        objective_function=optimization.ObjectiveFunction.MAXIMIZE_UTILITY,
        risk_measure=skfolio.RiskMeasure[measure],
        risk_aversion=risk,
        max_weights=cap,
    )
    return np.asarray(model.fit(returns).weights_)
