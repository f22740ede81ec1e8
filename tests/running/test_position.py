"""Where a run stands: all of it can be stored and restored, and what it cost is counted once."""

import dataclasses
import json

import jax
import pytest

import problems
import wolfnest as wn
from problems import plain, portfolio, same, staged
from wolfnest.running.budget import Budget
from wolfnest.running.costs import Costs, affordable_steps
from wolfnest.running.journal import Journal
from wolfnest.running.loop import Loop
from wolfnest.running.position import Position
from wolfnest.running.progress import progress_for
from wolfnest.running.recording import Criteria
from wolfnest.running.request import Request


def stopped(problem, solver, **options):
    """A loop that a budget of oracle calls has stopped in the middle."""
    seeds = options.get("seeds")
    request = Request(
        problem=problem,
        solver=solver,
        reason="given",
        x0=problem.start(),
        stages=solver.schedule.stages(60, problem.composition.largest),
        key=jax.random.key(0),
        criteria=Criteria(problem, "frank_wolfe_gap", seeds),
        record_every=7,
        sparse=False,
        patience=None,
        tol=0.3,
        limits=Budget(lmo=30),
        callback=None,
        **{"seeds": None, "output": "last"} | options,
    )
    loop = Loop(request)
    with progress_for(False, 60, "gap") as shown:
        loop.run(shown, Journal(None))
    return loop


@pytest.mark.parametrize(
    ("solver", "options"),
    [
        (plain("PMVR-v1"), {}),
        (staged("SwPMFS-v1", handover="random"), {"seeds": 3, "output": "best"}),
        (wn.method("PFW"), {"output": "average"}),
    ],
)
def test_a_position_is_arrays_and_json_and_comes_back_whole(solver, options):
    loop = stopped(portfolio(), solver, **options)
    position, seeds = loop.position, loop.request.seeds
    arrays, values = position.stored()
    again = Position.restored(arrays, json.loads(json.dumps(values)), position.carry, seeds)
    assert again.clock.seconds == position.clock.seconds
    assert again.clock.wall >= values["wall"]
    assert same(problems.columns(again.trace), problems.columns(position.trace))
    for field in dataclasses.fields(Position):
        if field.name not in ("clock", "rows", "lost", "counts"):
            assert same(getattr(again, field.name), getattr(position, field.name)), field.name
    assert again.counts == position.counts
    assert again.lost.notes == position.lost.notes
    # Stored once more, it is the same but for the clock on the wall.
    rewritten = again.stored()
    assert same(rewritten[0], arrays)
    assert rewritten[1] | {"wall": 0} == values | {"wall": 0}


@pytest.mark.parametrize("name", ["PMM-v1", "PMVR-v1", "PMFS-v1", "SwPMFS-v1", "SwPMVR-v2"])
def test_a_run_costs_what_its_stages_cost(name):
    problem, solver = portfolio(), (staged if name.startswith("Sw") else plain)(name)
    stages = solver.schedule.stages(50, problem.composition.largest)
    costs = Costs(solver, problem.composition)
    expected = costs.start(stages) + costs.stages(stages)
    counts = wn.solve(problem, solver, steps=50, progress=False).counts
    assert (counts.samples, counts.evaluations) == (expected.samples, expected.evaluations)


@pytest.mark.parametrize("name", ["PMVR-v1", "SwPMFS-v1"])
def test_a_budget_of_samples_pays_for_the_steps_that_it_is_said_to(name):
    problem, solver = portfolio(), (staged if name.startswith("Sw") else plain)(name)
    steps = affordable_steps(solver, problem.composition, 700)
    run = wn.solve(problem, solver, steps=1_000, budget={"samples": 700}, progress=False)
    assert (run.steps, run.status) == (steps, "budget")
