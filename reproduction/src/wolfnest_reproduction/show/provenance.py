"""How the results were made: warnings, sessions, what failed, the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wolfnest.common.formatting import shown
from wolfnest.common.tables import Column, Grid
from wolfnest_reproduction.judge.completeness import unfinished
from wolfnest_reproduction.run.sessions import sessions
from wolfnest_reproduction.show import averages
from wolfnest_reproduction.show.averages import Frame

Info = Mapping[str, Any]


def warnings(info: Info, cells: Frame | None) -> list[str]:
    """What a reader must know before believing the page."""
    found = []
    if info.get("profile") not in (None, "full"):
        found.append(
            f"This is a “{info['profile']}” run, not the full reproduction: fewer runs and shorter "
            "ones. Its verdicts are about itself."
        )
    if info.get("overrides"):
        found.append(
            f"Not the paper’s numbers: {shown(info['overrides'])} was asked for in place of "
            "what the experiments say."
        )
    failed = {failure["id"] for failure in info.get("failures") or ()}
    missing = unfinished(info, cells)
    if missing:
        found.append(
            f"The run is not finished: {missing:,} of its {len(info['cells']):,} cells are "
            "still to come."
        )
    if failed:
        found.append(
            f"{len(failed):,} of its parts failed and are missing here; “How it was run” lists "
            "them."
        )
    return found


def sessions_table(info: Info) -> Grid:
    """All sessions that worked on the run."""
    columns = [
        Column("Started", "keep"), Column("Finished", "keep"), Column("Parts to run", "n"),
        Column("Processor", "keep"), Column("Sources", "keep"), Column("Command", "wide"),
    ]  # fmt: skip
    rows = []
    for one in sessions(info):
        where = one.get("environment") or {}
        ended = one.get("finished") or "stopped"
        rows.append([one.get("started"), ended, one.get("tasks"), where.get("cpu"),
                     where.get("sources"), one.get("command")])  # fmt: skip
    return Grid(columns, rows)


def failures(info: Info) -> Grid:
    rows = [[one.get("label"), last_line(one.get("error"))] for one in info.get("failures") or ()]
    return Grid([Column("What", "keep"), Column("Why", "wide")], rows)


def environment(info: Info, cells: Frame | None) -> dict[str, Any]:
    """When, where and by which code the cells were made."""
    names = ("profile", "started", "finished")
    shown = {name: info[name] for name in names if info.get(name) is not None}
    shown |= {str(key): value for key, value in (info.get("environment") or {}).items()}
    codes = {} if cells is None or "sources" not in cells else cells["sources"].value_counts()
    if len(codes) > 1:
        told = [f"{code} ({int(count):,} cells)" for code, count in codes.items()]
        shown["sources of the cells"] = ", ".join(told)
    return shown


def public(info: Info) -> dict[str, Any]:
    """What `run.json` says, without tracebacks: they name folders of the machine."""
    failures = [
        {**failure, "error": last_line(failure.get("error"))}
        for failure in info.get("failures") or ()
    ]
    return {**info, "failures": failures}


def last_line(error: Any) -> str:
    """
    >>> last_line("Traceback …\\n  File …\\nValueError: no data\\n")
    'ValueError: no data'
    """
    lines = averages.text(error).strip().splitlines()
    return lines[-1] if lines else ""
