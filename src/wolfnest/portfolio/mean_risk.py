"""What a portfolio minimises: minus the mean return, plus the risk, plus what trading costs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from wolfnest import sets
from wolfnest.objective.problem import Problem
from wolfnest.problems import risk as measures

LEAST = 1e-3  # of the deviation of equal weights: no objective counts as smaller


@dataclasses.dataclass(frozen=True)
class MeanRisk:
    """Minimise `-E r·x + λ ρ(x)` and costs, `λ = risk_aversion`; of an infinite one, `ρ` alone.

    >>> objective = MeanRisk("deviation", np.array([[0.1, 0.3], [0.2, 0.0]]), risk_aversion=2.0)
    >>> print(objective.means(), round(objective.value(np.array([0.5, 0.5])), 3))
    [0.15 0.15] -0.05
    """

    measure: str
    returns: Any
    risk_aversion: float = 1.0
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    scenario_weights: Any = None
    costs: Any = None
    previous: Any = None

    @property
    def risk_weight(self) -> float:
        """λ, and 1 where risk alone counts."""
        return 1.0 if math.isinf(self.risk_aversion) else float(self.risk_aversion)

    @property
    def chosen(self) -> dict[str, Any]:
        """What every function of a measure takes beside its name and the returns."""
        return {"scenario_weights": self.scenario_weights, **self.settings}

    @property
    def posed(self) -> dict[str, Any]:
        """That, and what the smoothed objective takes."""
        return {"risk": self.risk_weight, "costs": self.costs, **self.chosen}

    def problem(self, domain: sets.AbstractSet) -> Problem:
        """The same over a set, smoothed where the measure has kinks."""
        more = {"previous": self.previous, "reward": 0.0 if math.isinf(self.risk_aversion) else 1.0}
        return measures.problem(self.measure, self.returns, domain=domain, **more, **self.posed)

    # ---- not smoothed ------------------------------------------------------------------------

    def risk(self, weights: Any) -> float:
        """`ρ(x)`."""
        point = np.asarray(weights, float)
        return measures.evaluate(self.measure, self.returns, point, **self.chosen)

    def means(self) -> np.ndarray:
        """`E r`, one per asset."""
        table = np.asarray(self.returns)
        if self.scenario_weights is None:
            return table.mean(0, dtype=float)
        weights = np.asarray(self.scenario_weights, table.dtype)
        return np.asarray(weights @ table, float) / float(weights.sum(dtype=float))

    def paid(self, weights: np.ndarray) -> np.ndarray:
        """Costs of portfolios along the last axis."""
        if self.costs is None:
            return np.zeros(weights.shape[:-1])
        traded = np.abs(weights - np.asarray(self.previous, float))
        return np.sum(np.asarray(self.costs, float) * traded, axis=-1)

    def value(self, weights: np.ndarray) -> float:
        """`-E r·x + λ ρ(x)` and costs."""
        mean = 0.0 if math.isinf(self.risk_aversion) else float(self.means() @ weights)
        return self.risk_weight * self.risk(weights) - mean + float(self.paid(weights))

    # ---- how far off -------------------------------------------------------------------------

    def gap(self, problem: Problem, x: Any) -> float:
        """How far the value can be from its minimum over the set of the smoothed `problem`."""
        return measures.exact_gap(self.measure, self.returns, problem, x, **self.chosen)

    def smoothing(self, domain: sets.AbstractSet) -> float:
        """How far the smoothed objective can be from this one, anywhere in the set."""
        return measures.error_bound(self.measure, self.returns, domain=domain, **self.posed)

    def size(self, domain: sets.AbstractSet) -> float:
        """The mean and `λ ρ` at the set's own point, both taken positive: what gaps are compared
        with, since the objective itself may be close to zero."""
        start = np.asarray(domain.start(), float)
        if not np.any(start):  # a set around zero
            start = np.full(start.shape, 1 / start.size)
        mean = float(np.abs(self.means()) @ np.abs(start))
        found = self.risk_weight * abs(self.risk(start))
        found += 0.0 if math.isinf(self.risk_aversion) else mean
        # Nor is the risk of that one point a measure, where it happens to be zero.
        unit = measures.scale(self.returns, self.scenario_weights)
        least = LEAST * self.risk_weight * (unit**2 if self.measure == "variance" else unit)
        return max(found, least)
