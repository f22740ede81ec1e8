"""Portfolios of least risk as a scikit-learn estimator."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from wolfnest.certificate import Certificate
from wolfnest.common import checks
from wolfnest.portfolio.constraints import Constraints
from wolfnest.portfolio.fitting import fit
from wolfnest.portfolio.infeasible import refuse
from wolfnest.portfolio.mean_risk import MeanRisk
from wolfnest.portfolio.per_asset import per_asset
from wolfnest.portfolio.reading.table_checks import Labels, complete, warn_of
from wolfnest.problems import risk as measures
from wolfnest.solution import Solution

try:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError(
        f"the estimators of wolfnest.portfolio need scikit-learn, which cannot be imported "
        f"({error}). Install it with pip install 'wolfnest[portfolio]'."
    ) from error

if TYPE_CHECKING:
    from wolfnest.solver import Solver

FLOATS = (np.float64, np.float32)
BENCHMARKED = "tracking-error"


@final
@dataclasses.dataclass(eq=False, repr=False)
class PortfolioOptimizer(BaseEstimator):
    """Weights that minimise `-E r·x + risk_aversion · ρ(x)`, for a measure of risk ρ by name.

    `fit(X)` takes returns, one row per period and one column per asset, as an array or a data
    frame. All parameters have names and defaults:

    - `risk`: one of `wolfnest.problems.risk.names()`; `settings`: those of the measure, such as
      `{"level": 0.99}` (`wolfnest.problems.risk.settings(name)` has the defaults);
    - `risk_aversion`: the weight of risk, λ; infinite for the least risk whatever the return;
    - `long_only`, `max_weight`, `min_weight`, `groups`, `group_caps`, `gross`, `net`,
      `max_turnover`, `cardinality`: see `wolfnest.portfolio.Constraints`;
    - `previous_weights`: the weights held now, for a turnover limit and for costs;
      `transaction_costs`: per unit traded, one number or one per asset, paid once and spread over
      the `holding_periods` rows that the weights will be held;
    - `nan`: "raise", "drop" (rows with a gap are left out) or "zero" (a gap is a return of 0);
    - `method`: a method on exact gradients by name, or a `wn.Solver`; None chooses one. `tol`: the
      gap, relative to the size of the objective, at which it stops; `max_steps`: after which it
      stops anyway.

    After `fit`: `weights_` (a Series with the names of the assets where X is a data frame),
    `mean_` and `risk_` (`E r·x` and `ρ(x)`, exact, on the data of the fit), `certificate_` (a
    bound on how far the objective can be from its minimum), `exact_gap_` (the same for the
    objective without smoothing), `smoothing_` (a bound on what smoothing changes anywhere),
    `solution_` (what `wn.solve` returned) and `seconds_`.

    >>> from wolfnest import datasets
    >>> model = PortfolioOptimizer(risk="semideviation", max_weight=0.4)
    >>> model = model.fit(datasets.factor_model(500, 5).values)
    >>> bool(model.weights_.max() <= 0.4 + 1e-6), model.weights_.shape
    (True, (5,))
    """

    risk: str = "semideviation"
    risk_aversion: float = 1.0
    _: dataclasses.KW_ONLY
    settings: Mapping[str, Any] | None = None
    long_only: bool = True
    max_weight: Any = None
    min_weight: Any = None
    groups: Any = None
    group_caps: Mapping[Any, float] | None = None
    gross: float | None = None
    net: float | None = 1.0
    cardinality: int | None = None
    previous_weights: Any = None
    max_turnover: float | None = None
    transaction_costs: Any = None
    holding_periods: int = 1
    nan: str = "raise"
    method: str | Solver | None = None
    tol: float = 1e-4
    max_steps: int = 5_000

    weights_: Any = dataclasses.field(init=False)
    mean_: float = dataclasses.field(init=False)
    risk_: float = dataclasses.field(init=False)
    certificate_: Certificate = dataclasses.field(init=False)
    exact_gap_: float = dataclasses.field(init=False)
    smoothing_: float = dataclasses.field(init=False)
    solution_: Solution = dataclasses.field(init=False)
    seconds_: float = dataclasses.field(init=False)
    n_features_in_: int = dataclasses.field(init=False)

    def fit(self, X: Any, y: Any = None, scenario_weights: Any = None) -> PortfolioOptimizer:
        """Find the weights. `scenario_weights` are those of the rows (equal if not given); `y` is
        the return of the benchmark in every row for `risk="tracking-error"`, and not used else."""
        Labels.of(X)  # refuses names that occur twice, which scikit-learn does not
        values, labels, keep = self._rows(X, reset=True)
        settings = dict(self.settings or {})
        if self.risk == BENCHMARKED and y is not None:
            settings["benchmark"] = _per_row("y, the benchmark,", y, keep)
        if scenario_weights is not None:
            scenario_weights = _per_row("scenario_weights", scenario_weights, keep)
        if not keep.all():
            values = values[keep]
        warn_of(values, labels)
        found = fit(
            self._task(values, labels.assets, settings, scenario_weights),
            self.constraints,
            labels.assets,
            method=self.method,
            tol=self.tol,
            max_steps=self.max_steps,
        )
        if found.solution.status != "converged":
            warnings.warn(
                f"the weights did not reach tol={self.tol:g} after {found.solution.steps} steps: "
                f"they are {found.certificate}. Raise max_steps, or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.weights_ = _as_series(X, found.weights, lambda frame: list(frame.columns), "weight")
        self.mean_, self.risk_ = found.mean, found.risk
        self.certificate_, self.exact_gap_ = found.certificate, found.exact_gap
        self.smoothing_ = found.smoothing
        self.solution_, self.seconds_ = found.solution, found.seconds
        return self

    def predict(self, X: Any) -> Any:
        """The return of the portfolio in every row of X, without costs: a Series for a data frame.

        With `nan="drop"` it is NaN in rows with a gap.
        """
        check_is_fitted(self)
        values, _, keep = self._rows(X, reset=False)
        returns = np.where(keep, values @ np.asarray(self.weights_, values.dtype), np.nan)
        return _as_series(X, returns, lambda frame: frame.index, "return")

    def score(self, X: Any, y: Any = None) -> float:
        """The Sharpe ratio of the portfolio on X: mean over standard deviation, per period."""
        returns = np.asarray(self.predict(X), float)
        returns = returns[np.isfinite(returns)]
        spread = float(returns.std(ddof=1)) if len(returns) > 1 else 0.0
        return float(returns.mean() / spread) if spread else 0.0

    @property
    def constraints(self) -> Constraints:
        """The limits on the weights, as one object."""
        names = {field.name for field in dataclasses.fields(Constraints)} - {"previous"}
        given = {name: getattr(self, name) for name in names}
        return Constraints(previous=self.previous_weights, **given)

    def _task(
        self, values: np.ndarray, assets: tuple[str, ...], settings: dict[str, Any], weights: Any
    ) -> MeanRisk:
        if self.risk not in measures.names():
            raise ValueError(
                f"risk must be one of {', '.join(measures.names())}, got {self.risk!r}."
            )
        aversion = self.risk_aversion
        if aversion != math.inf:
            aversion = float(checks.non_negative("risk_aversion", aversion))
        costs, previous = self.costs(assets)
        return MeanRisk(self.risk, values, aversion, settings, weights, costs, previous)

    def costs(self, assets: Sequence[str]) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Costs per unit traded and period, and the weights they count from; None without costs."""
        if self.transaction_costs is None:
            return None, None
        rates = per_asset("transaction_costs", self.transaction_costs, assets, 0.0)
        refuse(assets, ~(rates >= 0), rates, "transaction_costs", "at least 0")
        held = per_asset("previous_weights", self.previous_weights, assets, 0.0)
        return rates / checks.whole("holding_periods", self.holding_periods), held

    def _rows(self, X: Any, *, reset: bool) -> tuple[np.ndarray, Labels, np.ndarray]:
        """The values of X, its labels, and which rows count."""
        least = 2 if reset else 1
        values: Any = validate_data(
            self, X, reset=reset, dtype=FLOATS, ensure_all_finite=False, ensure_min_samples=least
        )
        labels = Labels.of(X, values.shape[1])
        keep = complete(values, labels, self.nan, least=2 if reset else 0)
        return np.nan_to_num(values, nan=0.0) if self.nan == "zero" else values, labels, keep

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.nan != "raise"
        return tags


def _as_series(X: Any, values: np.ndarray, index: Callable[[Any], Any], name: str) -> Any:
    """A Series with that index of X, where X is a data frame."""
    if type(X).__module__.partition(".")[0] != "pandas":
        return values
    import pandas as pd

    return pd.Series(values, index=index(X), name=name)


def _per_row(name: str, value: Any, keep: np.ndarray) -> np.ndarray:
    """One number for each row that is kept."""
    numbers = np.asarray(value, float)
    if numbers.size != len(keep):
        raise ValueError(
            f"{name} must be {len(keep)} numbers, one per row of X, got shape {numbers.shape}."
        )
    return numbers.reshape(-1)[keep]
