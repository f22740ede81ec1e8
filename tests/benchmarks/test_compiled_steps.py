"""A guard against slow steps that needs no clock: what a step is traced to, counted.

The numbers are those of the program that JAX hands to the compiler, for a batch of 8 rows and 5
assets. If one of these tests fails, a change made the step of a method do more (or less). Look at
`jax.make_jaxpr` of the step before and after it, and at row 1 of the benchmark. If the change is
meant, write the new numbers here and what they cost into docs/performance-log.md.
"""

from collections import Counter

import jax
import numpy as np
import pytest

import wolfnest as wn
from wolfnest.running import engine

BATCH, ASSETS, DAYS = 8, 5, 60
HELP = __doc__.split("\n\n")[1]


def equations(jaxpr):
    """All equations, those of loops and branches included."""
    for equation in jaxpr.eqns:
        yield equation
        for value in equation.params.values():
            for part in value if isinstance(value, tuple | list) else (value,):
                inner = getattr(part, "jaxpr", part)  # closed ones wrap the jaxpr
                if hasattr(inner, "eqns"):
                    yield from equations(inner)


def traced(problem, name, **settings):
    """The equations of one step on a batch that is given by its row numbers."""
    settings = {"batch": BATCH} | settings if "batch" in wn.methods.settings(name) else settings
    solver = wn.method(name, **settings)
    (stage,) = solver.schedule.stages(1, problem.composition.largest)
    estimator, composition = solver.estimator, problem.composition
    key, state = jax.random.key(0), None
    tickets = estimator.tickets(composition, key, stage.batch)
    first = None if estimator.exact_start else estimator.fetch(composition, tickets, stage.batch)
    state = solver.init(problem, problem.start(), first)

    def step(problem, state, tickets):
        batch = estimator.fetch(problem.composition, tickets, stage.batch)
        return solver.step(problem, state, batch, stage.at(0))

    return list(equations(jax.make_jaxpr(step)(problem, state, tickets).jaxpr))


def portfolio(name="mean_variance"):
    table = wn.datasets.factor_model(DAYS, ASSETS, seed=0).values
    return getattr(wn.problems, name)(table)


def counts(found):
    names = Counter(equation.primitive.name for equation in found)
    return tuple(names[name] for name in KINDS)


KINDS = ("gather", "dot_general", "while", "scan", "cond", "sort")
EXPECTED = {
    ("mean_variance", "PMVR-v1"): (2, 13, 0, 0, 0, 0),
    ("mean_variance", "PMVR-v2"): (2, 16, 0, 1, 0, 0),
    ("mean_variance", "PMM-v1"): (2, 7, 0, 0, 0, 0),
    ("mean_variance", "PMFS-v1"): (2, 37, 0, 0, 1, 0),
    ("mean_deviation", "PMVR-v1"): (2, 13, 0, 0, 0, 0),
    ("mean_deviation", "PMM-v1"): (2, 7, 0, 0, 0, 0),
    ("mean_variance", "PFW"): (0, 19, 4, 0, 1, 0),
}


@pytest.mark.parametrize(("problem", "method"), EXPECTED)
def test_operations_of_a_step(problem, method):
    assert counts(traced(portfolio(problem), method)) == EXPECTED[problem, method], HELP


@pytest.mark.parametrize("problem", ["mean_variance", "mean_deviation"])
@pytest.mark.parametrize("method", ["PMVR-v1", "PMVR-v2", "PMM-v1"])
def test_only_the_gathered_rows_are_as_large_as_the_batch(problem, method):
    """Cotangents of every sample would be, and to write and read them takes long at large d."""
    large = [
        equation.primitive.name
        for equation in traced(portfolio(problem), method)
        if any(
            BATCH * ASSETS <= np.prod(out.aval.shape) < DAYS * ASSETS for out in equation.outvars
        )
    ]
    # A point that all samples share is spread out on paper only: its mean is computed as itself.
    written = [name for name in large if name != "broadcast_in_dim"]
    assert written == ["gather", "gather"], HELP


@pytest.mark.parametrize("method", ["PMVR-v1", "PMM-v1"])
def test_memory_beside_the_data_does_not_grow_with_them(method):
    """Both lengths take two random words per row number."""

    def extra(days):
        table = np.ones((days, 3), np.float32)
        problem = wn.problems.mean_variance(table)
        solver = wn.method(method, batch=4)
        parts = engine.Run(solver.iteration, problem)
        key = jax.random.key(0)
        carry, _ = engine.begin(parts, problem.start(), key, 4)
        steps = engine.Steps(parts, engine.Setting.of(solver.schedule.stages(10)[0]))
        return steps.lower(carry, key).compile().memory_analysis().temp_size_in_bytes

    small, large = extra(70_000), extra(280_000)
    assert small == large, f"{small} bytes beside 70,000 rows, {large} beside 280,000. {HELP}"
    assert large < 64 * 1024, HELP


def test_the_projection_free_step_on_matrices_has_no_decomposition_of_their_size():
    problem = wn.problems.matrix_single_index(40, rows=6)
    found = traced(problem, "PMVR-v1", batch=2)
    for equation in found:
        if equation.primitive.name in ("svd", "eigh", "qr"):
            assert max(equation.invars[0].aval.shape) < 40, HELP
    projected = traced(problem, "SCSC", batch=2)
    assert any(equation.primitive.name == "svd" for equation in projected)
