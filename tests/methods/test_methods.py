"""Every method of the registry on every kind of problem: one table of tests.

A method that is added to the registry is tested here without further ado.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import problems
import table
import wolfnest as wn
from broken import BROKEN, broken
from thinning import thinned


@functools.cache
def solved(name: str, which: str):
    """A run, and the largest distance of its recorded points from the set."""
    domain, outside = table.PROBLEMS[which]().domain, []

    def look(record):
        x = record["state"].x
        outside.append(float(jnp.max(jnp.abs(x - domain.project(x)))))

    return table.run(name, which, table.build(name, which), callback=look), max(outside)


@pytest.mark.parametrize(("name", "which"), thinned(table.cases()))
class TestEveryMethod:
    def test_reduces_the_criterion_and_tracks_the_objective(self, name, which):
        solution, _ = solved(name, which)
        assert solution.status == "finished"
        assert not table.misses(name, which, solution)

    def test_stays_in_the_set(self, name, which):
        _, outside = solved(name, which)
        assert outside < 1e-9

    def test_counts_what_it_uses(self, name, which):
        counts = solved(name, which)[0].counts
        solver = table.build(name, which)
        samples, evaluations, lmo = table.counted(name, table.PROBLEMS[which](), solver)
        assert samples in (None, counts.samples)
        assert evaluations in (None, counts.evaluations)
        assert lmo in (None, counts.lmo)


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_wrong_sign_or_a_dropped_term_misses_the_bounds(name):
    which = BROKEN[name][2]
    wrong = broken(name, table.build(name, which))
    assert table.misses(name, which, table.run(name, which, wrong, throw=False))


def test_every_method_that_is_not_the_papers_has_a_wrong_variant():
    paper = {name for name in wn.methods.names() if "PM" in name}
    assert set(BROKEN) == set(wn.methods.names()) - paper


def numbers(solver, factor):
    """The solver with every number that is not a size multiplied: new values, the same shapes."""
    return jax.tree.map(lambda a: a * factor, solver)


@pytest.mark.parametrize("name", wn.methods.names())
def test_a_second_run_with_other_values_compiles_nothing(name):
    calls = []
    single = table.build(name).most_levels == 1

    def counted(x, r):
        calls.append(1)
        return (r @ x) ** 2 if single else problems.mean_and_point(x, r)

    def problem(seed):
        data = problems.returns(seed=seed)
        levels = [wn.Level(counted, data=data)]
        if not single:
            levels.append(wn.Level(problems.mean_variance, data=data))
        return wn.Problem(levels, wn.sets.Simplex(problems.DIM), convex=True)

    first, second, solver = problem(0), problem(1), table.build(name)
    # Schedules with growing batches compile a stage when it begins: both runs end in the same.
    before = len(calls)
    wn.solve(first, solver, steps=40, progress=False)
    assert len(calls) > before
    before = len(calls)
    wn.solve(second, numbers(solver, 0.7), steps=45, key=5, progress=False)
    assert len(calls) == before


@pytest.mark.parametrize("name", wn.methods.names())
def test_single_precision_stays_single(name):
    solver = table.build(name)
    problem = (problems.regression if solver.most_levels == 1 else problems.portfolio)(np.float32)
    solution = wn.solve(problem, solver, steps=30, progress=False)
    floats = [a for a in jax.tree.leaves((solution.x, solution.state)) if a.dtype != jnp.int32]
    assert {leaf.dtype for leaf in floats} == {jnp.dtype(jnp.float32)}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("PMVR-v1", "PMVR-v1"),
        ("pmvr-v1", "PMVR-v1"),
        ("Stage-wise PMVR-v2", "SwPMVR-v2"),
        ("SwPMFS-v1", "SwPMFS-v1"),
        ("stage-wise pmm-v1", "SwPMM-v1"),
        ("linasa+icg", "LiNASA+ICG"),
        ("SPIDER-FW", "SPIDER-FW"),
    ],
)
def test_names_are_those_of_the_paper(given, meant):
    assert wn.method(given).name == meant


def test_strong_convexity_sets_beta_to_its_half():
    assert float(wn.method("SwPMVR-v2", strong_convexity=3.0).direction.beta) == 1.5
    assert float(wn.method("SwPMFS-v2", beta=0.7).direction.beta) == 0.7
    with pytest.raises(ValueError, match="both"):
        wn.method("SwPMFS-v2", beta=0.7, strong_convexity=1.0)
