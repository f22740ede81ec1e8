"""How the results were made: warnings, the command, its sessions, what failed, the environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wolfnest.page.markup import Column, Raw, details, facts, join, settings, table, tag
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
            f"Not the paper’s numbers: {settings(info['overrides'])} was asked for in place of "
            "what the experiments say."
        )
    failed = {failure["id"] for failure in info.get("failures") or ()}
    there = set(cells["id"]) if cells is not None and "id" in cells else set()
    missing = set(info.get("cells") or ()) - there - failed
    if missing:
        found.append(
            f"The run is not finished: {len(missing):,} of its {len(info['cells']):,} cells are "
            "still to come."
        )
    if failed:
        found.append(
            f"{len(failed):,} of its parts failed and are missing here; “How it was run” lists "
            "them."
        )
    return found


def boxes(info: Info, cells: Frame | None) -> Raw:
    return join(tag("p", warning, class_="warn") for warning in warnings(info, cells))


def section(info: Info, cells: Frame | None, figures: list[Path], folder: Path) -> Raw:
    """The command, the sessions, failures, the environment, the files."""
    parts = [_command(info), _sessions(info), _failures(info)]
    shown = {
        key: info[key] for key in ("profile", "started", "finished") if info.get(key) is not None
    }
    shown |= {str(key): value for key, value in (info.get("environment") or {}).items()}
    codes = _sources(cells)
    if len(codes) > 1:
        shown["sources of the cells"] = ", ".join(
            f"{code} ({count:,} cells)" for code, count in codes.items()
        )
    parts.append(facts(shown))
    if figures:
        links = (
            tag("li", tag("a", path.name, href=path.relative_to(folder).as_posix()))
            for path in figures
        )
        parts.append(details("Figures as files, beside this page", tag("ul", join(links))))
    return join(part for part in parts if part)


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


def _command(info: Info) -> Raw:
    command = averages.text(info.get("command"))
    if not command:
        return Raw("")
    note = averages.text(info.get("note"))
    return join(
        [
            tag("p", "The command that made these results:"),
            tag("code", command, class_="command"),
            tag("p", note, class_="quiet") if note else Raw(""),
        ]
    )


def _sessions(info: Info) -> Raw:
    """All sessions that worked on the run, if there were several."""
    every = sessions(info)
    if len(every) < 2:
        return Raw("")
    columns = [
        Column("Started", "keep"), Column("Finished", "keep"), Column("Parts to run", "n"),
        Column("Processor", "keep"), Column("Sources", "keep"), Column("Command", "wide"),
    ]  # fmt: skip
    rows = [
        [
            one.get("started"), one.get("finished") or "stopped", one.get("tasks"),
            _of(one, "cpu"), _of(one, "sources"), one.get("command"),
        ]
        for one in every
    ]  # fmt: skip
    note = f"It was made in {len(every)} sessions; each ran what was not there yet:"
    return join([tag("p", note), table(columns, rows, "Sessions")])


def _of(session: Info, name: str) -> Any:
    return (session.get("environment") or {}).get(name)


def _failures(info: Info) -> Raw:
    failures = info.get("failures") or ()
    if not failures:
        return Raw("")
    rows: Iterable[list[Any]] = (
        [failure.get("label"), last_line(failure.get("error"))] for failure in failures
    )
    return join(
        [
            tag("p", "These failed; the same command tries them again:"),
            table([Column("What", "keep"), Column("Why", "wide")], rows, "Failures"),
        ]
    )


def _sources(cells: Frame | None) -> dict[str, int]:
    """How many cells which state of the code made."""
    if cells is None or "sources" not in cells:
        return {}
    return {str(code): int(count) for code, count in cells["sources"].value_counts().items()}
