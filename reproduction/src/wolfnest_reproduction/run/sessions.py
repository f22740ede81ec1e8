"""What `run.json` says of a run: its command, its data, and all sessions that worked on it."""

from __future__ import annotations

import datetime
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wolfnest.datasets import Returns

OUT = "results"  # where results go if nothing is said
# What a session has of its own; the rest of the record is that of the latest one.
SESSION = ("command", "profile", "overrides", "environment")

Info = dict[str, Any]


def command(
    names: Sequence[str],
    profile: str,
    overrides: Mapping[str, int],
    data: str | Path | None,
    out: str | Path,
    jobs: int,
) -> tuple[str, str]:
    """The command line of a run, and what it leaves out.

    Of folders that lie outside the present one it has the name: where they lie is nobody's matter.

    >>> command(["E2"], "full", {}, "/home/me/french", "docs/results", 2)[0]
    'wolfnest reproduce E2 --full --jobs 2 --data french --out docs/results'
    """
    options = {**overrides, **({} if jobs == 1 else {"jobs": jobs})}
    paths = {"data": data, "out": None if Path(out) == Path(OUT) else out}
    given = {f"--{name}": Path(path) for name, path in paths.items() if path is not None}
    shown = {name: _public(path) for name, path in given.items()}
    parts = ["wolfnest reproduce", *names, f"--{profile}"]
    parts += [f"--{name} {value}" for name, value in options.items()]
    parts += [f"{name} {shlex.quote(path)}" for name, path in shown.items()]
    shortened = " and ".join(name for name, path in shown.items() if Path(path) != given[name])
    notes = [f"The path after {shortened} is shortened."] if shortened else []
    if data is None and os.environ.get("WOLFNEST_DATA"):
        notes.append("WOLFNEST_DATA said where the data lies.")
    return " ".join(parts), " ".join(notes)


def _public(path: Path) -> str:
    inside = not path.is_absolute() and ".." not in path.parts
    return path.as_posix() if inside else path.name or path.as_posix()


def provenance(returns: Returns) -> Info:
    rows, columns = returns.shape
    facts = {"source": returns.source, "unit": returns.unit, "assets": columns}
    return {**facts, **returns.provenance, "rows": rows}


def begin(run: Info, former: Info | None, tasks: int) -> Info:
    """The record of a run that starts, or goes on where the `former` one ended.

    It keeps all sessions so far and adds this one, unless there is nothing to do: then the
    environment stays that of the last session that did something. `started` is the start of the
    first.
    """
    before = sessions(former) if former else []
    run = {**run, "finished": None, "failures": []}
    if former and former.get("finished") and not tasks:
        kept = {name: former[name] for name in ("environment", "finished") if name in former}
        return {**run, **kept, "started": before[0]["started"], "sessions": before}
    now = {name: run[name] for name in SESSION}
    every = [*before, {**now, "started": _now(), "finished": None, "tasks": tasks}]
    return {**run, "started": every[0]["started"], "sessions": every}


def end(info: Info, failures: list[dict[str, str]]) -> Info:
    """The record of a run whose tasks are all done or failed."""
    if info["finished"]:
        return info | {"failures": failures}
    *before, last = info["sessions"]
    finished = {"finished": _now()}
    return {**info, **finished, "sessions": [*before, last | finished], "failures": failures}


def sessions(info: Mapping[str, Any]) -> list[Info]:
    """All sessions that worked on a run, the first one first.

    >>> sessions({"started": "today", "profile": "quick"})[0]["started"]
    'today'
    """
    if info.get("sessions"):
        return list(info["sessions"])
    return [{name: info.get(name) for name in (*SESSION, "started", "finished")}]


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
