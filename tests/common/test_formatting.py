"""Numbers for people."""

import numpy as np
import pytest

from wolfnest.common.formatting import number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("inf"), "∞"), (-float("inf"), "-∞"), (float("nan"), "–"), (True, "True"),
        (1e12, "1e12"), (-0.00012, "-1.2e-4"), (np.float64(2.5), "2.5"), (np.int64(3), "3"),
        ("x", "x"), ([1], "[1]"),
    ],
)  # fmt: skip
def test_numbers_for_reading(value, text):
    assert number(value) == text
