"""Bits do not depend on how a run is cut; nothing recompiles, no data are captured."""

import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import problems
import wolfnest as wn
from problems import DIM, plain, portfolio, returns, same, staged
from wolfnest.directions import inner_frank_wolfe
from wolfnest.running import engine, recording, stepping

STEPS = 70
SCGS = wn.method("SCGS", smoothness=1.5, inner=20, batch=2, batch_growth=1.0)
LARGE = wn.method("Nested-SPIDER", lr=0.1, large_batch=30, batch=4, epoch=6)
RUNS = {
    "storm": (portfolio, plain("PMVR-v1"), {}),
    "snapshot": (portfolio, plain("PMFS-v1"), {}),
    "stages": (portfolio, staged("SwPMFS-v1", handover="random"), {"output": "average"}),
    "seeds": (portfolio, staged("SwPMVR-v1"), {"seeds": 3, "output": "random"}),
    "endless": (problems.endless, plain("PMVR-v1"), {}),
    "accelerated": (problems.regression, SCGS, {"seeds": 2}),
    "epochs": (problems.regression, wn.method("SPIDER-FW"), {}),
    "jacobians": (portfolio, wn.method("SMVR", batch=4), {"output": "random"}),
    "large batches": (problems.endless, LARGE, {"seeds": 2}),
}


def run(problem, solver, **options):
    options = {"steps": STEPS, "progress": False} | options
    return wn.solve(problem, solver, **options)


def assert_same(found, expected):
    assert same((found.x, found.state), (expected.x, expected.state))
    assert found.counts == expected.counts
    # Rows that both have recorded.
    ours, theirs = problems.columns(found.trace), problems.columns(expected.trace)
    _, here, there = np.intersect1d(ours["step"], theirs["step"], return_indices=True)
    assert len(here) >= 2
    assert same({n: c[here] for n, c in ours.items()}, {n: c[there] for n, c in theirs.items()})


@pytest.mark.parametrize("name", RUNS)
def test_results_do_not_depend_on_how_the_run_is_cut(name, monkeypatch):
    make, solver, options = RUNS[name]
    problem = make()
    expected = run(problem, solver, record_every=STEPS, **options)
    for record_every in (1, 7):
        assert_same(run(problem, solver, record_every=record_every, **options), expected)
    # Calls of at most 3 steps.
    monkeypatch.setattr(stepping.Pace, "after", lambda pace, n, seconds: setattr(pace, "steps", 3))
    assert_same(run(problem, solver, record_every=7, **options), expected)


def test_results_do_not_depend_on_how_many_steps_are_drawn_ahead(monkeypatch):
    # Another solver object of the same settings, on another problem object: compiled anew.
    expected = run(portfolio(), plain("PMVR-v1"), record_every=STEPS)
    monkeypatch.setattr(engine, "MOST_AHEAD", 5)
    jax.clear_caches()
    assert_same(run(portfolio(), plain("PMVR-v1"), record_every=STEPS), expected)


def test_oracle_calls_of_seeds_do_not_depend_on_how_the_run_is_cut():
    solver = plain("PMVR-v2", inner=5, tol=0.05)
    counts = [
        run(portfolio(), solver, seeds=3, record_every=every).counts for every in (1, 7, STEPS)
    ]
    assert counts[0] == counts[1] == counts[2]


# ---- compilation --------------------------------------------------------------------------------

CALLS = []


def first(x, r):
    CALLS.append("first")
    return r @ x, x


def second(y, r):
    CALLS.append("second")
    return -y[0] + (r @ y[1] - y[0]) ** 2


def counted(seed=0, radius=1.0):
    table = returns(seed=seed)
    levels = [wn.Level(first, data=table), wn.Level(second, data=table)]
    return wn.Problem(levels, wn.sets.Simplex(DIM, radius))


def uncalled(problem, solver, **options):
    """The second run must not call the Python functions of the levels."""
    CALLS.clear()
    run(problem, solver, **options)
    return not CALLS


def test_new_values_of_equal_shapes_do_not_recompile():
    name, v2 = "PMFS-v2", {"beta": 1.0, "inner": 3}
    problem, solver = counted(), plain(name, **v2)
    criterion = ("frank_wolfe_gap", "gradient_mapping")
    run(problem, solver, criterion=criterion)
    assert CALLS, "the functions are traced when first used"
    others = {
        "the same again": (problem, solver, {}),
        "eta and alpha": (problem, plain(name, eta=0.02, alpha=0.7, **v2), {}),
        "key": (problem, solver, {"key": jax.random.key(9)}),
        "steps": (problem, solver, {"steps": 33}),
        "record_every": (problem, solver, {"record_every": 3}),
        "x0": (problem, solver, {"x0": np.eye(DIM)[1]}),
        "data": (counted(seed=1), solver, {}),
        "radius": (counted(radius=2.5), solver, {}),
        "beta": (problem, plain(name, **v2 | {"beta": 3.0}), {}),
    }
    recompiled = [
        what
        for what, (task, method, options) in others.items()
        if not uncalled(task, method, criterion=criterion, **options)
    ]
    assert recompiled == []


def test_stages_that_differ_in_length_and_weights_share_compiled_code():
    problem, solver = counted(), staged("SwPMVR-v1")
    run(problem, solver, steps=9)
    assert [stage.steps for stage in solver.schedule.stages(57)] == [8, 16, 32, 1]
    assert uncalled(problem, solver, steps=57)


def test_a_longer_run_of_the_same_solver_does_not_recompile():
    problem, solver = counted(), plain("PMM-v1")
    run(problem, solver, steps=20)
    assert uncalled(problem, solver, steps=800)


# ---- captured constants -------------------------------------------------------------------------


def large_constants(text):
    """Shapes of over a thousand elements among the constants of a lowered program."""
    shapes = re.findall(r"stablehlo\.constant .*?tensor<((?:\d+x)*)[a-z]", text)
    sizes = [np.prod([int(n) for n in shape.split("x") if n], dtype=int) for shape in shapes]
    return [size for size in sizes if size > 1000]


class Spy:
    """Stands in for a compiled function and keeps the arguments of its first call."""

    def __init__(self, function):
        self.function, self.arguments = function, None

    def __call__(self, *arguments):
        self.arguments = self.arguments or arguments
        return self.function(*arguments)

    def text(self):
        return self.function.lower(*self.arguments).as_text()


def test_data_are_arguments_of_the_compiled_programs_not_constants(monkeypatch):
    places = [(engine, "begin"), (engine, "begin_stage"), (recording, "_measured")]
    spies = [Spy(getattr(*place)) for place in places]
    for (module, name), spy in zip(places, spies, strict=True):
        monkeypatch.setattr(module, name, spy)
    lowered, call = [], engine.Steps.__call__

    def look(steps, carry, keys, *place):
        lowered.append(steps.lower(carry, keys))
        return call(steps, carry, keys, *place)

    monkeypatch.setattr(engine.Steps, "__call__", look)
    run(portfolio(rows=50_000), staged("SwPMFS-v1"), steps=9)
    for text in [*(spy.text() for spy in spies), lowered[0].as_text()]:
        assert "50000x5x" in text, "the data are arguments"
        assert large_constants(text) == []
        assert len(text) < 500_000


# ---- dtypes -------------------------------------------------------------------------------------


def floats(tree):
    leaves = (np.asarray(leaf) for leaf in jax.tree.leaves(eqx.filter(tree, eqx.is_array_like)))
    return {leaf.dtype.name for leaf in leaves if jnp.issubdtype(leaf.dtype, jnp.floating)}


FLOAT32 = {
    "snapshot stages": (problems.deviation, staged("SwPMFS-v1"), "average"),
    "matrix": (problems.matrix, plain("PMM-v2", inner=3, rule="agnostic"), "random"),
    "endless": (problems.endless, plain("PMVR-v2", inner=3), "best"),
}


@pytest.mark.parametrize("name", FLOAT32)
def test_single_precision_stays_single_although_double_is_enabled(name):
    make, solver, output = FLOAT32[name]
    assert jax.config.jax_enable_x64
    problem = make(np.float32)
    criteria = ("frank_wolfe_gap", "gradient_mapping", "estimator_error")
    solution = run(problem, solver, steps=20, criterion=criteria, output=output)
    assert floats((solution.x, solution.state)) == {"float32"}
    for column in (*criteria, "objective", "objective_estimate"):
        assert solution.trace[column].dtype == np.float32, column
    assert solution.state.t.dtype == np.int32


def test_the_step_sizes_of_the_agnostic_rule_are_as_precise_as_the_point():
    domain = wn.sets.Simplex(3)
    x, v = jnp.full(3, 1 / 3), jnp.array([0.1, -0.3, 0.2])
    w = x
    for n in range(1, 7):
        w = w + 2 / (n + 1) * (domain.lmo(v + (w - x)) - w)
    target = inner_frank_wolfe(domain, v, x, None, beta=1.0, steps=6, rule="agnostic")
    np.testing.assert_allclose(target.z, w, rtol=1e-13)
