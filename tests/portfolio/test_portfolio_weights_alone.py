"""Measures in the weights alone: the search for their other variables, and bounds on smoothing."""

import jax
import numpy as np
import pytest
from holdings import returns_frame

from wolfnest.portfolio.weights_alone import full_point, in_weights
from wolfnest.problems import risk

ROWS, ASSETS = 150, 6


@pytest.fixture(scope="module")
def returns():
    return returns_frame(ROWS, ASSETS, seed=3).to_numpy()


@pytest.mark.parametrize("name", ["cvar", "expectile", "evar", "kl-robust", "chi2-robust"])
def test_other_variables_are_minimised_over(returns, name):
    problem = risk.problem(name, returns)
    alone = in_weights(problem)
    x = np.full(ASSETS, 1 / ASSETS) + 0.01 * np.arange(ASSETS) - 0.025
    point = full_point(problem, problem.dtype.type(1) * x)
    value = float(alone.value(x))
    assert value == pytest.approx(float(problem.value(point)), rel=1e-12)
    others = {key: float(v) for key, v in point.items() if key != "weights"}
    for key, here in others.items():
        for step in (1e-3, -1e-3, 0.1, -0.1):
            moved = {**point, key: here + step * max(1.0, abs(here))}
            assert value <= float(problem.value(moved)) + 1e-12
    exact = risk.evaluate(name, returns, x) - returns.mean(0) @ x
    assert abs(value - exact) <= risk.error_bound(name, returns) + 1e-10


@pytest.mark.parametrize("name", ["cvar", "evar"])
def test_the_gradient_in_the_weights_is_that_of_differences(returns, name):
    alone = in_weights(risk.problem(name, returns, smoothing=0.1))
    x, step = np.full(ASSETS, 1 / ASSETS), 1e-6
    found = np.asarray(alone.gradient(x))
    for i, e in enumerate(np.eye(ASSETS)):
        slope = (float(alone.value(x + step * e)) - float(alone.value(x - step * e))) / (2 * step)
        assert found[i] == pytest.approx(slope, rel=1e-4, abs=1e-7)


# ---- bounds ----------------------------------------------------------------------------------

COARSE = {name: {"smoothing": 0.3} for name in risk.names() if "smoothing" in risk.settings(name)}
VARIANTS = [
    *COARSE.items(),
    ("semideviation", {"order": 1, "smoothing": 0.3}),
    ("semideviation", {"order": 3, "smoothing": 0.3}),
    ("cvar", {"level": 0.05, "smoothing": 0.3}),
    ("evar", {"level": 0.999, "smoothing": 0.3}),
    ("expectile", {"level": 0.51, "smoothing": 0.3}),
    ("kl-robust", {"radius": 5.0, "smoothing": 0.3}),
    ("chi2-robust", {"radius": 9.0, "smoothing": 0.3}),
]
PERIODS = 6


def samples():
    """Gains that make a bound work: all at a kink, ties, one disaster, far from zero, tiny."""
    rng = np.random.default_rng(5)
    yield np.zeros(PERIODS)
    yield np.full(PERIODS, -2.5)
    yield np.r_[np.ones(PERIODS - 1), -50.0]
    yield np.r_[np.arange(PERIODS - 1.0), -1e6]
    yield np.r_[-np.ones(PERIODS - 1), 50.0]
    yield np.repeat([-1.0, 1.0], PERIODS // 2)
    yield 1e6 + np.arange(PERIODS)
    yield 1e-7 * np.arange(PERIODS)
    for _ in range(6):
        yield rng.standard_cauchy(PERIODS)


@pytest.mark.parametrize(("name", "settings"), VARIANTS)
def test_smoothing_stays_within_its_bound_whatever_the_sample(name, settings):
    rng, x = np.random.default_rng(6), np.array([0.5, 0.5])
    value = jax.jit(lambda problem, x: in_weights(problem).value(x))
    for gains in samples():
        table = np.stack([gains, gains], axis=1)
        some = rng.integers(0, 4, PERIODS) + np.eye(PERIODS)[0]
        for weights in (np.ones(PERIODS), some, np.r_[np.ones(PERIODS - 1), 0.0]):
            more = {"benchmark": np.tanh(gains)} if name == "tracking-error" else {}
            given = {"scenario_weights": weights, **settings, **more}
            smoothed = float(value(risk.problem(name, table, reward=0.0, **given), x))
            exact = risk.evaluate(name, table, x, **given)
            most = risk.error_bound(name, table, **given)
            rounding = 1e-9 * (np.abs(gains).max() + most)
            assert -rounding <= smoothed - exact <= most + rounding
