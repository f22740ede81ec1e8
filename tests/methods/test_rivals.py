"""The rivals as users meet them: what they refuse, where they break down, what they keep."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import problems
import wolfnest as wn

PROJECTED = ("A-TSCGD", "NLASG", "SCSC", "SMVR", "Nested-SPIDER")
SINGLE = ("1-SFW", "SPIDER-FW", "SVFW", "NCGS", "SGD+ICG", "SCGS")


def vertices(direction):
    return jax.nn.one_hot(jnp.argmin(direction), problems.DIM, dtype=direction.dtype)


def without_projection():
    levels = problems.portfolio().levels
    return wn.Problem(levels, wn.sets.FromOracle(vertices, start=np.full(problems.DIM, 0.2)))


@pytest.mark.parametrize("name", SINGLE)
def test_single_level_methods_refuse_nested_objectives(name):
    solver = wn.method(name)
    reason = solver.supports(problems.portfolio())
    assert "2 levels" in reason
    with pytest.raises(ValueError, match=r"cannot run on this problem.*2 levels"):
        wn.solve(problems.portfolio(), solver, steps=5)
    assert solver.supports(problems.regression()) is None


@pytest.mark.parametrize("name", PROJECTED)
def test_projected_methods_refuse_sets_without_projection(name):
    solver = wn.method(name)
    assert "projection" in solver.supports(without_projection())
    with pytest.raises(ValueError, match=f"{name.replace('+', '.')} cannot run.*projection"):
        wn.solve(without_projection(), solver, steps=5)
    assert wn.method("LiNASA+ICG").supports(without_projection()) is None


def test_sliding_needs_the_diameter():
    domain = wn.sets.FromOracle(vertices, start=np.full(problems.DIM, 0.2))
    problem = wn.Problem([wn.Level(problems.bowl)], domain)
    assert "diameter" in wn.method("SCGS").supports(problem)
    assert wn.method("NCGS").supports(problem) is None


@pytest.mark.parametrize("name", ["Nested-SPIDER", "SVFW", "SPIDER-FW"])
def test_methods_with_exact_passes_refuse_endless_levels(name):
    data = problems.endless().levels[0].sample
    single = wn.Level(lambda x, r: (r @ x - 0.2) ** 2, sample=data)
    problem = wn.Problem([single], wn.sets.Simplex(problems.DIM))
    assert "level 1 is endless" in wn.method(name).supports(problem)
    if name != "SVFW":
        settings = {"large_batch": 400, "batch": 8, "epoch": 10}
        if name == "SPIDER-FW":
            settings["regime"] = "nonconvex"
        solution = wn.solve(problem, wn.method(name, **settings), steps=60, progress=False)
        starts = 1 + sum(t % 10 == 1 for t in range(2, 62))
        drawn = 400 * starts + 8 * (61 - starts)
        assert solution.counts.samples == drawn
        assert solution.trace.frank_wolfe_gap[-1] < solution.trace.frank_wolfe_gap[0]


# ---- breaking down -----------------------------------------------------------------------------


def roots():
    """√x at level 1: defined on the simplex, not around it."""
    rng = np.random.default_rng(0)
    data = 0.3 * rng.normal(size=(50, 3)) + np.array([1.0, 0.5, 0.0])
    root = wn.Level(lambda x, r: r @ jnp.sqrt(x + 1e-6), data=data)
    return wn.Problem([root, wn.Level(lambda z: (z - 2.0) ** 2)], wn.sets.Simplex(3))


def test_extrapolation_beyond_the_domain_of_a_level_names_the_level():
    solver = wn.method("A-TSCGD", batch=2)
    solution = wn.solve(roots(), solver, steps=300, progress=False, throw=False)
    assert solution.status == "diverged"
    assert "the value of level 1 is not finite at step" in solution.message
    assert np.isfinite(solution.x).all()
    with pytest.raises(wn.DivergedError, match="level 1"):
        wn.solve(roots(), solver, steps=300, progress=False)


def test_extrapolated_points_outside_the_set_are_evaluated():
    rng = np.random.default_rng(0)
    seen = []

    def watched(x, r):
        jax.debug.callback(lambda low: seen.append(float(low)), jnp.min(x))
        return (r @ x - 0.3) ** 2

    data = rng.normal(size=(40, 3))
    problem = wn.Problem([wn.Level(watched, data=data)], wn.sets.Simplex(3))
    solution = wn.solve(problem, wn.method("A-TSCGD", lr=0.5, batch=4), steps=30, progress=False)
    jax.effects_barrier()
    assert solution.status == "finished"
    assert min(seen) < -0.01
    assert bool(problem.domain.contains(solution.x))


def poisoned():
    """One sample in ten thousand is infinite, and what follows it need not be."""
    fn = lambda x, s: jnp.where(s == 7, jnp.inf, 1.0) * jnp.sum((x - s / 1e4) ** 2)
    sample = lambda key, n: jax.random.randint(key, (n,), 0, 10_000).astype(float)
    return wn.Problem([wn.Level(fn, sample=sample)], wn.sets.Box(-np.ones(5), np.ones(5)))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("SPIDER-FW", {"regime": "nonconvex", "large_batch": 64, "batch": 1, "epoch": 2}),
        ("Nested-SPIDER", {"large_batch": 64, "batch": 1, "epoch": 2}),
        ("SCSC", {"batch": 32, "alpha": 1.0}),
        ("A-TSCGD", {"batch": 32}),
    ],
)
def test_an_infinity_that_is_forgotten_later_still_ends_the_run(name, settings):
    solver, measure = wn.method(name, **settings), lambda problem, x: float(jnp.sum(x**2))
    runs = [
        wn.solve(poisoned(), solver, steps=500, throw=False, record_every=every, progress=False,
                 criterion=measure)
        for every in (1, 500)
    ]  # fmt: skip
    assert [run.status for run in runs] == ["diverged", "diverged"]
    assert runs[0].message == runs[1].message
    assert "level 1" in runs[0].message


def test_a_derivative_that_only_an_exact_pass_sees_is_traced_to_its_level():
    data = np.concatenate([np.full(200, 0.5), [0.0]])
    # x = 0 is a vertex: there the last row has an infinite slope and a finite value.
    root = wn.Level(lambda x, r: jnp.sum(jnp.sqrt(jnp.abs(x) + r)), data=data)
    problem = wn.Problem([root], wn.sets.Box(np.zeros(2), np.ones(2)))
    solver = wn.method("SVFW", epoch=3, batch=1, eta=1.0)
    solution = wn.solve(problem, solver, np.full(2, 0.5), steps=30, throw=False, progress=False,
                        criterion=lambda p, x: 0.0)  # fmt: skip
    assert "derivative of level 1" in solution.message


def test_a_whole_projected_step_ends_in_the_set_to_the_last_bit():
    high = np.array([0.1, 0.7, 1.3])
    power = wn.Level(lambda x, r: jnp.sum((high - x) ** 1.5) + r @ x, data=np.eye(3) - 0.5)
    problem = wn.Problem([power], wn.sets.Box(-0.77 * high, high))
    for name in ("SCSC", "SMVR"):
        solution = wn.solve(problem, wn.method(name, lr=0.3, batch=1), steps=2000, progress=False)
        assert solution.status == "finished"


def test_the_horizon_of_a_budget_is_what_it_affords():
    problem, solver = problems.portfolio(), wn.method("NLASG", batch=16)
    by_steps = wn.solve(problem, solver, steps=201, progress=False)
    budget = {"samples": 16 * 2 * 201 + 5}
    by_budget = wn.solve(problem, solver, budget=budget, progress=False)
    assert by_budget.status == "budget"
    assert by_budget.steps == 200
    gaps = [run.trace.frank_wolfe_gap[-1] for run in (by_steps, by_budget)]
    np.testing.assert_allclose(*gaps, rtol=0.2)


# ---- what Jacobian tracking keeps --------------------------------------------------------------


@pytest.mark.parametrize("name", ["SMVR", "Nested-SPIDER"])
def test_jacobians_are_dense_only_where_levels_have_samples(name):
    problem = problems.deviation()  # x (5) → pair (1 + 5) → pair (1 + 1) → number
    solution = wn.solve(problem, wn.method(name, batch=4), steps=5, progress=False)
    first, second, third = solution.state.memory
    assert (first.shape, second.shape, third) == ((5, 6), (6, 2), None)


@pytest.mark.parametrize("name", wn.methods.names())
def test_the_memory_of_the_state_is_told_beforehand(name):
    solver = wn.method(name, **({"batch": 4} if "batch" in wn.methods.settings(name) else {}))
    problem = problems.portfolio() if solver.most_levels is None else problems.regression()
    told = solver.state_bytes(problem)
    state = wn.solve(problem, solver, steps=3, progress=False).state
    assert told == sum(leaf.nbytes for leaf in jax.tree.leaves(state))


# ---- settings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("A-TSCGD", {"lr": -1.0}, "lr must be"),
        ("A-TSCGD", {"alpha": 0.0}, "alpha must be"),
        ("A-TSCGD", {"regime": "convex"}, "regime must be one of"),
        ("NLASG", {"tau": 2.0}, r"tau must lie in \(0, 1\]"),
        ("SMVR", {"clip": 0.0}, "clip must be"),
        ("Nested-SPIDER", {"eps": 0.0}, "eps must be"),
        ("Nested-SPIDER", {"epoch": 0}, "epoch must be"),
        ("1-SFW", {"regime": "strongly-convex"}, "regime must be one of"),
        ("SPIDER-FW", {"epoch": 5}, "epoch is for"),
        ("SPIDER-FW", {"eta": 0.1}, "eta is for"),
        ("SCGS", {"smoothness": 0.0}, "smoothness must be"),
        ("SCGS", {"batch": 8, "most_batch": 4}, "most_batch must be"),
        ("SGD+ICG", {"tol": -1.0}, "tol must be"),
        ("1-SFW", {"eta": 0.0}, "eta must lie"),
        ("SVFW", {"batch": 0}, "batch must be"),
    ],
)
def test_wrong_settings_are_named(name, settings, words):
    with pytest.raises(ValueError, match=words):
        wn.method(name, **settings)


def test_a_large_batch_needs_a_key():
    solver = wn.method("Nested-SPIDER", large_batch=20, batch=4)
    problem = problems.portfolio()
    with pytest.raises(ValueError, match=r"pair \(samples, key\)"):
        solver.init(problem, problem.start(), problem.draw(0, 4))
