"""What a checkpoint and a run must agree on for the one to be continued by the other."""

from __future__ import annotations

from typing import Any

import jax

from wolfnest.running.fingerprint import fingerprint
from wolfnest.running.request import Request


def parts_of(request: Request) -> dict[str, str]:
    """A digest for every part of a run, by the name that a refusal calls it. Limits, tolerances and
    the number of steps may differ."""
    problem = request.problem
    parts: dict[str, Any] = {}
    for number, level in enumerate(problem.levels, 1):
        parts[f"the function of level {number}"] = level.fn
        parts[f"the data of level {number}"] = level.data
        parts[f"the sampler of level {number}"] = level.sample
    parts |= {
        "the set": problem.domain,
        "convex or strong_convexity": (problem.convex, problem.strong_convexity),
        "the solver": request.solver,
        "x0": request.x0,
        "key or seeds": jax.random.key_data(request.keys),
        "criterion": request.criteria.names,
        "record_every": None if request.sparse else request.record_every,
        "output": request.output,
    }
    return {name: fingerprint(value) for name, value in parts.items()}


def stages_behind(request: Request, stage: int, done: int) -> str:
    """A digest of the steps up to a place: those of the finished stages, and `done` of the next."""
    before = request.stages[:stage]
    present = request.stages[stage].cut(max(done, 1))
    return fingerprint([*before, present])


def check(request: Request, stored: dict[str, Any], where: Any) -> dict[str, str]:
    """The parts of a run that continues a stored one; refuses one that does not."""
    elsewhere = f"{where} holds a run that cannot be continued by this one"
    known, parts = stored["identity"], parts_of(request)
    if not isinstance(known, dict):
        raise ValueError(
            f"{elsewhere}: an earlier version of wolfnest wrote it. Delete it, or name another "
            "directory."
        )
    other = [name for name in {**parts, **known} if parts.get(name) != known.get(name)]
    if other:
        raise ValueError(
            f"{elsewhere}: another {', another '.join(n.removeprefix('the ') for n in other)}. "
            "Name another directory, or delete it."
        )
    stage, done, steps = (stored[name] for name in ("stage", "done", "steps"))
    planned = sum(stage.steps for stage in request.stages)
    if steps > planned:
        raise ValueError(
            f"{elsewhere}: it has made {steps} steps, and steps={planned} are fewer. "
            "Ask for at least as many, or name another directory."
        )
    planned_there = stage < len(request.stages) and done <= request.stages[stage].steps
    if not planned_there or stages_behind(request, stage, done) != stored["stages"]:
        raise ValueError(
            f"{elsewhere}: the schedule of {request.solver.name} depends on the number of steps, "
            f"and plans the {steps} steps behind otherwise for steps={planned}. Ask for "
            "as many steps as before, or name another directory."
        )
    return parts
