"""Synthetic returns and those that skfolio ships."""

import importlib.metadata
import sys
import tracemalloc
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfnest.datasets import factor_model, sp500, synthetic


def test_a_sample_is_given_by_its_seed():
    one, same, other = (factor_model(50, 4, seed=seed).values for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert not np.any(one == other)


@given(st.integers(1, 40), st.integers(1, 6), st.integers(1, 4), st.integers(1, 64))
def test_blocks_and_length_do_not_matter(rows, dim, factors, block):
    whole = factor_model(40, dim, factors=factors).values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synthetic, "BLOCK", block)
        part = factor_model(rows, dim, factors=factors).values
    np.testing.assert_allclose(part, whole[:rows], rtol=1e-12, atol=1e-12)


def test_the_documented_formula():
    rows, dim, factors, df = 30, 3, 2, 5.0
    random = np.random.default_rng(7)
    mean = random.normal(0.04, 0.02, dim)
    loadings = random.normal(0, 0.3, (dim, factors))
    loadings[:, 0] = random.uniform(0.5, 1.5, dim)
    noise = random.uniform(0.5, 2, dim)
    expected = []
    for _ in range(rows):
        draws = random.standard_t(df, factors + dim) / np.sqrt(df / (df - 2))
        expected.append(mean + loadings @ draws[:factors] + noise * draws[factors:])
    found = factor_model(rows, dim, factors=factors, df=df, seed=7)
    np.testing.assert_allclose(found.values, expected, rtol=1e-12)


def test_variances_are_those_of_the_formula():
    # Light tails, so that sample variances are close to the true ones.
    sample = factor_model(40_000, 2, factors=1, df=60.0, seed=0).values
    random = np.random.default_rng(0)
    random.normal(0.04, 0.02, 2)
    random.normal(0, 0.3, (2, 1))
    market, noise = random.uniform(0.5, 1.5, 2), random.uniform(0.5, 2, 2)
    expected = np.outer(market, market) + np.diag(noise**2)
    np.testing.assert_allclose(np.cov(sample.T), expected, rtol=0.05)


def test_memory_beside_the_result_is_bounded(monkeypatch):
    monkeypatch.setattr(synthetic, "BLOCK", 1 << 14)
    factor_model(10, 20)
    tracemalloc.start()
    sample = factor_model(50_000, 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - sample.values.nbytes < 0.5 * sample.values.nbytes


def test_it_says_that_it_is_synthetic():
    sample = factor_model(5, 2, df=3.5, seed=9)
    assert "synthetic" in repr(sample)
    assert sample.dates is None
    assert sample.names == ("asset1", "asset2")
    assert {"seed": 9, "df": 3.5, "factors": 3}.items() <= sample.provenance.items()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 0}, "rows must be a whole number"),
        ({"dim": 2.5}, "dim must be a whole number"),
        ({"factors": 0}, "factors must be a whole number"),
        ({"df": 2}, "df must be more than 2"),
        ({"df": np.inf}, "df must be a finite number"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_bad_settings_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        factor_model(**{"rows": 5, "dim": 2} | change)


def test_prices_become_returns_in_percent(monkeypatch):
    pandas = pytest.importorskip("pandas")
    days = pandas.to_datetime(["2020-01-02", "2020-01-03", "2020-01-06"])
    frame = pandas.DataFrame({"A": [1.0, 1.1, 0.55], "B": [4.0, 4.0, 5.0]}, index=days)
    module = types.ModuleType("skfolio.datasets")
    module.load_sp500_dataset = lambda: frame
    monkeypatch.setitem(sys.modules, "skfolio", types.ModuleType("skfolio"))
    monkeypatch.setitem(sys.modules, "skfolio.datasets", module)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: f"9.9 of {name}")
    found = sp500()
    np.testing.assert_allclose(found.values, [[10, 0], [-50, 25]], rtol=1e-12)
    assert found.names == ("A", "B")
    assert found.span == "2020-01-03 to 2020-01-06"
    assert found.provenance["package"] == "skfolio 9.9 of skfolio"


def test_the_real_set():
    pytest.importorskip("skfolio")
    found = sp500()
    assert found.shape[1] == 20
    assert found.shape[0] > 8000
    assert "S&P 500" in repr(found)


def test_without_skfolio_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "skfolio", None)
    monkeypatch.setitem(sys.modules, "skfolio.datasets", None)
    with pytest.raises(ImportError, match=r"S&P 500.* needs skfolio.*pip install"):
        sp500()
