"""What a strategy would have earned: fitted on a window, held over the next one, and so on."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np

from wolfnest.common import checks
from wolfnest.datasets.returns import DataError
from wolfnest.portfolio.per_asset import per_asset
from wolfnest.portfolio.reading.dates import refuse_unsorted
from wolfnest.portfolio.reading.table_checks import Labels

try:
    import pandas as pd
    from sklearn.base import BaseEstimator, clone
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError(
        f"the walk-forward test needs pandas and scikit-learn, and one cannot be imported "
        f"({error}). Install them with pip install 'wolfnest[portfolio]'."
    ) from error

# Of the rows that the first fit sees, and windows after it, unless asked otherwise.
TRAIN_SHARE, WINDOWS = 0.5, 20


@final
class EqualWeighted(BaseEstimator):
    """The same weight for every asset, whatever the data.

    >>> EqualWeighted().fit(np.zeros((3, 4))).weights_
    array([0.25, 0.25, 0.25, 0.25])
    """

    weights_: np.ndarray
    n_features_in_: int

    def fit(self, X: Any, y: Any = None) -> EqualWeighted:
        values: Any = validate_data(self, X)
        self.weights_ = np.full(values.shape[1], 1 / values.shape[1])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The return of the portfolio in every row."""
        check_is_fitted(self)
        values: Any = validate_data(self, X, reset=False)
        return values @ self.weights_


@dataclasses.dataclass(frozen=True)
class Backtest:
    """Out-of-sample returns after costs, one column per strategy; the weights that were held, one
    data frame per strategy with a row for every window; and the traded sum `Σ |change|` by
    window, purchases from cash at the start included."""

    returns: pd.DataFrame
    weights: Mapping[str, pd.DataFrame]
    turnover: pd.DataFrame

    def growth(self) -> pd.DataFrame:
        """What 1 became, with gains invested again."""
        return (1 + self.returns).cumprod()


def window_sizes(rows: int, train: int | None, test: int | None) -> tuple[int, int]:
    """Rows to fit on and rows to hold: half of the rows, and twenty windows over the rest.

    >>> window_sizes(1000, None, None), window_sizes(1000, 250, 50)
    ((500, 25), (250, 50))
    """
    train = max(2, int(TRAIN_SHARE * rows)) if train is None else train
    train = checks.whole("train", train, least=2)
    if train >= rows:
        raise DataError(
            f"train must be less than the {rows:,} rows of returns, got {train:,}: nothing is left "
            "to test on. Take a shorter window."
        )
    test = max(1, math.ceil((rows - train) / WINDOWS)) if test is None else test
    return train, checks.whole("test", test)


def backtest(
    X: pd.DataFrame,
    strategies: Mapping[str, Any],
    *,
    train: int,
    test: int,
    costs: Any = 0.0,
    benchmark: Any = None,
    on_fold: Callable[[str, int], Any] | None = None,
) -> Backtest:
    """Fit every strategy on `train` rows and hold its weights over the next `test` rows, through X.

    `X` are returns as fractions, sorted by date where it has dates. Within a window the weights
    are restored in every period. Strategies that have a parameter `previous_weights` are told what
    they held. `costs` per unit traded, one number or one per asset, are charged in the first
    period of a window. A `benchmark`, one return per row, is handed to `fit` as y. `on_fold` is
    called after every fit with the strategy's name and the window's number.

    >>> from wolfnest import datasets
    >>> table = datasets.factor_model(60, 3).to_frame() / 100
    >>> test = backtest(table, {"equal": EqualWeighted()}, train=30, test=10)
    >>> test.returns.shape, len(test.weights["equal"])
    ((30, 1), 3)
    """
    train, test = window_sizes(len(X), train, test)
    if X.index.dtype.kind == "M":
        refuse_unsorted(X.index, "Sort them: returns.sort_index().")
    starts = range(train, len(X), test)
    assets = Labels.of(X).assets
    rates = per_asset("costs", costs, assets, 0.0)
    earned, held, traded = {}, {}, {}
    for name, strategy in strategies.items():
        before, pieces, rows, sums = None, [], [], []
        for number, start in enumerate(starts):
            model: Any = clone(strategy)
            if before is not None and "previous_weights" in model.get_params(deep=False):
                model.set_params(previous_weights=before)
            if before is None and "max_turnover" in model.get_params(deep=False):
                model.set_params(max_turnover=None)  # from cash there is nothing to stay near to
            seen = slice(start - train, start)
            followed = None if benchmark is None else np.asarray(benchmark)[seen]
            weights = np.asarray(model.fit(X.iloc[seen], followed).weights_, float)
            window = X.iloc[start : start + test].to_numpy(float)
            gains = np.nan_to_num(window) @ weights
            change = np.abs(weights - (0.0 if before is None else before))
            gains[0] -= rates @ change
            pieces.append(gains)
            rows.append(weights)
            sums.append(float(change.sum()))
            before = weights
            if on_fold is not None:
                on_fold(name, number)
        earned[name] = np.concatenate(pieces)
        held[name] = pd.DataFrame(rows, index=X.index[list(starts)], columns=list(assets))
        traded[name] = sums
    return Backtest(
        returns=pd.DataFrame(earned, index=X.index[train:]),
        weights=held,
        turnover=pd.DataFrame(traded, index=X.index[list(starts)]),
    )
