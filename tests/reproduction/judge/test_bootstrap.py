"""Intervals: how often they hold the mean, and what they make of nothing new."""

import numpy as np
import pytest

from wolfnest_reproduction.judge.bootstrap import intervals


@pytest.mark.parametrize("seeds", [3, 5, 10, 50])
def test_intervals_cover_the_mean_as_often_as_they_say(seeds):
    """Of 4,000 normal samples, with a mean of 0, the share whose interval holds 0."""
    sample = np.random.default_rng(seeds).standard_normal((seeds, 4000))
    _, low, high = intervals(sample)
    assert 0.92 < np.mean((low <= 0) & (high >= 0)) < 0.97


def test_intervals_of_nothing_new():
    mean, low, high = intervals(np.zeros((10, 3)))
    assert not np.any([mean, low, high])
    mean, low, high = intervals(np.full((1, 2), -3.0))
    assert np.isinf(low).all()
    assert np.isinf(high).all()
    sample = np.random.default_rng(0).standard_normal((20, 1500))
    for first, second in zip(intervals(sample), intervals(sample), strict=True):
        np.testing.assert_array_equal(first, second)
