"""Theorem presets at work: what they refuse, and what a run of each of them costs."""

import math
from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn
from wolfnest.methods.theory import theorem

FINITE_SUM, STRONG = (8, 9, 10, 11), (7, 11)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"n": 4}, "Theorem 4.*constant"),
        ({"n": 5}, "Theorem 5.*constant"),
        ({"n": 4, "stagewise": True}, "Theorem 4.*constant"),
        *(({"n": n, "m": None}, f"m is needed.*{n}") for n in FINITE_SUM),
        *(({"n": n, "strong_convexity": None}, f"strong_convexity is needed.*{n}") for n in STRONG),
        *(({"n": n, "stagewise": True}, f"stagewise.*{n}") for n in (1, 2, 3, 6, 7, 9, 10, 11)),
        ({"n": 5, "regime": "large", "stagewise": True}, "stagewise.*5"),
        ({"n": 12}, "1 to 11, got 12"),
        ({"n": 0}, "1 to 11, got 0"),
        ({"n": 1, "regime": "big"}, "'constant', 'large', got 'big'"),
        ({"n": 1, "eps": 0.0}, "eps must be a positive.*got 0"),
        ({"n": 1, "eps": -0.1}, "eps must be a positive.*got -0.1"),
        ({"n": 1, "eps": math.nan}, "eps must be a positive.*got nan"),
        ({"n": 6, "eps1": 0.0}, "eps1 must be a positive.*got 0"),
        ({"n": 8, "m": 0}, "m must be a whole number.*got 0"),
        ({"n": 8, "m": 1.5}, "m must be a whole number.*got 1.5"),
        ({"n": 7, "strong_convexity": -1.0}, "strong_convexity must be a positive.*got -1"),
        ({"n": 3, "beta": 0.0}, "beta must be a positive.*got 0"),
        ({"n": 1, "c_eta": 0.0}, "c_eta must be a positive.*got 0"),
        ({"n": 1, "c_batch": -1.0}, "c_batch must be a positive.*got -1"),
    ],
)
def test_what_a_theorem_does_not_cover_is_an_error_that_names_it(arguments, says):
    with pytest.raises(ValueError, match=says):
        theorem(**{"eps": 0.1, "m": 10, "strong_convexity": 1.0} | arguments)


LENGTH = 16


@cache
def tiny_problem():
    data = np.random.default_rng(0).normal(size=(LENGTH, 3))
    level = wn.Level(lambda x, a: jnp.sum((x - a) ** 2), data=data)
    return wn.Problem([level], wn.sets.Simplex(3))


def price(solver, stages):
    """Samples and oracle calls, summed stage by stage; a separate batch counts twice."""
    snapshots = isinstance(solver.estimator, wn.estimators.Snapshot)
    inner = isinstance(solver.direction, wn.InnerFrankWolfe)
    samples = LENGTH if snapshots else 2 * (solver.initial_batch or stages[0].batch)
    for number, stage in enumerate(stages):
        samples += 2 * stage.batch * stage.steps
        if snapshots:
            period = math.ceil(LENGTH / stage.batch)
            samples += LENGTH * sum(t % period == 0 for t in range(2, stage.steps + 2))
            samples += LENGTH if number else 0
        elif number and stage.restart is not None:
            samples += 2 * stage.restart
    return samples, sum(stage.steps * (stage.inner if inner else 1) for stage in stages)


@pytest.mark.parametrize("regime", ["constant", "large"])
@pytest.mark.parametrize(
    ("n", "stagewise"), [*((n, False) for n in range(1, 12)), (4, True), (8, True)]
)
def test_every_preset_runs_and_costs_what_its_stages_add_up_to(n, regime, stagewise):
    if n in (4, 5) and regime == "constant":
        pytest.skip("this theorem has large batches only")
    # Every stage of a doubling schedule compiles for a batch of its own: keep them few.
    eps = 0.45 if stagewise or n == 2 else 0.3
    solver, steps = theorem(n, eps, regime, m=LENGTH, strong_convexity=0.5, stagewise=stagewise)
    problem = tiny_problem()
    solution = wn.solve(problem, solver, steps=steps, progress=False, record_every=steps)
    assert (solution.status, solution.steps) == ("finished", steps)
    samples, lmo = price(solver, solver.schedule.stages(steps))
    assert (solution.counts.samples, solution.counts.lmo) == (samples, lmo)
    assert bool(problem.domain.contains(solution.x))
