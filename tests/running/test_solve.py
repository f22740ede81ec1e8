"""What `solve` records, and that it runs what it says it runs."""

import functools
import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import by_hand
import problems
import wolfnest as wn
from problems import plain, portfolio, same, staged
from wolfnest.methods.choice import choose
from wolfnest.running import streams

STEPS = 60
STORM = plain("PMVR-v1")
COUNTED = ("time", "samples", "evaluations", "lmo")


def run(problem=None, solver=STORM, **options):
    options = {"steps": STEPS, "record_every": 7, "progress": False} | options
    return wn.solve(problem or portfolio(), solver, **options)


def restarting(estimator):
    """Stages of 8 and 16 steps, the second with fresh estimates from 6 samples."""
    schedule = wn.schedules.doubling(0.3, 0.3, 4, 8, restart=6)
    return wn.Solver(estimator, wn.LMO(), schedule, 5)


# ---- what it records ----------------------------------------------------------------------------


@pytest.mark.parametrize("solver", [STORM, staged("SwPMFS-v1"), plain("PMVR-v2", inner=3)])
def test_the_first_and_last_steps_are_recorded_and_counters_never_fall(solver):
    trace = run(solver=solver).trace
    assert list(trace.step) == [*range(0, 60, 7), 60]
    for name in COUNTED:
        assert (np.diff(trace[name]) >= 0).all(), name
    assert {len(column) for column in trace.values()} == {len(trace.step)}
    assert (trace.lmo[0], trace.stage[0]) == (0, 1)
    assert trace.time[0] > 0  # the start takes time as well


def test_the_trace_holds_all_criteria_and_their_values_are_the_public_metrics():
    best = -0.7
    gap = functools.partial(wn.metrics.optimal_gap, best=best)
    names = ("gradient_mapping", "frank_wolfe_gap", "objective", "estimator_error")
    solution = run(criterion=(*names, gap))
    assert {*names, *COUNTED, "step", "stage", "optimal_gap", "objective_estimate"} == {
        *solution.trace
    }
    problem, x, last = portfolio(), solution.x, {n: c[-1] for n, c in solution.trace.items()}
    expected = {
        "gradient_mapping": wn.metrics.gradient_mapping(problem, x),
        "frank_wolfe_gap": wn.metrics.frank_wolfe_gap(problem, x),
        "objective": problem.value(x),
        "optimal_gap": problem.value(x) - best,
        "estimator_error": np.linalg.norm(solution.state.v - problem.gradient(x)),
        "objective_estimate": solution.state.u[-1],
    }
    for name, value in expected.items():
        np.testing.assert_allclose(last[name], float(value), rtol=1e-9, err_msg=name)
    assert "gradient_mapping" in solution.message


def test_the_first_criterion_decides_and_may_be_any_function():
    def first_weight(problem, x):
        return 1 - x[-1]

    solution = run(criterion=(first_weight, "frank_wolfe_gap"), tol=0.5)
    assert solution.status == "converged"
    assert solution.trace.first_weight[-1] <= 0.5 < solution.trace.first_weight[-2]


def test_functions_of_equal_names_are_all_recorded_or_refused():
    gaps = tuple(functools.partial(wn.metrics.optimal_gap, best=b) for b in (0.0, -1.0))
    try:
        trace = run(criterion=gaps, steps=1).trace
    except ValueError:
        return
    assert sum("optimal_gap" in name for name in trace) == 2


def test_sampled_criteria_come_with_standard_errors():
    trace = run(problems.endless(), steps=7).trace
    assert (trace.frank_wolfe_gap_se > 0).all()
    assert (trace.objective_se > 0).all()


def test_frames_are_tidy_with_and_without_seeds():
    pytest.importorskip("pandas")
    solution = run()
    frame = solution.trace.to_frame()
    assert list(frame.columns) == list(solution.trace)
    assert len(frame) == len(solution.trace.step)
    seeded = run(seeds=3)
    frame = seeded.trace.to_frame()
    assert len(frame) == 3 * len(seeded.trace.step)
    assert sorted(set(frame["seed"])) == [0, 1, 2]
    for seed in range(3):
        one = frame[frame["seed"] == seed]
        np.testing.assert_array_equal(one["step"], seeded.trace.step)
        np.testing.assert_array_equal(one["frank_wolfe_gap"], seeded.trace.frank_wolfe_gap[:, seed])


# ---- the run itself -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("solver", "steps"),
    [
        (plain("PMM-v1", initial_batch=7), 20),
        (plain("PMVR-v1", gradient_batch="separate"), 20),
        (staged("SwPMFS-v1"), 30),
        (restarting(wn.estimators.Storm()), 20),
        (wn.Solver(wn.estimators.Storm(), wn.LMO(), wn.schedules.Decaying(1.0, 1.0, 4)), 20),
    ],
    ids=["momentum", "storm", "snapshot-stages", "storm-restart", "decaying"],
)
def test_solve_equals_stepping_by_hand(solver, steps):
    problem = portfolio()
    expected = by_hand.states(problem, solver, steps, key=5)[-1][-1]
    found = run(problem, solver, steps=steps, key=5).state
    assert int(found.t) == int(expected.t)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("kind", [np.array, jnp.array])
def test_the_given_start_is_used_and_never_modified(kind):
    x0 = kind([0.1, 0.2, 0.3, 0.4, 0.0])
    before, seen = np.array(x0), []
    weight = lambda problem, x: seen.append(np.asarray(x)) or 0.0
    solution = run(x0=x0, criterion=weight, steps=7)
    np.testing.assert_array_equal(x0, before)
    np.testing.assert_array_equal(seen[0], before)
    assert not np.array_equal(solution.x, before)


@pytest.mark.parametrize("name", ["portfolio", "matrix"])
def test_runs_start_and_end_inside_the_set(name):
    problem, points = problems.ALL[name](), []
    inside = lambda p, x: points.append(bool(p.domain.contains(x))) or 0.0
    run(problem, criterion=inside, steps=7)
    assert points == [True, True]


def test_the_same_key_gives_the_same_bits_and_another_key_another_result():
    first, second, other = (run(key=key, steps=20) for key in (3, jax.random.key(3), 4))
    assert same((first.x, first.state), (second.x, second.state))
    assert same(problems.columns(first.trace), problems.columns(second.trace))
    assert not np.array_equal(first.x, other.x)


@pytest.mark.parametrize("solver", [STORM, staged("SwPMFS-v1")], ids=["storm", "snapshot"])
def test_every_seed_is_a_run_of_its_own_key(solver):
    together = run(solver=solver, seeds=3, key=2)
    assert together.x.shape == (3, problems.DIM)
    assert together.trace.frank_wolfe_gap.shape == (len(together.trace.step), 3)
    assert together.status == ("finished",) * 3
    assert len({x.tobytes() for x in np.asarray(together.x)}) == 3
    for seed, key in enumerate(streams.seed_keys(jax.random.key(2), 3)):
        alone = run(solver=solver, key=key)
        np.testing.assert_allclose(together.x[seed], alone.x, rtol=1e-10, atol=1e-13)
        assert together.counts == alone.counts


def test_progress_lines_on_something_that_is_no_terminal(capsys):
    shown = run(progress=True, steps=14)
    text = capsys.readouterr().err
    assert "PMVR-v1" in text
    assert "finished" in text
    assert same(shown.x, run(steps=14).x)


@pytest.mark.parametrize("solver", [None, plain("PMM-v1"), STORM, plain("PMFS-v1")])
def test_a_problem_without_samples_is_plain_frank_wolfe(solver):
    problem = problems.deterministic()
    solution = run(problem, solver, criterion="estimator_error", steps=40, record_every=1)
    assert solution.counts.samples == solution.counts.evaluations == 0
    if solver is None or solver.name != "PMM-v1":
        assert solution.trace.estimator_error.max() < 1e-12
    assert solution.trace.objective[-1] < solution.trace.objective[0]


# ---- the automatic choice -----------------------------------------------------------------------


def curved():
    level = wn.Level(lambda x, r: (r @ x - 1.0) ** 2, data=problems.returns())
    return wn.Problem([level], wn.sets.L2Ball(problems.DIM), convex=True)


@pytest.mark.parametrize(
    ("problem", "batch", "name", "words"),
    [
        (curved(), None, "SwPMFS-v1", ["declared convex", "finite sum"]),
        (problems.endless(convex=True), None, "SwPMVR-v1", ["convex", "level 1 is an endless"]),
        (problems.endless(), None, "PMVR-v1", ["not declared convex", "128 are large"]),
        (problems.endless(), 16, "PMM-v1", ["not declared convex", "batches of 16 are small"]),
        (problems.matrix(), None, "PMFS-v1", ["not declared convex", "finite sum"]),
    ],
)
def test_the_choice_follows_the_advice_and_says_why(problem, batch, name, words):
    solver, reason = choose(problem, 100, batch)
    assert solver.name == name
    assert reason.startswith(f"{name}: ")
    assert all(word in reason for word in words)
    expected = "shared" if len(problem.levels) == 1 else "separate"
    assert solver.estimator.gradient_batch == expected


@pytest.mark.parametrize(
    ("make", "rule"),
    [(portfolio, wn.stepsizes.LineSearch), (problems.deviation, wn.stepsizes.Adaptive)],
)
def test_finite_sums_over_sets_with_corners_get_exact_steps_on_growing_samples(make, rule):
    problem = make()
    solver, reason = choose(problem, None)
    assert solver.name == "GrowSPG"
    assert reason.startswith("GrowSPG: every level is a finite sum or deterministic")
    assert "projection" in reason
    # Without a projection, or with one of which nothing is known, steps are pairwise.
    corners = wn.sets.FromOracle(
        problem.domain.lmo, problem.start(), project=problem.domain.project
    )
    for domain in (corners, wn.sets.ConvexHull(np.eye(problems.DIM))):
        solver, reason = choose(wn.Problem(problem.levels, domain, convex=problem.convex), None)
        assert solver.name == "GrowPFW"
        # A line search is for objectives that are convex along a ray.
        assert isinstance(solver.step_size, rule)
        assert "projection" not in reason
    # A budget of oracle calls would never be spent by a method that makes one.
    assert choose(problem, None, lmo=50)[0].name == "GrowPFW"


class OwnSimplex(wn.sets.Simplex):
    def project(self, x):
        raise NotImplementedError("not yet")


@pytest.mark.parametrize(
    ("domain", "name"),
    [
        (wn.sets.Box(-np.ones(5), np.ones(5)), "GrowSPG"),
        (wn.sets.Box(-np.logspace(0, 3, 5), np.logspace(0, 3, 5)), "GrowPFW"),
        (OwnSimplex(5), "GrowPFW"),
    ],
)
def test_projected_steps_are_for_known_projections_and_entries_of_equal_room(domain, name):
    level = wn.Level(lambda x, r: (r @ x - 1) ** 2, data=problems.returns())
    assert choose(wn.Problem([level], domain, convex=True), None)[0].name == name


@pytest.mark.parametrize(("room", "name"), [(1.0, "GrowSPG"), (1e3, "GrowPFW")])
def test_blocks_of_a_product_must_have_equal_room_as_well(room, name):
    parts = {"a": wn.sets.Simplex(problems.DIM), "t": wn.sets.Box(-room, room)}
    level = wn.Level(lambda x, r: (r @ x["a"] - x["t"]) ** 2, data=problems.returns())
    assert choose(wn.Problem([level], wn.sets.Product(parts), convex=True), None)[0].name == name


def test_the_choice_on_curved_products():
    # A product is curved if one of its sets is.
    inner = {"a": wn.sets.Simplex(problems.DIM), "b": wn.sets.L2Ball(2)}
    level = wn.Level(lambda x, r: (r @ x["a"]) ** 2 + x["b"] @ x["b"], data=problems.returns())
    problem = wn.Problem([level], wn.sets.Product(inner), convex=True)
    assert choose(problem, None)[0].name == "SwPMFS-v1"


def test_without_anything_to_end_it_the_automatic_choice_ends_by_itself():
    solution = run(solver=None, steps=None)
    assert solution.status == "converged"
    assert solution.trace.frank_wolfe_gap[-1] <= 1e-6 * solution.trace.frank_wolfe_gap[0]
    assert "since nothing else was said" in solution.reason


def test_exact_steps_end_where_rounding_allows_no_less():
    solution = run(solver=wn.method("PFW"), steps=None, tol=-1.0)
    assert solution.status == "stalled"
    assert solution.steps < 2_000
    assert abs(solution.trace.frank_wolfe_gap[-1]) < 1e-14


def test_without_a_solver_solve_chooses_one_and_says_why():
    solution = run(solver=None, steps=7)
    chosen, reason = choose(portfolio(), 7)
    assert (solution.solver.name, solution.reason) == (chosen.name, reason)


# ---- its name -----------------------------------------------------------------------------------


def test_the_function_and_the_module_do_not_shadow_each_other():
    module = importlib.import_module("wolfnest.running.solve")
    assert wn.solve is module.solve
    assert callable(wn.solve)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("wolfnest.solve")
