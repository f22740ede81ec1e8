"""What the page's script computes by itself agrees with what Python computes."""

import numpy as np
import pytest

from browsing import unpack
from wolfnest.common.formatting import number
from wolfnest.page import packing
from wolfnest.page.template import asset
from wolfnest_reproduction.show import axis_limits


@pytest.fixture(scope="module")
def script(browser):
    """Runs an expression after the script of scales, on a page of nothing."""
    page = browser.new_page()
    code = asset("scales")
    yield lambda expression, given: page.evaluate(
        f"(given) => {{ {code}\nreturn {expression}; }}", given
    )
    page.close()


def test_numbers_read_the_same(script):
    values = [0.0, 1.0, -3.25, 1 / 3, 1e-3, 9.996e-4, -0.00012345, 1e-300, 99999.0, 123456.7, 1e12]
    values += (10.0 ** np.linspace(-9, 9, 37) * 1.2345).tolist()
    # Where Python has an exponent for what is not whole, the script has zeros: 1.23e3 and 1230.
    values = [value for value in values if value == int(value) or not 1e3 <= abs(value) < 1e5]
    assert script("given.map((value) => number(value))", values) == list(map(number, values))
    assert script("[null, NaN, 1 / 0, -1 / 0].map((value) => number(value))", None) == [
        number(value) for value in (None, float("nan"), float("inf"), -float("inf"))
    ]


def test_packed_curves_read_the_same(script):
    values = np.random.default_rng(0).standard_normal(20).cumsum()
    packed = packing.pack(values, packing.unit(values))
    np.testing.assert_allclose(script("unpack(given)", packed), unpack(packed), rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("logarithmic", [False, True])
def test_charts_end_where_figures_end(script, logarithmic, seed):
    rng = np.random.default_rng(seed)
    curves = [10.0 ** rng.normal(-k, 2, 8).cumsum().clip(-12, 9) for k in range(4)]
    exact = 10.0 ** np.linspace(1, -8, 8)
    ends = rng.lognormal(0, 2, 5)
    series = [
        {"x": np.linspace(0, end, 8).tolist(), "mean": curve.tolist(), "exact": k == 4}
        for k, (end, curve) in enumerate(zip(ends, [*curves, exact], strict=True))
    ]
    view = {"xlog": False, "ylog": logarithmic, "places": []}
    found = script("axisLimits(given[0], given[1])", [view, series])
    right = axis_limits.right(ends[:4].tolist())
    assert found["x"] == pytest.approx([0, 1.02 * right])
    there = np.asarray(series[4]["x"]) <= found["x"][1]
    bounds = axis_limits.vertical(curves, logarithmic=logarithmic, others=[exact[there]])
    assert found["y"] == pytest.approx(list(bounds))
