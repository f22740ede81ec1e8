"""Risk measures: smoothed values and gradients against plain formulas, exact values, levels."""

import jax
import numpy as np
import pytest
from risk_cases import (
    ASSETS,
    CASES,
    EVEN,
    EXTRA,
    LEVELS,
    PATH,
    RETURNS,
    ROWS,
    SETTINGS,
    UNEVEN,
    bound,
    made,
    measure,
    point,
    probabilities,
)
from scipy import optimize

import reference_risk as ref
import wolfnest as wn
from wolfnest.problems import risk
from wolfnest.problems.risk import smooth_functions as smooth

X = np.array([0.4, 0.1, 0.3, 0.2])
CHANCES = probabilities(UNEVEN)
PORTFOLIOS = [X, np.full(ASSETS, 0.25), *np.eye(ASSETS)[[1, 3]]]


def scale_of(p):
    path = RETURNS.mean(1)
    return np.sqrt(p @ (path - p @ path) ** 2)


def reference(case, named, p):
    return ref.smoothed(measure(case), RETURNS, p, named, SETTINGS[case], scale_of(p))


def leaves_agree(found, expected, **tolerance):
    for key, value in expected.items():
        there = found[key] if isinstance(found, dict) else found
        np.testing.assert_allclose(there, value, **tolerance)


# ---- values and gradients ------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_value_and_gradient_are_those_of_the_formula(case):
    at, named = point(case, X)
    objective = lambda where: (
        -EVEN @ (RETURNS @ where["weights"]) + 2.5 * reference(case, where, EVEN)
    )
    value, gradient = made(case, risk=2.5).value_and_gradient(at)
    np.testing.assert_allclose(value, objective(named), rtol=1e-10)
    leaves_agree(gradient, ref.slopes(objective, named), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_weights_of_scenarios_costs_and_reward_enter_as_stated(case):
    at, named = point(case, X)
    rates, previous, width = np.array([0.2, 0.0, 0.5, 0.1]), np.array([0.4, 0.3, 0.25, 0.0]), 0.08
    problem = made(
        case,
        risk=2.5,
        reward=0.6,
        scenario_weights=UNEVEN,
        costs=rates,
        previous=previous,
        cost_smoothing=width,
    )

    def objective(where):
        x = where["weights"]
        paid = ref.trading(x, rates, previous, width)
        gain = CHANCES @ (RETURNS @ x)
        centred = SETTINGS[case] | {"benchmark": PATH}
        whole = ref.smoothed(measure(case), RETURNS, CHANCES, where, centred, scale_of(CHANCES))
        return -0.6 * gain + paid + 2.5 * whole

    value, gradient = problem.value_and_gradient(at)
    np.testing.assert_allclose(value, objective(named), rtol=1e-10)
    leaves_agree(gradient, ref.slopes(objective, named), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_a_row_of_weight_two_is_the_row_twice(case):
    twice = np.r_[RETURNS, RETURNS[5:6]]
    weights = np.where(np.arange(ROWS) == 5, 2.0, 1.0)
    more = {"benchmark": np.r_[PATH, PATH[5:6]]} if case == "tracking-error" else {}
    one, two = made(case, scenario_weights=weights), made(case, twice, **more)
    at, _ = point(case, X)
    np.testing.assert_allclose(one.value(at), two.value(at), rtol=1e-12)
    for a, b in zip(jax.tree.leaves(one.domain), jax.tree.leaves(two.domain), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_levels_extra_variables_and_convexity_are_as_documented(case):
    problem = made(case)
    assert len(problem.levels) == LEVELS[case]
    assert problem.convex
    extra = set(problem.start()) - {"weights"} if case in EXTRA else set()
    assert extra == set(EXTRA.get(case, ()))
    weights = risk.portfolio(problem, problem.start())
    np.testing.assert_allclose(weights, np.full(ASSETS, 0.25))
    np.testing.assert_array_equal(weights, risk.portfolio(problem.domain, problem.start()))


# ---- exact values --------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("case", CASES)
def test_evaluate_is_the_measure_by_definition(case, weights):
    p = EVEN if weights is None else CHANCES
    for x in PORTFOLIOS:
        found = risk.evaluate(measure(case), RETURNS, x, scenario_weights=weights, **SETTINGS[case])
        expected = ref.rho(measure(case), RETURNS, p, x, SETTINGS[case])
        rtol = 1e-6 if case == "chi2-robust" else 1e-9  # that of the conic solver
        np.testing.assert_allclose(found, expected, rtol=rtol)


def test_evaluate_of_sure_returns_and_of_balls_that_reach_the_worst_scenario():
    sure, x = np.full((5, 2), 0.3), [0.5, 0.5]
    for name in ("cvar", "entropic", "evar", "expectile", "kl-robust", "chi2-robust"):
        assert risk.evaluate(name, sure, x) == pytest.approx(-0.3, abs=1e-12)
    for name in ("variance", "deviation", "semideviation", "absolute-deviation"):
        assert risk.evaluate(name, sure, x) == pytest.approx(0, abs=1e-12)
    few = np.array([[-1.0], [0.0], [0.0], [1.0]])
    for name, settings in (
        ("cvar", {"level": 0.76}),
        ("evar", {"level": 0.76}),
        ("kl-robust", {"radius": 2.0}),
        ("chi2-robust", {"radius": 3.5}),
    ):
        assert risk.evaluate(name, few, [1.0], **settings) == pytest.approx(1.0, abs=1e-12)
    ruined = np.array([[-1.0], [0.5]])
    assert risk.evaluate("log-utility", ruined, [1.0]) == np.inf
    kept = risk.evaluate("log-utility", ruined, [1.0], scenario_weights=[0, 1])
    assert kept == pytest.approx(0.5 - np.log(1.5))


def test_evaluate_uses_double_precision_whatever_jax_has():
    with jax.enable_x64(False):
        found = risk.evaluate("variance", RETURNS, X)
    np.testing.assert_allclose(found, ref.rho("variance", RETURNS, EVEN, X, {}), rtol=1e-14)


# ---- smoothing -----------------------------------------------------------------------------------


def least_over_extra(case, x, box):
    """The smoothed measure with its extra variables minimised over wide bounds, and where."""

    def at(*extra):
        named = dict(zip(EXTRA[case], extra, strict=True)) if extra else {}
        return reference(case, {"weights": x, **named}, EVEN)

    if case not in EXTRA:
        return at(), {}
    low, high = box["threshold"]
    wide = (low - (high - low), high + (high - low))
    search = lambda fn, bounds: optimize.minimize_scalar(
        fn, bounds=bounds, method="bounded", options={"xatol": 1e-10}
    )
    if len(EXTRA[case]) == 1:
        found = search(at, wide)
        return found.fun, {"threshold": found.x}
    inner = lambda heat: search(lambda threshold: at(heat, threshold), wide)
    cold, hot = box["temperature"]
    found = search(lambda heat: inner(heat).fun, (cold, 3 * hot))
    return found.fun, {"temperature": found.x, "threshold": inner(found.x).x}


@pytest.mark.parametrize("case", CASES)
def test_smoothing_stays_within_its_bound_and_boxes_hold_the_best_extra_variables(case):
    sets = made(case).domain.sets if case in EXTRA else {}
    box = {key: (float(sets[key].lower), float(sets[key].upper)) for key in EXTRA.get(case, ())}
    most, differences = bound(case), []
    for x in PORTFOLIOS[:1] + PORTFOLIOS[3:]:
        least, where = least_over_extra(case, x, box)
        differences.append(least - ref.rho(measure(case), RETURNS, EVEN, x, SETTINGS[case]))
        for key, value in where.items():
            assert box[key][0] - 1e-6 <= value <= box[key][1] + 1e-6
    assert min(differences) >= -1e-6
    assert max(differences) <= most + 1e-6
    smoothed = "smoothing" in SETTINGS[case]
    assert (most > 1e-12) == smoothed
    # The bound says something: it is met up to a factor, except where a box alone smooths.
    if smoothed and case not in ("evar", "kl-robust"):
        assert max(differences) > most / 200


def test_bounds_are_the_documented_ones():
    s = 0.1 * scale_of(EVEN)
    expected = {
        "deviation": s,
        "semideviation": s,
        "semideviation-1": 2 * s / 4,
        "semideviation-3": 2 * s * 5 / 4,
        "absolute-deviation": 2 * s / 2,
        "cvar": s / (4 * 0.2),
        "evar": np.log(5) * s / 2,
        "expectile": s * (1 + 3 / 2) / 4,
        "kl-robust": 0.3 * s / 2,
        "chi2-robust": np.sqrt(1.5) * s,
        "tracking-error": s,
    }
    for case, value in expected.items():
        assert bound(case) == pytest.approx(value, rel=1e-10)
        more = bound(case, risk=3.0, costs=[0.1, 0.2, 0.3, 0.4], cost_smoothing=0.05)
        assert more == pytest.approx(3 * value + 0.025, rel=1e-10)
    assert bound("variance", costs=0.1) == pytest.approx(0.4 * 0.01 / ASSETS / 2)


def test_smooth_functions_meet_their_bounds_and_have_the_slopes_of_their_values():
    t = np.linspace(-3, 3, 1201)
    for fn, kink, most in (
        (lambda a: smooth.positive_part(a, 0.5), np.maximum(t, 0), 0.125),
        (lambda a: smooth.absolute(a, 0.5), np.abs(t), 0.25),
    ):
        gap = np.asarray(fn(t)) - kink
        assert gap.min() >= 0
        assert gap.max() == pytest.approx(most)
    assert np.all(smooth.positive_part(t, 0.5)[abs(t) >= 0.5] == np.maximum(t, 0)[abs(t) >= 0.5])
    for fn in (
        lambda a: smooth.positive_part(a, 0.5),
        lambda a: smooth.exponential(a, 1.2),
        lambda a: smooth.logarithm(a, -0.4),
        lambda a: smooth.log_growth(a, 0.3),
    ):
        slope = jax.vmap(jax.grad(fn))(t)
        rise = np.diff(np.asarray(fn(t))) / np.diff(t)
        np.testing.assert_allclose((slope[1:] + slope[:-1]) / 2, rise, atol=2e-2)
        assert np.all(np.abs(np.diff(slope)) < 0.1)  # no kink is left


def test_guards_change_nothing_where_no_scenario_reaches_them():
    far = RETURNS.copy()
    far[3, 2] = -90.0  # percent
    exact = made("log-utility", far, floor=0.05)
    guarded = made("log-utility", far, floor=0.2)
    inside, outside = np.array([0.5, 0.5, 0, 0]), np.array([0, 0, 1.0, 0])
    assert guarded.value(inside) == exact.value(inside)
    assert guarded.value(outside) < exact.value(outside)
    assert bound("log-utility", far, floor=0.05) == 0
    assert bound("log-utility", far, floor=0.2) == np.inf
    held = wn.sets.CappedSimplex(ASSETS, 0.5)
    assert bound("log-utility", far, floor=0.2, domain=held) == 0


def test_large_exponents_are_finite_and_cost_at_most_the_bound():
    with jax.enable_x64(False):
        problem = made("entropic", theta=20.0, risk=1.0)
        value, gradient = problem.value_and_gradient(np.eye(ASSETS, dtype=np.float32)[3])
        most = bound("entropic", theta=20.0)
    assert np.isfinite(value)
    assert np.all(np.isfinite(gradient))
    x = np.eye(ASSETS)[3]
    exact = -EVEN @ (RETURNS @ x) + risk.evaluate("entropic", RETURNS, x, theta=20.0)
    assert 0 < exact - value <= most * (1 + 1e-5)
    assert bound("entropic", theta=0.5) == 0
