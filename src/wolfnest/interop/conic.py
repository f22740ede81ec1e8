"""Portfolios as CVXPY states them: the same problems for conic solvers, to compare with.

The models are exact. Where `wolfnest.problems.risk` smooths a measure, they do not, and settings
that only smooth change nothing. Needs CVXPY: `pip install 'wolfnest[conic]'`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from wolfnest.common import checks
from wolfnest.common.imports import optional
from wolfnest.datasets.returns import Returns
from wolfnest.problems.risk.growth import refuse_ruin
from wolfnest.problems.risk.measures import known, named, resolved
from wolfnest.problems.risk.returns_table import ReturnsLike, as_table
from wolfnest.problems.risk.robust import entropy
from wolfnest.problems.risk.tails import excess


class ConicModel(NamedTuple):
    """Minimise `objective` over `weights` under `constraints`, which say that they are a portfolio.

    All three are CVXPY's own, so that a model can get further terms and constraints.
    """

    weights: Any
    objective: Any
    constraints: list[Any]

    @property
    def program(self) -> Any:
        """The `cvxpy.Problem`."""
        cvxpy = _cvxpy()
        return cvxpy.Problem(cvxpy.Minimize(self.objective), self.constraints)


def mean_variance(returns: ReturnsLike, risk: float = 1.0) -> ConicModel:
    """`wolfnest.problems.mean_variance`: a quadratic program in the moments of the returns.

    >>> import numpy as np
    >>> from wolfnest.interop import conic
    >>> model = conic.mean_variance(np.array([[0.1, 0.0], [-0.1, 0.0]]))
    >>> found = model.program.solve(solver="CLARABEL")
    >>> print(model.weights.value.round(3) + 0.0)
    [0. 1.]
    """
    return measured("variance", returns, risk)


def mean_deviation(returns: ReturnsLike, risk: float = 1.0, delta: float = 1e-6) -> ConicModel:
    """`wolfnest.problems.mean_deviation`: a second-order cone program in the moments."""
    posing = _Posing.of(returns)
    moved = np.sqrt(checks.positive("delta", delta))
    rho = posing.cvxpy.norm(posing.cvxpy.hstack([posing.spread, moved]), 2)
    return posing.model(risk, rho)


def measured(name: str, returns: ReturnsLike, risk: float = 1.0, **settings: Any) -> ConicModel:
    """`wolfnest.problems.risk.problem(name, returns, risk=risk, **settings)`, not smoothed.

    >>> from wolfnest import datasets
    >>> from wolfnest.interop import conic
    >>> model = conic.measured("cvar", datasets.factor_model(500, 5), risk=2.0, level=0.9)
    >>> found = model.program.solve(solver="CLARABEL")
    >>> round(float(model.weights.value.sum()), 6)
    1.0
    """
    chosen = known(name, settings)
    posing, rho = _Posing.of(returns), MEASURES[name]
    chosen = resolved(chosen, returns, posing.table, None)
    return posing.model(risk, rho(posing, **named(rho, chosen)))


@dataclasses.dataclass(frozen=True)
class _Posing:
    """A portfolio that is to be found, and what measures are made of."""

    cvxpy: Any
    table: np.ndarray
    weights: Any
    constraints: list[Any]

    @classmethod
    def of(cls, returns: ReturnsLike) -> _Posing:
        cvxpy = _cvxpy()
        table = np.asarray(returns.values if isinstance(returns, Returns) else returns)
        if table.ndim != 2 or table.dtype.kind != "f":
            table = np.asarray(as_table(returns))
        x = cvxpy.Variable(table.shape[1], nonneg=True)
        return cls(cvxpy, table.astype(float, copy=False), x, [cvxpy.sum(x) == 1])

    def model(self, risk: float, rho: Any) -> ConicModel:
        return ConicModel(
            self.weights, -self.table.mean(0) @ self.weights + risk * rho, self.constraints
        )

    @property
    def gains(self) -> Any:
        return self.table @ self.weights

    @property
    def surplus(self) -> Any:
        """Gains less their mean."""
        return (self.table - self.table.mean(0)) @ self.weights

    @property
    def spread(self) -> Any:
        """As many numbers as there are assets; the sum of their squares is the variance."""
        covariance = np.cov(self.table.T, bias=True)
        values, vectors = np.linalg.eigh(np.atleast_2d(covariance))
        return (vectors * np.sqrt(np.maximum(values, 0))).T @ self.weights

    def mean(self, path: Any) -> Any:
        return self.cvxpy.sum(path) / len(self.table)

    def norm(self, path: Any, order: float = 2) -> Any:
        """`(E |path|^order)^(1/order)`."""
        return self.cvxpy.norm(path, order) / len(self.table) ** (1 / order)

    def above(self, threshold: Any) -> Any:
        """What losses are more than a threshold."""
        return self.cvxpy.pos(-self.gains - threshold)


# ---- the measures, by their settings -------------------------------------------------------------


def _variance(at: _Posing) -> Any:
    return at.cvxpy.sum_squares(at.spread)


def _deviation(at: _Posing) -> Any:
    return at.cvxpy.norm(at.spread, 2)


def _semideviation(at: _Posing, order: float) -> Any:
    short = at.cvxpy.pos(-at.surplus)
    return at.mean(short) if order == 1 else at.norm(short, order)


def _absolute_deviation(at: _Posing) -> Any:
    return at.norm(at.surplus, 1)


def _cvar(at: _Posing, level: float) -> Any:
    threshold = at.cvxpy.Variable()
    return threshold + at.mean(at.above(threshold)) / (1 - level)


def _entropic(at: _Posing, theta: float) -> Any:
    return (at.cvxpy.log_sum_exp(-theta * at.gains) - math.log(len(at.table))) / theta


def _kl_robust(at: _Posing, radius: float) -> Any:
    """`min_t t log E exp(L/t) + κ t`, by exponential cones: `t E exp((L - η)/t) ≤ t`, and then
    `η = t log E exp(L/t)` at the minimum."""
    cvxpy, rows = at.cvxpy, len(at.table)
    heat, each = cvxpy.Variable(nonneg=True), cvxpy.Variable(rows)
    threshold = cvxpy.Variable()
    cone = cvxpy.ExpCone(-at.gains - threshold, heat * np.ones(rows), each)
    at.constraints.extend([cone, at.mean(each) <= heat])
    return threshold + radius * heat


def _evar(at: _Posing, level: float) -> Any:
    return _kl_robust(at, entropy(level))


def _expectile(at: _Posing, level: float) -> Any:
    threshold = at.cvxpy.Variable()
    side = at.mean(-at.gains) + excess(level) * at.mean(at.above(threshold))
    return at.cvxpy.maximum(threshold, side)


def _chi2_robust(at: _Posing, radius: float) -> Any:
    threshold = at.cvxpy.Variable()
    return threshold + math.sqrt(1 + radius) * at.norm(at.above(threshold))


def _log_utility(at: _Posing, unit: float) -> Any:
    refuse_ruin(at.table, at.table, unit)
    return at.mean(at.gains - unit * at.cvxpy.log(1 + at.gains / unit))


def _tracking_error(at: _Posing, benchmark: np.ndarray) -> Any:
    return at.norm(at.surplus - benchmark)


MEASURES: dict[str, Callable[..., Any]] = {
    "variance": _variance,
    "deviation": _deviation,
    "semideviation": _semideviation,
    "absolute-deviation": _absolute_deviation,
    "cvar": _cvar,
    "entropic": _entropic,
    "evar": _evar,
    "expectile": _expectile,
    "kl-robust": _kl_robust,
    "chi2-robust": _chi2_robust,
    "log-utility": _log_utility,
    "tracking-error": _tracking_error,
}


def _cvxpy() -> Any:
    return optional("cvxpy", "conic", "a conic model")
