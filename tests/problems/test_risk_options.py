"""Risk measures: refusals by name, precision and units, nothing compiled anew, other weights."""

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from risk_cases import ASSETS, CASES, EXTRA, PATH, RETURNS, ROWS, SETTINGS, made, measure, point

import wolfnest as wn
from wolfnest import datasets, problems
from wolfnest.problems import risk

X = np.array([0.4, 0.1, 0.3, 0.2])

# ---- names and settings --------------------------------------------------------------------------


def test_names_functions_and_settings_belong_together():
    assert {measure(case) for case in CASES} == set(risk.names())
    for name in risk.names():
        make = getattr(risk, name.replace("-", "_"))
        parameters = inspect.signature(make).parameters
        own = {p.name: p.default for p in parameters.values() if p.kind == p.KEYWORD_ONLY}
        assert risk.settings(name) == own
    assert risk.settings("semideviation")["order"] == 2
    by_name = risk.problem("cvar", RETURNS, risk=0.5, level=0.9).value(point("cvar", X)[0])
    assert risk.cvar(RETURNS, 0.5, level=0.9).value(point("cvar", X)[0]) == by_name


REFUSED = [
    ("cvar", {"level": 1.0}, "level must lie between 0 and 1, got 1.0"),
    ("cvar", {"level": 0}, "level must lie between 0 and 1"),
    ("cvar", {"level": "high"}, "level must be a finite number"),
    ("evar", {"level": -0.5}, "level must lie between 0 and 1"),
    ("expectile", {"level": 0.5}, "level must lie between 0.5 and 1"),
    ("semideviation", {"order": 0.5}, "order must lie between 1 and 10"),
    ("semideviation", {"order": np.nan}, "order must be a finite number"),
    ("entropic", {"theta": 0.0}, "theta must be a positive, finite number"),
    ("kl-robust", {"radius": -1}, "radius must be a positive, finite number"),
    ("chi2-robust", {"radius": np.inf}, "radius must be a positive, finite number"),
    ("log-utility", {"unit": 0}, "unit must be a positive, finite number"),
    ("log-utility", {"unit": 100, "floor": 1.0}, "floor must lie between 0 and 1"),
    ("tracking-error", {"benchmark": None}, "tracking-error needs a benchmark"),
    ("tracking-error", {"benchmark": np.ones(7)}, "60 returns, one per row .* or 4 weights"),
    ("tracking-error", {"benchmark": [1, 2, np.nan, 0]}, "benchmark must be finite"),
]


@pytest.mark.parametrize(("name", "bad", "message"), REFUSED)
def test_a_setting_that_makes_no_sense_is_refused_by_name(name, bad, message):
    with pytest.raises(ValueError, match=message):
        risk.problem(name, RETURNS, **bad)
    with pytest.raises(ValueError, match=message):
        risk.error_bound(name, RETURNS, **bad)
    if "floor" not in bad:  # which only smooths
        with pytest.raises(ValueError, match=message):
            risk.evaluate(name, RETURNS, X, **bad)


@pytest.mark.parametrize("name", [n for n in risk.names() if "smoothing" in risk.settings(n)])
@pytest.mark.parametrize("bad", [0.0, -1, np.nan, "much"])
def test_a_smoothing_that_is_not_positive_is_refused(name, bad):
    more = {"benchmark": PATH} if name == "tracking-error" else {}
    for fn in (risk.problem, risk.error_bound):
        with pytest.raises(ValueError, match="smoothing must be a positive, finite number"):
            fn(name, RETURNS, smoothing=bad, **more)


def test_unknown_names_and_settings_are_refused_with_the_known_ones():
    for fn in (risk.problem, risk.error_bound):
        with pytest.raises(ValueError, match=r"one of 'variance', 'deviation'.* got 'var'"):
            fn("var", RETURNS)
        with pytest.raises(ValueError, match=r"cvar has no setting 'alpha': .* level, smoothing"):
            fn("cvar", RETURNS, alpha=0.1)
        with pytest.raises(ValueError, match="variance has no setting 'level': it has none"):
            fn("variance", RETURNS, level=0.9)
    with pytest.raises(ValueError, match="one of 'variance'"):
        risk.settings("var")
    with pytest.raises(TypeError, match="no option 'capital': use domain, scenario_weights"):
        risk.variance(RETURNS, capital=1)


COMMON = [
    ({"risk": -1}, "risk must be a finite number of at least 0"),
    ({"reward": -0.1}, "reward must be a finite number of at least 0"),
    ({"scenario_weights": np.ones(7)}, "scenario_weights must be 60 numbers, one per row"),
    ({"scenario_weights": np.arange(60.0) - 1}, r"at least 0, got -1.0 at index \(0,\)"),
    ({"scenario_weights": np.zeros(60)}, "must not all be 0"),
    ({"scenario_weights": np.full(60, np.nan)}, "scenario_weights must be finite"),
    ({"costs": 0.1}, r"costs need previous.* previous=np.zeros\(4\)"),
    ({"costs": [0.1, 0.2], "previous": X}, "costs must be a number or 4 of them"),
    ({"costs": [0.1, 0.2, -0.3, 0], "previous": X}, r"at least 0, got -0.3 at index \(2,\)"),
    ({"costs": 0.1, "previous": [1, 0]}, "previous must be 4 weights"),
    ({"costs": 0.1, "previous": X, "cost_smoothing": 0}, "cost_smoothing must be a positive"),
    ({"domain": "long only"}, r"domain must be a set of wolfnest.sets, such as Simplex\(4\)"),
    ({"domain": wn.sets.Simplex(5)}, r"vectors of length 4.* got Simplex .* shape \(5,\)"),
    ({"domain": wn.sets.Product({"a": wn.sets.Simplex(4)})}, "vectors of length 4.* got Product"),
]


@pytest.mark.parametrize(("bad", "message"), COMMON)
@pytest.mark.parametrize("name", ["variance", "cvar"])
def test_options_of_all_measures_are_refused_by_name(name, bad, message):
    with pytest.raises(ValueError, match=message):
        risk.problem(name, RETURNS, **bad)


def test_bad_tables_weights_and_losses_beyond_everything_are_refused():
    hole = RETURNS.copy()
    hole[2, 1] = np.nan
    for call in (
        lambda: risk.problem("cvar", hole),
        lambda: risk.evaluate("cvar", hole, X),
        lambda: risk.error_bound("cvar", hole),
    ):
        with pytest.raises(datasets.DataError, match=r"got nan in row 2 \(from 0\), column 1"):
            call()
    with pytest.raises(ValueError, match="weights must be 4 numbers, one per column"):
        risk.evaluate("cvar", RETURNS, [0.5, 0.5])
    with pytest.raises(datasets.DataError, match=r"at least -1 .* pass unit=100"):
        risk.log_utility(RETURNS)
    square = RETURNS[:ASSETS]
    with pytest.raises(ValueError, match="as many rows as columns"):
        risk.tracking_error(square, benchmark=X)


def test_the_unit_of_log_utility_is_that_of_the_returns():
    named = datasets.Returns(RETURNS, None, tuple("ABCD"), "a test")
    percent, fraction = risk.log_utility(named), risk.log_utility(RETURNS / 100)
    np.testing.assert_allclose(percent.value(X), 100 * fraction.value(X), rtol=1e-10)
    assert risk.evaluate("log-utility", named, X) == pytest.approx(
        100 * risk.evaluate("log-utility", RETURNS / 100, X), rel=1e-10
    )


def test_a_benchmark_is_its_returns_or_its_weights():
    weights = np.array([0.3, 0.3, 0.2, 0.2])
    by_path = risk.tracking_error(RETURNS, benchmark=RETURNS @ weights + 5)
    by_weights = risk.tracking_error(RETURNS, benchmark=weights)
    np.testing.assert_allclose(by_path.value(X), by_weights.value(X), rtol=1e-12)
    assert risk.evaluate("tracking-error", RETURNS, weights, benchmark=weights) < 1e-12


# ---- precision and units -------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_float32_stays_float32_and_is_close(case):
    more = {"unit": 1.0} if case == "log-utility" else {}
    if case == "tracking-error":
        more = {"benchmark": PATH / 100}
    small = RETURNS / 100  # fractions, the harder unit
    single = made(case, small.astype(np.float32), **more)
    assert single.dtype == np.float32
    assert {a.dtype for a in jax.tree.leaves(single.composition)} == {np.dtype(np.float32)}
    at, _ = point(case, X)
    at = jax.tree.map(lambda a: jnp.asarray(a, np.float32), at)
    value, gradient = single.value_and_gradient(at)
    assert value.dtype == np.float32
    assert {a.dtype for a in jax.tree.leaves(gradient)} == {np.dtype(np.float32)}
    expected = made(case, small, **more).value(at)
    size = abs(float(expected)) + small.std()
    assert abs(float(value) - float(expected)) < 1e-5 * size


@pytest.mark.parametrize("case", CASES)
def test_defaults_do_not_depend_on_the_unit_of_the_returns(case):
    per_unit = {"variance": {"risk": 0.01}, "entropic": {"theta": 0.007}}
    own = {key: value for key, value in SETTINGS[case].items() if key != "smoothing"}
    own["risk"] = 1.0
    percent = {**own, **({"unit": 100.0} if case == "log-utility" else {})}
    tenfold = {**own, **per_unit.get(case, {})}
    if case == "log-utility":
        tenfold["unit"] = 1e4
    if case == "tracking-error":
        tenfold["benchmark"] = 100 * PATH
    at, _ = point(case, X)
    one = risk.problem(measure(case), RETURNS, **percent).value(at)
    other = risk.problem(measure(case), 100 * RETURNS, **tenfold).value(at)
    np.testing.assert_allclose(other, 100 * one, rtol=1e-10)


# ---- compiled once -------------------------------------------------------------------------------

OTHERS = {
    "level": 0.9,
    "theta": 0.3,
    "radius": 0.2,
    "smoothing": 0.03,
    "unit": 150.0,
    "floor": 0.3,
    "benchmark": PATH[::-1],
}


@pytest.mark.parametrize("case", CASES)
def test_other_weights_settings_and_data_compile_nothing_anew(case, traced):
    at, _ = point(case, X)
    base = made(case, risk=1.0)
    base.value(at)
    traced.clear()
    changed = {key: OTHERS[key] for key in SETTINGS[case] if key != "order"}
    values = [
        risk.with_risk(base, 0.3).value(at),
        made(case, risk=0.2).value(at),
        made(case, **changed).value(at),
        made(case, RETURNS[::-1] * 0.9).value(at),
    ]
    assert "_exact_value" not in traced
    assert len({float(value) for value in values}) == len(values)


@pytest.mark.parametrize("case", CASES)
def test_another_risk_is_the_problem_built_with_it(case):
    at, _ = point(case, X)
    base = made(case, risk=1.0)
    weights = np.array([0.0, 0.4, 3.0])
    path = jax.jit(
        lambda problem, many: jax.lax.scan(
            lambda _, one: (None, risk.with_risk(problem, one).value(at)), None, many
        )[1]
    )(base, weights)
    direct = [made(case, risk=weight).value(at) for weight in weights]
    np.testing.assert_allclose(path, direct, rtol=1e-12)
    kept = [jax.tree.leaves(p.levels[0].data)[0] for p in (base, risk.with_risk(base, 2))]
    assert kept[0] is kept[1]


def test_another_risk_needs_a_problem_of_these_and_a_number_that_makes_sense():
    with pytest.raises(ValueError, match=r"expected a problem of wolfnest\.problems\.risk"):
        risk.with_risk(problems.matrix_single_index(4), 1.0)
    with pytest.raises(ValueError, match="risk must be a finite number of at least 0, got -1"):
        risk.with_risk(made("cvar"), -1)


def test_problems_can_be_built_inside_compiled_functions():
    at, _ = point("cvar", X)
    value = lambda returns, level: risk.cvar(returns, level=level).value(at)
    expected = risk.cvar(RETURNS, level=0.9).value(at)
    np.testing.assert_allclose(jax.jit(value)(RETURNS, 0.9), expected, rtol=1e-10)


def test_mean_variance_and_mean_deviation_are_the_same_problems():
    variance, deviation = (
        problems.mean_variance(RETURNS, 0.7),
        problems.mean_deviation(RETURNS, 0.7),
    )
    np.testing.assert_allclose(risk.variance(RETURNS, 0.7).value(X), variance.value(X), rtol=1e-14)
    smoothing = 1e-3 / risk.scale(RETURNS)
    same = risk.deviation(RETURNS, 0.7, smoothing=smoothing)
    np.testing.assert_allclose(same.value(X), deviation.value(X), rtol=1e-12)
    more = risk.with_risk(deviation, 2.0)
    np.testing.assert_allclose(more.value(X), problems.mean_deviation(RETURNS, 2.0).value(X))


def test_the_scale_of_returns_that_do_not_move_is_their_size():
    assert risk.scale(np.full((5, 2), 0.3)) == pytest.approx(0.3)
    assert risk.scale(np.zeros((5, 2))) == 1.0
    weights = np.arange(ROWS) % 3
    path = RETURNS.mean(1)
    expected = np.sqrt(np.cov(path, aweights=weights, ddof=0))
    assert risk.scale(RETURNS, weights) == pytest.approx(expected)
    assert set(EXTRA) <= set(CASES)
