"""The optimiser as scikit-learn and pandas see it."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from holdings import returns_frame
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from wolfnest.portfolio import EqualWeighted, PortfolioOptimizer


# Few steps: the checks are about the interface, and every shape of data compiles anew.
@parametrize_with_checks([PortfolioOptimizer("variance", tol=1e-2), EqualWeighted()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


# Windows of the same length everywhere: every other one would compile anew.
WALK = TimeSeriesSplit(2, test_size=30, max_train_size=60)


@pytest.fixture(scope="module")
def fitted(frame):
    return PortfolioOptimizer("variance", 5.0).fit(frame)


def test_names_of_assets_are_kept(fitted, frame):
    assert isinstance(fitted.weights_, pd.Series)
    assert list(fitted.weights_.index) == list(frame.columns)
    assert list(fitted.feature_names_in_) == list(frame.columns)
    assert fitted.weights_.sum() == pytest.approx(1)


def test_predictions_are_the_returns_of_the_portfolio(fitted, frame):
    found = fitted.predict(frame)
    assert isinstance(found, pd.Series)
    assert found.index.equals(frame.index)
    assert found.to_numpy() == pytest.approx(frame.to_numpy() @ fitted.weights_.to_numpy())
    assert fitted.mean_ == pytest.approx(found.mean())
    assert fitted.risk_ == pytest.approx(found.var(ddof=0))
    assert fitted.score(frame) == pytest.approx(found.mean() / found.std(ddof=1))
    plain = PortfolioOptimizer("variance", 5.0).fit(frame.to_numpy())
    assert isinstance(plain.weights_, np.ndarray)
    assert plain.weights_ == pytest.approx(fitted.weights_.to_numpy())
    assert isinstance(plain.predict(frame.to_numpy()), np.ndarray)


def test_parameters_are_kept_as_they_are():
    caps = {"AA": 0.2}
    model = PortfolioOptimizer("cvar", settings={"level": 0.9}, max_weight=caps)
    assert model.max_weight is caps
    again = clone(model)
    assert again.get_params() == model.get_params()


def test_a_fitted_model_survives_a_pickle(fitted, frame):
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict(frame).equals(fitted.predict(frame))
    assert again.certificate_ == fitted.certificate_


def test_a_grid_is_searched_by_walking_forward(frame):
    search = GridSearchCV(PortfolioOptimizer("variance"), {"risk_aversion": [0.1, 100.0]}, cv=WALK)
    search.fit(frame)
    assert search.best_estimator_.weights_.sum() == pytest.approx(1)
    by_hand = []
    for train, test in WALK.split(frame):
        model = PortfolioOptimizer("variance", 100.0).fit(frame.iloc[train])
        by_hand.append(model.score(frame.iloc[test]))
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(by_hand))


def test_pipelines_pass_names_on(frame):
    gaps = frame.mask(np.random.default_rng(0).uniform(size=frame.shape) < 0.05)
    fill = SimpleImputer(strategy="constant", fill_value=0.0).set_output(transform="pandas")
    chain = make_pipeline(fill, PortfolioOptimizer("variance"))
    assert np.all(np.isfinite(cross_val_score(chain, gaps, cv=WALK)))
    assert list(chain.fit(gaps)[-1].weights_.index) == list(frame.columns)


def test_rows_have_weights_that_are_split_with_them(frame):
    weights = np.linspace(0.5, 1.5, len(frame))
    grid = {"risk_aversion": [100.0]}
    search = GridSearchCV(PortfolioOptimizer("variance"), grid, cv=WALK, refit=False)
    search.fit(frame, scenario_weights=weights)
    by_hand = []
    for train, test in WALK.split(frame):
        model = PortfolioOptimizer("variance", 100.0)
        model.fit(frame.iloc[train], scenario_weights=weights[train])
        by_hand.append(model.score(frame.iloc[test]))
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(by_hand))


def test_a_benchmark_comes_as_y(frame):
    equal = frame.mean(axis=1)
    model = PortfolioOptimizer("tracking-error", np.inf, tol=1e-6).fit(frame, equal)
    assert model.weights_.to_numpy() == pytest.approx(np.full(5, 0.2), abs=0.02)


# ---- gaps ------------------------------------------------------------------------------------


def test_gaps_are_refused_dropped_or_zero(frame):
    holed = frame.copy()
    holed.iloc[7, 2] = np.nan
    with pytest.raises(ValueError, match=r"got NaN in row 7 \(from 0, 2021-01-13\), column 'CC'"):
        PortfolioOptimizer("variance").fit(holed)
    dropped = PortfolioOptimizer("variance", 5.0, nan="drop").fit(holed)
    by_hand = PortfolioOptimizer("variance", 5.0).fit(frame.drop(index=frame.index[7]))
    assert dropped.weights_.to_numpy() == pytest.approx(by_hand.weights_.to_numpy())
    predicted = dropped.predict(holed)
    assert np.flatnonzero(predicted.isna()).tolist() == [7]
    assert dropped.score(holed) == pytest.approx(dropped.score(frame.drop(index=frame.index[7])))
    zero = PortfolioOptimizer("variance", 5.0, nan="zero").fit(holed)
    filled = PortfolioOptimizer("variance", 5.0).fit(holed.fillna(0.0))
    assert zero.weights_.to_numpy() == pytest.approx(filled.weights_.to_numpy())
    assert zero.predict(holed).notna().all()


def test_dropping_must_leave_rows(frame):
    holed = frame.copy()
    holed.iloc[:, 0] = np.nan
    with pytest.raises(ValueError, match=r'nan="drop" leaves 0 of 120 rows'):
        PortfolioOptimizer("variance", nan="drop").fit(holed)


# ---- what is refused, and what is warned of --------------------------------------------------


def test_infinite_values_are_named(frame):
    wrong = frame.copy()
    wrong.iloc[3, 1] = -np.inf
    for nan in ("raise", "drop", "zero"):
        with pytest.raises(ValueError, match=r"got -inf \(inf\) in row 3 \(from 0, 2021-01-07\)"):
            PortfolioOptimizer("variance", nan=nan).fit(wrong)


def test_names_that_are_there_twice_are_refused(frame):
    twice = frame.rename(columns={"BB": "AA"})
    with pytest.raises(ValueError, match="got 'AA' more than once"):
        PortfolioOptimizer("variance").fit(twice)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"risk": "volatility"}, "risk must be one of variance, deviation, semideviation"),
        ({"settings": {"level": 0.9}}, "semideviation has no setting 'level'"),
        ({"nan": "skip"}, "nan must be one of 'raise', 'drop', 'zero', got 'skip'"),
        ({"risk_aversion": -1.0}, "risk_aversion must be a finite number of at least 0, got -1.0"),
        ({"risk_aversion": np.nan}, "risk_aversion must be a finite number of at least 0, got nan"),
        ({"transaction_costs": -0.1}, "transaction_costs must be at least 0, got -0.1 for 'AA'"),
        ({"transaction_costs": 0.1, "holding_periods": 0}, "holding_periods must be a whole"),
        ({"net": 0.0}, "net must be positive with long_only=True, got 0"),
        ({"max_weight": 0.1}, "the caps add up to 0.5"),
        ({"previous_weights": {"XX": 1.0}, "max_turnover": 0.5}, "previous_weights has 'XX'"),
        ({"transaction_costs": {"XX": 1.0}}, "transaction_costs has 'XX'"),
    ],
)
def test_bad_parameters_are_refused_by_name(frame, parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        PortfolioOptimizer(**parameters).fit(frame)


def test_fewer_rows_than_assets_is_a_warning(frame):
    with pytest.warns(UserWarning, match=r"fewer rows \(4\) than assets \(5\)"):
        model = PortfolioOptimizer("variance").fit(frame.iloc[:4])
    assert model.weights_.sum() == pytest.approx(1)


def test_columns_that_never_change_are_a_warning(frame):
    still = frame.assign(BB=0.0)
    with pytest.warns(UserWarning, match="these columns never change: 'BB'"):
        PortfolioOptimizer("variance", np.inf).fit(still)


def test_other_returns_of_the_same_shape_compile_nothing(frame):
    from wolfnest.running import engine

    PortfolioOptimizer("variance", 1.0).fit(frame)
    before = engine.traces()
    other = returns_frame(len(frame), 5, seed=9)
    PortfolioOptimizer("variance", 2.0).fit(other)
    assert engine.traces() == before
