"""Every method of the registry on every kind of problem: one table of tests.

A method that is added to the registry is tested here without further ado.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import problems
import wolfnest as wn

STEPS, BATCH = 400, 16


def noisy_product(x, a):
    return a @ x


def squared_distance(y, b):
    return 0.5 * jnp.sum((y - b) ** 2)


@functools.cache
def strongly_convex(dtype=np.float64):
    """K = 2: `½ ||E[A] x - b||² + const` over an L2 ball that holds the minimiser's direction."""
    rng = np.random.default_rng(3)
    a = (np.eye(4) + 0.3 * rng.normal(size=(50, 4, 4))).astype(dtype)
    b = (np.array([1.0, -0.5, 0.2, 0.0]) + 0.3 * rng.normal(size=(80, 4))).astype(dtype)
    singular = np.linalg.svd(a.mean(0), compute_uv=False)
    return wn.Problem(
        [wn.Level(noisy_product, data=a), wn.Level(squared_distance, data=b)],
        wn.sets.L2Ball(4, 0.8),
        strong_convexity=float(singular.min() ** 2),
    )


PROBLEMS = {
    "convex, K = 2": functools.cache(lambda: problems.portfolio()),
    "strongly convex, K = 2": strongly_convex,
    "not convex, K = 3": functools.cache(lambda: problems.deviation()),
    "matrix, K = 1": functools.cache(lambda: problems.matrix()),
}

# The Frank-Wolfe gap that 400 steps must reach (median of the last ten records), as a share of the
# one at the start. Noise decides where batch methods end; snapshot methods have little left and
# must do better.
BOUNDS = {
    "convex, K = 2": {"batch": 0.2, "snapshot": 0.03},
    "strongly convex, K = 2": {"batch": 0.01, "snapshot": 4e-4},
    "not convex, K = 3": {"batch": 0.04, "snapshot": 3e-3},
    "matrix, K = 1": {"batch": 0.5, "snapshot": 0.25},
}


def family(name: str) -> str:
    return "snapshot" if "PMFS" in name else "batch"


def build(name: str) -> wn.Solver:
    staged = {"eta": 0.2, "alpha": 0.3} if name.startswith("Sw") else {"eta": 0.02, "alpha": 0.1}
    return wn.method(name, batch=BATCH, **staged)


def analytic_counts(name: str, problem: wn.Problem, solver: wn.Solver) -> wn.Counts:
    """Samples, evaluations and oracle calls from the definitions, iteration by iteration."""
    sizes = [level.size for level in problem.levels if level.size is not None]
    rows, levels = sum(sizes), len(sizes)
    points = {"PMM": 1, "PMVR": 2, "PMFS": 3}[name.removeprefix("Sw").split("-")[0]]
    samples = evaluations = rows if points == 3 else BATCH * levels
    lmo = 0
    for number, stage in enumerate(solver.schedule.stages(STEPS)):
        period = math.ceil(max(sizes) / stage.batch)
        if points == 3 and number > 0:
            samples, evaluations = samples + rows, evaluations + rows
        for t in range(2, stage.steps + 2):
            drawn = stage.batch * levels
            taken = points == 3 and t % period == 0
            samples += drawn + taken * rows
            evaluations += drawn * (points - taken) + taken * rows
            lmo += stage.inner if name.endswith("v2") else 1
    return wn.Counts(samples, evaluations, lmo)


@functools.cache
def solved(name: str, which: str):
    """A run, and the largest distance of its recorded points from the set."""
    problem = PROBLEMS[which]()
    outside = []

    def look(record):
        x = record["state"].x
        outside.append(float(jnp.max(jnp.abs(x - problem.domain.project(x)))))

    start = problem.start()
    if which.startswith("matrix"):  # the origin is stationary there
        start = 0.5 * problem.domain.lmo(-jnp.ones((4, 3)))
    solution = wn.solve(problem, build(name), start, steps=STEPS, callback=look, progress=False)
    return problem, solution, max(outside)


@pytest.mark.parametrize("which", PROBLEMS)
@pytest.mark.parametrize("name", wn.methods.names())
class TestEveryMethod:
    def test_reduces_the_criterion(self, name, which):
        _, solution, _ = solved(name, which)
        gap = solution.trace.frank_wolfe_gap
        assert gap[0] > 0.01
        assert np.median(gap[-10:]) <= BOUNDS[which][family(name)] * gap[0]
        assert solution.status == "finished"

    def test_stays_in_the_set(self, name, which):
        _, _, outside = solved(name, which)
        assert outside < 1e-9

    def test_counts_what_it_uses(self, name, which):
        problem, solution, _ = solved(name, which)
        assert solution.counts == analytic_counts(name, problem, build(name))


@pytest.mark.parametrize("name", wn.methods.names())
def test_a_second_run_with_other_values_compiles_nothing(name):
    calls = []

    def counted(x, r):
        calls.append(1)
        return problems.mean_and_point(x, r)

    def problem(seed):
        table = problems.returns(seed=seed)
        levels = [wn.Level(counted, data=table), wn.Level(problems.mean_variance, data=table)]
        return wn.Problem(levels, wn.sets.Simplex(problems.DIM), convex=True)

    first, second = problem(0), problem(1)
    before = len(calls)
    wn.solve(first, wn.method(name, eta=0.1, alpha=0.2, batch=4), steps=40, progress=False)
    assert len(calls) > before
    before = len(calls)
    other = wn.method(name, eta=0.3, alpha=0.1, batch=4)
    wn.solve(second, other, steps=50, key=5, progress=False)
    assert len(calls) == before


@pytest.mark.parametrize("name", wn.methods.names())
def test_single_precision_stays_single(name):
    problem = problems.portfolio(np.float32)
    solution = wn.solve(problem, build(name), steps=30, progress=False)
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
    ],
)
def test_names_are_those_of_the_paper(given, meant):
    assert wn.method(given).name == meant


def test_strong_convexity_sets_beta_to_its_half():
    assert float(wn.method("SwPMVR-v2", strong_convexity=3.0).direction.beta) == 1.5
    assert float(wn.method("SwPMFS-v2", beta=0.7).direction.beta) == 0.7
    with pytest.raises(ValueError, match="both"):
        wn.method("SwPMFS-v2", beta=0.7, strong_convexity=1.0)
