"""The optimiser inside skfolio: its cross-validation, its portfolios."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from wolfnest.portfolio.estimator import PortfolioOptimizer

try:
    from skfolio.optimization import BaseOptimization
    from sklearn.base import clone
except ImportError as error:
    raise ImportError(
        f"SkfolioOptimizer needs skfolio, which cannot be imported ({error}). Install it with "
        "pip install 'wolfnest[portfolio]'."
    ) from error


@final
class SkfolioOptimizer(BaseOptimization):
    """A `PortfolioOptimizer` as an optimisation of skfolio: `predict` returns its `Portfolio`.

    `skfolio.model_selection.cross_val_predict` passes the weights of one window on to the next
    where there are costs or a turnover limit. The first window has none: there a turnover limit
    does not apply. The other parameters are those of every optimisation of skfolio; parameters of
    the optimizer are set as `optimizer__risk_aversion`.

    >>> from wolfnest import datasets
    >>> returns = datasets.factor_model(60, 3).values / 100
    >>> model = SkfolioOptimizer(PortfolioOptimizer("variance", max_weight=0.5)).fit(returns)
    >>> type(model.predict(returns)).__name__
    'Portfolio'
    """

    optimizer_: PortfolioOptimizer

    def __init__(
        self,
        optimizer: PortfolioOptimizer | None = None,
        portfolio_params: dict[str, Any] | None = None,
        fallback: Any = None,
        previous_weights: Any = None,
        raise_on_failure: bool = True,
    ) -> None:
        super().__init__(
            portfolio_params=portfolio_params,
            fallback=fallback,
            previous_weights=previous_weights,
            raise_on_failure=raise_on_failure,
        )
        self.optimizer = optimizer

    # skfolio looks for these two by name: to pass weights on, and to charge costs.

    @property
    def transaction_costs(self) -> Any:
        given = None if self.optimizer is None else self.optimizer.transaction_costs
        return 0.0 if given is None else given

    @property
    def max_turnover(self) -> float | None:
        return None if self.optimizer is None else self.optimizer.max_turnover

    def fit(self, X: Any, y: Any = None) -> SkfolioOptimizer:
        """Fit the optimizer, with the previous weights of this one where it has some."""
        inner: Any = PortfolioOptimizer() if self.optimizer is None else clone(self.optimizer)
        if self.previous_weights is not None:
            inner.set_params(previous_weights=self.previous_weights)
        if inner.previous_weights is None:
            inner.set_params(max_turnover=None)
        inner.fit(X, y)
        self.optimizer_ = inner
        self.weights_ = np.asarray(inner.weights_, float)
        self.n_features_in_ = inner.n_features_in_
        if hasattr(inner, "feature_names_in_"):
            self.feature_names_in_ = inner.feature_names_in_
        return self
