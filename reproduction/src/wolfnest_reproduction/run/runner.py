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
from wolfnest.datasets.returns import optional
from wolfnest.running.interrupts import Interrupts
from wolfnest_reproduction.define import sources
from wolfnest_reproduction.define.catalog import EXPERIMENTS, PROFILES, Profile
from wolfnest_reproduction.define.product import cells
from wolfnest_reproduction.run import costs, record
from wolfnest_reproduction.run.baselines import SECONDS, Baseline
from wolfnest_reproduction.run.cells import Cell
from wolfnest_reproduction.run.pool import Done, Pool
from wolfnest_reproduction.run.store import Results, Store, load, read_json, write_json


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
    chosen = _named(names)
    how = profile if isinstance(profile, Profile) else _profile(profile)
    jobs = checks.whole("jobs", jobs)
    seeds = None if seeds is None else checks.whole("seeds", seeds)
    horizon = None if horizon is None else checks.whole("horizon", horizon)
    for module in ("pandas", "pyarrow"):
        optional(module, "experiments", "reproduce")
    needed = any(not case.data for name in chosen for case in how.experiments[name].cases)
    table = sources.returns(data, how.data_sets) if needed else {}
    tasks = cells(chosen, how, table, seeds, horizon)
    exact = _baselines(tasks)
    store = Store(out)
    left, copies = _missing(tasks, store)
    undone = [*left, *(each for each in exact if not store.baseline(each.id).exists())]
    stale = _stale(tasks, store)
    display = Display({task.id: _cost(task) for task in undone}, jobs, console=console)
    for name, returns in table.items():
        display.say(f"data: {name}: {returns!r}")
    if data is not None and not needed:
        display.say(f"{', '.join(chosen)} makes its own data: {data} is not read")
    display.say(
        f"{how.name}: {', '.join(chosen)}: {_count(tasks, 'cell')} and "
        f"{_count(exact, 'baseline')}, {len(undone)} to run"
        + (f", about {duration(display.left())} with {jobs} at a time" if undone else "")
    )
    if stale:
        display.say(
            f"{stale} of the finished cells were made by other source code of this version: remove "
            f"{store.folder} or name another folder with --out to run them anew"
        )
    if plan_only:
        return None
    if jobs > len(environment.cores()):
        display.say("there are fewer cores than jobs: times will not be comparable")
    store.prepare()
    command, note = record.command(names, how.name, seeds, horizon, data, out, jobs)
    former = read_json(store.info) if store.info.exists() else None
    info = record.begin(
        {
            "command": command,
            "note": note,
            "profile": how.name,
            "overrides": record.overrides(seeds=seeds, horizon=horizon),
            "experiments": list(chosen),
            "environment": environment.describe() | {"jobs": jobs},
            "data": {name: record.provenance(returns) for name, returns in table.items()},
            "cells": [task.id for task in tasks],
            "baselines": [task.id for task in exact],
        },
        former,
        tasks=len(undone) + sum(map(len, copies.values())),
    )
    write_json(store.info, info)
    failures = _run(undone, copies, store, table, jobs, display)
    store.gather_baselines(info["baselines"])
    write_json(store.info, record.end(info, failures))
    display.say(
        f"{len(tasks) + len(exact) - len(failures)} of {len(tasks) + len(exact)} done, in "
        f"{store.folder}"
    )
    return load(out)


def _run(
    tasks: list[Any],
    copies: Mapping[str, list[Cell]],
    store: Store,
    table: Mapping[str, Returns],
    jobs: int,
    display: Display,
) -> list[dict[str, str]]:
    """Do the tasks; what failed."""
    failures: list[dict[str, str]] = []

    def done(end: Done) -> None:
        task = end.task
        if end.error is None:
            store.failure(task.id).unlink(missing_ok=True)
            _copy(store, task.id, copies.get(task.id, []))
        else:
            failed = {"id": task.id, "label": task.label, "error": end.error}
            failures.append(failed)
            write_json(store.failure(task.id), failed)
        reason = (end.error or "").strip().splitlines()
        display.done(task.id, task.label, end.seconds, reason[-1] if reason else "")

    for id, others in copies.items():
        if store.finished(id):
            _copy(store, id, others)
    if not tasks:
        return failures
    with Interrupts() as interrupts, display, Pool(min(jobs, len(tasks)), store, table) as pool:
        told = False

        def turn() -> bool:
            nonlocal told
            if interrupts.asked and not told:
                told = True
                display.say("finishing what is running; Ctrl-C once more to stop at once")
            display.tick()
            return not interrupts.asked

        pool.run(tasks, done, turn)
        stopped = interrupts.asked
    if stopped:
        display.say("stopped; the same command goes on from here")
        raise KeyboardInterrupt
    return failures


def _missing(tasks: Iterable[Cell], store: Store) -> tuple[list[Cell], dict[str, list[Cell]]]:
    """The cells to run, and for a cell those that do the same work and are copied from it."""
    groups: dict[str, list[Cell]] = {}
    for cell in tasks:
        groups.setdefault(cell.work, []).append(cell)
    left, copies = [], {}
    for group in groups.values():
        finished = [cell for cell in group if store.finished(cell.id)]
        first = (finished or group)[0]
        if not finished:
            left.append(first)
        copies[first.id] = [cell for cell in group if cell not in finished and cell is not first]
    return left, copies


def _stale(tasks: Iterable[Cell], store: Store) -> int:
    """How many finished cells the package as it is now did not make."""
    now = environment.sources()
    finished = (read_json(store.facts(cell.id)) for cell in tasks if store.finished(cell.id))
    return sum(facts.get("sources") != now for facts in finished)


def _copy(store: Store, id: str, others: Iterable[Cell]) -> None:
    for cell in others:
        store.copy(cell.id, cell.experiment, id)


def _baselines(tasks: Iterable[Cell]) -> list[Baseline]:
    """One for every problem, under the first experiment that has it."""
    found: dict[tuple[str, str, str], Baseline] = {}
    for cell in tasks:
        found.setdefault((cell.problem, cell.data, repr(cell.arguments)), Baseline.of(cell))
    return list(found.values())


def _cost(task: Cell | Baseline) -> float:
    return costs.seconds(task) if isinstance(task, Cell) else SECONDS


def _named(names: Sequence[str]) -> list[str]:
    unknown = [name for name in names if name.upper() not in EXPERIMENTS]
    if unknown:
        raise ValueError(f"unknown experiment {unknown[0]!r}; known are {', '.join(EXPERIMENTS)}.")
    asked = {name.upper() for name in names} or set(EXPERIMENTS)
    return [name for name in EXPERIMENTS if name in asked]


def _profile(name: str) -> Profile:
    return PROFILES[checks.choice("profile", name, tuple(PROFILES))]


def _count(things: Sequence[Any], name: str) -> str:
    return f"{len(things)} {name}{'s' * (len(things) != 1)}"
