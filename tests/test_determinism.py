"""Bits do not depend on how a run is cut; nothing recompiles, nothing is captured, no float grows."""

import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import problems
import wolfnest as wn
from problems import DIM, plain, portfolio, returns, same, staged
from wolfnest import engine, loop, recording

STEPS = 70
RUNS = {
    "storm": (portfolio, plain("PMVR-v1"), {}),
    "snapshot": (portfolio, plain("PMFS-v1"), {}),
    "stages": (portfolio, staged("SwPMFS-v1", handover="random"), {"output": "average"}),
    "seeds": (portfolio, staged("SwPMVR-v1"), {"seeds": 3, "output": "random"}),
    "endless": (problems.endless, plain("PMVR-v1"), {}),
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
    # Calls of at most 3 steps, and tickets for 16 steps at a time.
    monkeypatch.setattr(loop, "_next_quantum", lambda quantum, n, elapsed: 3)
    monkeypatch.setattr(engine, "TICKETS_AHEAD", 1)
    assert engine.tickets_ahead(_parts(problem, solver), 4, STEPS) == 16
    assert_same(run(problem, solver, record_every=7, **options), expected)


def test_oracle_calls_of_seeds_do_not_depend_on_how_the_run_is_cut():
    solver = plain("PMVR-v2", inner=5, tol=0.05)
    counts = [
        run(portfolio(), solver, seeds=3, record_every=every).counts for every in (1, 7, STEPS)
    ]
    assert counts[0] == counts[1] == counts[2]


def _parts(problem, solver):
    return engine.Run(solver.estimator, solver.direction, problem, False, False, False)


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


@pytest.mark.parametrize("name", ["PMVR-v1", "PMFS-v2"])
def test_new_values_of_equal_shapes_do_not_recompile(name):
    v2 = {"beta": 1.0, "inner": 3} if name.endswith("v2") else {}
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
    }
    if v2:
        others["beta"] = (problem, plain(name, **v2 | {"beta": 3.0}), {})
    recompiled = [
        what
        for what, (task, method, options) in others.items()
        if not uncalled(task, method, criterion=criterion, **options)
    ]
    assert recompiled == []


def test_stages_that_differ_in_length_and_weights_share_compiled_code():
    solver = staged("SwPMVR-v1")
    run(counted(), solver, steps=24)
    assert len(solver.schedule.stages(56)) == 3
    assert uncalled(counted_once := counted(), solver, steps=56), counted_once


def test_a_longer_run_of_the_same_solver_does_not_recompile():
    problem, solver = counted(), plain("PMM-v1")
    run(problem, solver, steps=300)
    assert uncalled(problem, solver, steps=800)
    assert uncalled(problem, solver, steps=50)


# ---- captured constants -------------------------------------------------------------------------


def large_constants(text):
    """Shapes of over a thousand elements among the constants of a lowered program."""
    shapes = re.findall(r"stablehlo\.constant .*?tensor<((?:\d+x)*)[a-z]", text)
    sizes = [np.prod([int(n) for n in shape.split("x") if n], dtype=int) for shape in shapes]
    return [size for size in sizes if size > 1000]


@pytest.mark.parametrize("name", ["PMVR-v1", "PMFS-v1"])
def test_data_are_arguments_of_the_compiled_programs_not_constants(name):
    problem, solver = portfolio(rows=50_000), plain(name)
    parts = _parts(problem, solver)
    key, zero = jax.random.key(0), np.asarray(0, np.int32)
    carry = engine.begin(parts, problem.start(), key, 4)
    tickets = engine.draw(parts, key, zero, 16, 4)
    setting = engine.Setting.of(solver.schedule.stages(10)[0])
    programs = [
        engine.begin.lower(parts, problem.start(), key, 4),
        engine.advance.lower(parts, carry, tickets, setting, zero, zero, zero),
        recording._measured.lower(
            ("frank_wolfe_gap",), problem, problem.start(), problem.start(), jnp.ones(()), False
        ),
    ]
    for program in programs:
        text = program.as_text()
        assert "50000x5x" in text, "the data are arguments"
        assert large_constants(text) == []
        assert len(text) < 500_000


# ---- dtypes -------------------------------------------------------------------------------------


def floats(tree):
    leaves = (np.asarray(leaf) for leaf in jax.tree.leaves(eqx.filter(tree, eqx.is_array_like)))
    return {leaf.dtype.name for leaf in leaves if jnp.issubdtype(leaf.dtype, jnp.floating)}


FLOAT32 = {
    "storm": (problems.portfolio, plain("PMVR-v1"), "last"),
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
