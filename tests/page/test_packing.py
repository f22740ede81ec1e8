"""Curves packed for a page come back as they went in."""

import json

import numpy as np
import pytest

from browsing import unpack
from wolfnest.page import packing


def test_long_curves_are_thinned_with_both_ends_kept():
    kept = packing.thin(1000)
    assert len(kept) == packing.MOST
    assert (kept[0], kept[-1]) == (0, 999)


@pytest.mark.parametrize("seed", range(5))
def test_packing_is_undone_by_unpacking(seed):
    rng = np.random.default_rng(seed)
    values = 10.0 ** rng.uniform(-9, 9) * rng.standard_normal(30).cumsum()
    values[rng.integers(30, size=3)] = np.nan
    scale = packing.unit(values)
    packed = json.loads(json.dumps(packing.pack(values, scale)))
    error = np.abs(unpack(packed) - values)
    assert np.nanmax(error) <= scale
    assert np.nanmax(error) <= 2e-4 * np.nanmax(np.abs(np.diff(values[~np.isnan(values)]).cumsum()))
    np.testing.assert_array_equal(np.isnan(unpack(packed)), np.isnan(values))


@pytest.mark.parametrize("values", [[], [np.nan], [0.0, 0.0], [3.0], [1e-300, 1e-300]])
def test_units_exist_for_odd_curves(values):
    assert packing.unit(np.array(values)) > 0
