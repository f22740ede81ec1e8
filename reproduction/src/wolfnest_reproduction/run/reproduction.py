"""`reproduce`: the cells that are not there yet, by worker processes; then everything as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from wolfnest.common import checks, environment
from wolfnest.common.display import Display
from wolfnest.common.formatting import duration
from wolfnest.datasets import Returns
from wolfnest.running.interrupts import Interrupts
from wolfnest_reproduction.define import data_sets, digests
from wolfnest_reproduction.define.cells import Cell, cells_of
from wolfnest_reproduction.define.experiments import EXPERIMENTS, PROFILES, Profile
from wolfnest_reproduction.run import sessions, time_left
from wolfnest_reproduction.run.baselines import Baseline
from wolfnest_reproduction.run.plan import Plan
from wolfnest_reproduction.run.pool import Pool
from wolfnest_reproduction.run.store import Results, Store, load, read_json, write_json
from wolfnest_reproduction.run.work import Work


def reproduce(
    names: Sequence[str] = (),
    *,
    profile: str | Profile = "quick",
    seeds: int | None = None,
    horizon: int | None = None,
    data: str | Path | None = None,
    out: str | Path = "results",
    jobs: int = 1,
    plan_only: bool = False,
    console: Console | None = None,
) -> Results | None:
    """Run the named experiments (all of them if none is named) and load what they leave in `out`.

    - `profile`: "quick" (about a minute) or "full" (the paper's; about 35 minutes on two cores);
    - `seeds`, `horizon`: in place of those of the profile;
    - `data`: a folder or a file with returns, as in `wolfnest.datasets.load`;
    - `jobs`: worker processes, each with one thread on a core of its own;
    - `plan_only`: say what would be run and about how long it takes, run nothing, return None.

    Cells that are finished are not run again, so a run that was stopped or killed goes on where it
    was. A cell that fails is recorded and does not stop the others. Ctrl-C lets the running cells
    finish; a second one does not.
    """
    chosen, how = _named(names), _profile(profile)
    jobs, asked = checks.whole("jobs", jobs), {"seeds": seeds, "horizon": horizon}
    overrides = {name: checks.whole(name, n) for name, n in asked.items() if n is not None}
    needed = any(not case.data for name in chosen for case in how.experiments[name].cases)
    table = data_sets.returns(data, how.data_sets) if needed else {}
    store = Store(out)
    todo = Plan.of(cells_of(chosen, how, table, **overrides), store)
    display = Display(
        {task.id: time_left.seconds(task) for task in todo.tasks}, jobs, console=console
    )
    for name, returns in table.items():
        display.say(f"data: {name}: {returns!r}")
    if data is not None and not needed:
        display.say(f"{', '.join(chosen)} makes its own data: {data} is not read")
    cells, baselines = _count(todo.cells, "cell"), _count(todo.baselines, "baseline")
    left = f", about {duration(display.left())} with {jobs} at a time" if todo.tasks else ""
    display.say(
        f"{how.name}: {', '.join(chosen)}: {cells} and {baselines}, {len(todo.tasks)} to run{left}"
    )
    if todo.stale:
        display.say(
            f"{todo.stale} of the finished cells were made by other source code of this version: "
            f"remove {store.folder} or name another folder with --out to run them anew"
        )
    if plan_only:
        return None
    if jobs > len(environment.cores()):
        display.say("there are fewer cores than jobs: times will not be comparable")
    store.prepare()
    command, note = sessions.command(names, how.name, overrides, data, out, jobs)
    versions = {"precision": "float64", "sources": digests.of_code(), "jobs": jobs}
    info = sessions.begin(
        {
            "command": command,
            "note": note,
            "profile": how.name,
            "overrides": overrides,
            "experiments": list(chosen),
            "environment": environment.describe() | versions,
            "data": {name: sessions.provenance(returns) for name, returns in table.items()},
            "cells": [task.id for task in todo.cells],
            "baselines": [task.id for task in todo.baselines],
        },
        read_json(store.info) if store.info.exists() else None,
        tasks=len(todo.tasks) + sum(map(len, todo.copies.values())),
    )
    write_json(store.info, info)
    failures = _run(todo, store, table, jobs, display)
    store.gather_baselines(info["baselines"])
    write_json(store.info, sessions.end(info, failures))
    whole = len(todo.cells) + len(todo.baselines)
    display.say(f"{whole - len(failures)} of {whole} done, in {store.folder}")
    return load(out)


def _run(
    todo: Plan, store: Store, table: Mapping[str, Returns], jobs: int, display: Display
) -> list[dict[str, str]]:
    """Do the tasks; what failed."""
    failures: list[dict[str, str]] = []
    told = False

    def done(task: Cell | Baseline, seconds: float, error: str | None) -> None:
        if error is None:
            store.failure(task.id).unlink(missing_ok=True)
            _copy(store, task.id, todo.copies.get(task.id, []))
        else:
            failures.append({"id": task.id, "label": task.label, "error": error})
            write_json(store.failure(task.id), failures[-1])
        said = (error or "").strip().splitlines()
        display.done(task.id, task.label, seconds, said[-1] if said else "")

    def turn() -> bool:
        nonlocal told
        if interrupts.asked and not told:
            told = True
            display.say("finishing what is running; Ctrl-C once more to stop at once")
        display.tick()
        return not interrupts.asked

    for id, others in todo.copies.items():
        if store.finished(id):
            _copy(store, id, others)
    if not todo.tasks:
        return failures
    jobs, work = min(jobs, len(todo.tasks)), Work(store, table)
    with Interrupts() as interrupts, display, Pool(jobs, work) as pool:
        pool.run(todo.tasks, done, turn)
        stopped = interrupts.asked
    if stopped:
        display.say("stopped; the same command goes on from here")
        raise KeyboardInterrupt
    return failures


def _copy(store: Store, id: str, others: Iterable[Cell]) -> None:
    for cell in others:
        store.copy(cell.id, cell.experiment, id)


def _named(names: Sequence[str]) -> list[str]:
    unknown = [name for name in names if name.upper() not in EXPERIMENTS]
    if unknown:
        raise ValueError(f"unknown experiment {unknown[0]!r}; known are {', '.join(EXPERIMENTS)}.")
    asked = {name.upper() for name in names} or set(EXPERIMENTS)
    return [name for name in EXPERIMENTS if name in asked]


def _profile(profile: str | Profile) -> Profile:
    if isinstance(profile, Profile):
        return profile
    return PROFILES[checks.choice("profile", profile, tuple(PROFILES))]


def _count(things: Sequence[Any], name: str) -> str:
    return f"{len(things)} {name}{'s' * (len(things) != 1)}"
