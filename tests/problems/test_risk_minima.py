"""Risk measures: minima against exact conic models, other sets, stochastic methods."""

import jax
import numpy as np
import pytest
from risk_cases import CASES, SETTINGS, made, measure

import reference_risk as ref
import wolfnest as wn
from wolfnest import problems
from wolfnest.problems import risk

DAYS, ASSETS, RISK = 300, 6, 1.5
RNG = np.random.default_rng(11)
RETURNS = (
    np.linspace(0.0, 0.5, ASSETS)
    + 0.5 * RNG.standard_t(5, (DAYS, 1))
    + RNG.standard_t(5, (DAYS, ASSETS)) * np.linspace(0.4, 1.4, ASSETS)
)
P = np.full(DAYS, 1 / DAYS)
INDEX = RETURNS[:, :3] @ np.array([0.5, 0.3, 0.2]) + 0.2 * RNG.normal(size=DAYS)


def settings(case):
    """Those of the case, with the default smoothing and the benchmark of these data."""
    own = {key: value for key, value in SETTINGS[case].items() if key != "smoothing"}
    return own | ({"benchmark": INDEX} if "benchmark" in own else {})


def problem_of(case, returns=RETURNS, **options):
    return risk.problem(measure(case), returns, **{"risk": RISK, **settings(case), **options})


def exact_objective(case, x):
    return -P @ (RETURNS @ x) + RISK * risk.evaluate(measure(case), RETURNS, x, **settings(case))


@pytest.mark.parametrize("case", CASES)
def test_the_minimum_is_that_of_the_exact_model_within_the_bound(case):
    pytest.importorskip("cvxpy")
    problem = problem_of(case)
    best = problems.minimum(problem, tol=1e-7)
    assert best.reached
    smoothed = risk.error_bound(measure(case), RETURNS, risk=RISK, **settings(case))
    expected = ref.conic_minimum(measure(case), RETURNS, P, settings(case), RISK)
    slack = 1e-6 * max(1.0, abs(expected))
    assert expected - slack <= best.value <= expected + smoothed + slack
    # The portfolio is as good as smoothing ten times less would promise.
    achieved = exact_objective(case, np.asarray(risk.portfolio(problem, best.x)))
    assert expected - slack <= achieved <= expected + smoothed / 10 + slack
    assert achieved - expected <= 1e-3 * abs(expected) + slack
    gap = risk.exact_gap(measure(case), RETURNS, problem, best.x, **settings(case))
    assert achieved - gap <= expected + slack
    assert gap <= smoothed / 5 + 1e-5 * max(1.0, abs(expected))
    # Nor does the bound fail where it is not small.
    start = problem.start()
    there = exact_objective(case, np.asarray(risk.portfolio(problem, start)))
    loose = risk.exact_gap(measure(case), RETURNS, problem, start, **settings(case))
    assert there - expected - slack <= loose < np.inf


@pytest.mark.parametrize("case", ["deviation", "cvar", "kl-robust", "tracking-error"])
def test_the_exact_gap_counts_costs(case):
    cp = pytest.importorskip("cvxpy")
    rates, held = np.linspace(0.05, 0.2, ASSETS), np.eye(ASSETS)[1]
    much = {"smoothing": 0.5, "cost_smoothing": 0.1}  # so that the portfolio is not the best one
    problem = problem_of(case, costs=rates, previous=held, **much)
    best = problems.minimum(problem, tol=1e-6).x
    x = np.asarray(risk.portfolio(problem, best))
    trades = lambda w: rates @ cp.abs(w - held)
    expected = ref.conic_minimum(measure(case), RETURNS, P, settings(case), RISK, trades)
    achieved = exact_objective(case, x) + rates @ np.abs(x - held)
    gap = risk.exact_gap(measure(case), RETURNS, problem, best, **settings(case))
    assert achieved - gap - 1e-6 <= expected <= achieved + 1e-6
    # It does not need to be told how much was smoothed.
    told = risk.exact_gap(measure(case), RETURNS, problem, best, **settings(case), smoothing=0.5)
    assert told == pytest.approx(gap, rel=1e-9)


def test_the_exact_gap_of_a_tilted_loss_is_not_known_where_its_guards_are_in_reach():
    far = wn.sets.LongShort(ASSETS, gross=800.0, net=1.0)
    assert risk.error_bound("entropic", RETURNS) == 0
    assert risk.error_bound("entropic", RETURNS, domain=far) > 0
    problem = risk.problem("entropic", RETURNS, domain=far)
    assert risk.exact_gap("entropic", RETURNS, problem, problem.start()) == np.inf
    near = risk.problem("entropic", RETURNS)
    assert risk.exact_gap("entropic", RETURNS, near, near.start()) < np.inf


@pytest.mark.parametrize("case", ["semideviation", "cvar", "evar"])
def test_frank_wolfe_with_pairwise_steps_finds_it_too(case):
    problem = problem_of(case, smoothing=0.1)
    run = wn.solve(problem, wn.method("PFW"), steps=1500, progress=False)
    best = problems.minimum(problem, tol=1e-7)
    assert abs(run.trace.objective[-1] - best.value) <= 1e-4 * abs(best.value)


def test_costs_keep_a_portfolio_where_it_is_and_reward_zero_ignores_the_mean():
    held = np.linspace(0.25, 0.05, ASSETS) / np.linspace(0.25, 0.05, ASSETS).sum()
    dear = problem_of("deviation", costs=100.0, previous=held)
    stays = np.asarray(problems.minimum(dear, tol=1e-6).x)
    assert np.abs(stays - held).max() < 0.01 / ASSETS
    alone = problems.minimum(problem_of("variance", reward=0.0), tol=1e-9).x
    expected = problems.minimum(problem_of("variance", RETURNS - RETURNS.mean(0)), tol=1e-9).x
    np.testing.assert_allclose(alone, expected, atol=1e-5)


# ---- other sets ----------------------------------------------------------------------------------

SETS = {
    "capped": wn.sets.CappedSimplex(ASSETS, 0.3),
    "130/30": wn.sets.LongShort(ASSETS, gross=1.6, net=1.0, lower=-0.2, upper=0.6),
    "ball": wn.sets.L2Ball(ASSETS, 0.8),
}


def extremes(domain, n=200):
    """Vertices of a set in random directions, and mixtures of them."""
    rng = np.random.default_rng(3)
    points = np.asarray(jax.vmap(domain.lmo)(rng.normal(size=(n, ASSETS))))
    mixed = rng.dirichlet(np.ones(3), n)[:, :, None] * points[rng.integers(n, size=(n, 3))]
    return np.r_[points, mixed.sum(1)]


def best_thresholds(x):
    """Where each dual is minimal, by brute force over a fine grid; as multiples of the scale."""
    loss, scale = -(RETURNS @ x), risk.scale(RETURNS)
    grid = np.sort(np.r_[loss, np.linspace(loss.min() - 3 * np.ptp(loss), loss.max(), 3000)])
    above = np.maximum(loss[None] - grid[:, None], 0)
    e = loss.mean() + 3 * above.mean(1)  # of level 0.8
    values = {
        "cvar": grid + above.mean(1) / 0.2,
        "expectile": np.maximum(grid, e),
        "chi2-robust": grid + np.sqrt(1.5 * (above**2).mean(1)),
    }
    return {case: grid[np.argmin(value)] / scale for case, value in values.items()}


@pytest.mark.parametrize("kind", SETS)
def test_boxes_hold_the_best_thresholds_over_any_set(kind):
    cases = ("cvar", "expectile", "chi2-robust")
    boxes = {c: problem_of(c, domain=SETS[kind]).domain.sets["threshold"] for c in cases}
    for x in extremes(SETS[kind])[::8]:
        for case, threshold in best_thresholds(x).items():
            assert float(boxes[case].lower) <= threshold <= float(boxes[case].upper)


def test_boxes_of_a_tilted_measure_hold_its_best_variables():
    kappa, scale = 0.3, risk.scale(RETURNS)
    sets = problem_of("kl-robust", domain=SETS["130/30"], radius=kappa).domain.sets
    for x in extremes(SETS["130/30"])[::20]:
        loss = -(RETURNS @ x)
        heat = np.geomspace(1e-2, 1e2, 4000)[:, None]
        eta = heat[:, 0] * np.log(np.mean(np.exp((loss - loss.max()) / heat), axis=1)) + loss.max()
        at = np.argmin(eta + kappa * heat[:, 0])
        assert float(sets["temperature"].lower) <= heat[at, 0] / scale
        assert heat[at, 0] / scale <= float(sets["temperature"].upper)
        assert float(sets["threshold"].lower) <= eta[at] / scale
        assert eta[at] / scale <= float(sets["threshold"].upper)


def test_boxes_are_not_longer_than_they_need_to_be():
    box = problem_of("cvar", level=0.95).domain.sets["threshold"]
    wildest = risk.evaluate("deviation", RETURNS, np.eye(ASSETS)[-1]) / risk.scale(RETURNS)
    assert float(box.upper - box.lower) < 6 * wildest


def test_a_minimum_over_a_long_short_set_is_that_of_cvxpy():
    cp = pytest.importorskip("cvxpy")
    fund, level = SETS["130/30"], 0.8
    best = problems.minimum(problem_of("cvar", domain=fund), tol=1e-6)
    x, tau = cp.Variable(ASSETS), cp.Variable()
    loss = -(RETURNS @ x)
    goal = P @ loss + RISK * (tau + P @ cp.pos(loss - tau) / (1 - level))
    rules = [cp.sum(x) == 1, cp.norm1(x) <= 1.6, x >= -0.2, x <= 0.6]
    expected = cp.Problem(cp.Minimize(goal), rules).solve(solver="CLARABEL")
    smoothed = risk.error_bound("cvar", RETURNS, risk=RISK, level=level)
    assert expected - 1e-6 <= best.value <= expected + smoothed
    weights = np.asarray(risk.portfolio(fund, risk.portfolio(problem_of("cvar"), best.x)))
    assert exact_objective("cvar", weights) <= expected + 1e-3 * abs(expected)


# ---- stochastic methods --------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_a_stochastic_method_lowers_the_gap(case):
    # More smoothing than by default: 300 scenarios are few, and leave kinks behind.
    smoother = {"smoothing": 0.3} if "smoothing" in SETTINGS[case] else {}
    solver = wn.method("PMVR-v1", eta=0.01, alpha=0.1, batch=64)
    run = wn.solve(problem_of(case, **smoother), solver, steps=500, seeds=3, progress=False)
    gap, value = np.mean(run.trace.frank_wolfe_gap, 1), np.mean(run.trace.objective, 1)
    assert gap[-1] < 0.6 * gap[0]
    assert value[-1] < value[0]


@pytest.mark.parametrize("name", ["PMM-v1", "PMFS-v1", "SwPMVR-v1", "NLASG"])
def test_every_kind_of_method_runs_with_extra_variables(name):
    problem = made("expectile", scenario_weights=np.linspace(0.5, 2, 60))
    run = wn.solve(problem, wn.method(name), steps=200, progress=False)
    assert run.status == "finished"
    assert run.trace.objective[-1] < run.trace.objective[0]
