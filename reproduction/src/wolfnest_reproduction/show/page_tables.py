"""The page's tables: methods, solvers without sampling, cost of an iteration, tuned parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wolfnest.common.formatting import UNKNOWN, shown, timing
from wolfnest.common.tables import Column, Grid
from wolfnest.methods.cards import CARDS
from wolfnest_reproduction.define.entrants import USER, entrant
from wolfnest_reproduction.run.store import Results
from wolfnest_reproduction.show import baseline_curves, csv_tables, labels, legend
from wolfnest_reproduction.show.averages import Frame


def methods(found: Frame) -> Grid:
    there = {str(entrant(str(label)).name) for label in found["method"]}
    columns = [Column("Line"), Column("Method", "keep"), Column("Tracks"), Column("Moves by"),
               Column("Projection-free"), Column("From", "wide")]  # fmt: skip
    rows = []
    for name in sorted(there & set(CARDS), key=legend.place):
        card, look = CARDS[name], legend.look(name)
        free = "yes" if card.projection_free else "no"
        source = "the paper" if look.group == "ours" else card.reference
        rows.append([look, name, card.estimator, card.step, free, source])
    return Grid(columns, rows)


def baselines(results: Results, found: Frame) -> tuple[Grid, str]:
    """Solvers without sampling, and what is to be said of each."""
    rows = baseline_curves.against(results.baselines, found)
    columns = [
        Column("Problem", "keep"), Column("Data set"), Column("Solver", "keep"),
        Column("Time", "n"), Column("Iterations", "n"), Column("Gap", "n"),
        Column("Lowest sampling method by then"), Column("Its gap", "n"),
        Column("Sampling ahead until", "n"),
    ]  # fmt: skip
    notes: dict[str, dict[str, None]] = {}  # those of solved problems first
    for row in rows.sort_values("solved", kind="stable").to_dict("records") if len(rows) else ():
        if row["note"]:
            notes.setdefault(row["solver"], {})[row["note"]] = None
    told = " ".join(f"{solver}: {', else '.join(each)}." for solver, each in notes.items())
    return Grid(columns, [_baseline(row) for row in rows.to_dict("records")]), told


def _baseline(row: Mapping[Any, Any]) -> list[Any]:
    """A row of the table, with the gap by which solver and sampling methods are compared."""
    stopped = ", not solved" if np.isfinite(row["time"]) and not np.isfinite(row["solved"]) else ""
    here = row["best_experiment"] in ("", row["experiment"])
    until = row["ahead_until"]
    return [
        ", ".join(filter(None, (row["experiment"], row["setting"]))), row["data"], row["solver"],
        timing(row["time"]) + stopped, row["iterations"], row[row["best_criterion"]],
        row["best_method"] if here else f"{row['best_method']} ({row['best_experiment']})",
        row["best_value"], "its end" if np.isinf(until) else timing(until),
    ]  # fmt: skip


def costs(cells: Frame) -> dict[str, Grid]:
    """What iterations cost, by experiment."""
    rows = csv_tables.costs(cells)
    found = {}
    for experiment, part in rows.groupby("experiment", sort=False) if len(rows) else ():
        grid = part.pivot_table(
            index="method", columns="data", values="microseconds_per_iteration", aggfunc="median"
        )
        data = sorted(grid.columns, key=labels.natural)
        asked = part.groupby("method")[["samples_per_iteration", "lmo_per_iteration"]].median()
        columns = [Column("Line"), Column("Method", "keep"),
                   *(Column(f"µs, {name}", "n") for name in data),
                   Column("Samples", "n"), Column("LMO calls", "n")]  # fmt: skip
        body = [
            [legend.look(name), name, *grid.loc[name, data], *asked.loc[name]]
            for name in sorted(grid.index, key=legend.place)
        ]
        found[str(experiment)] = Grid(columns, body)
    return found


def tuned(cells: Frame) -> Grid:
    columns = [
        Column("Experiment"), Column("Data set", "keep"), Column("Setting", "keep"),
        Column("Horizon", "n"), Column("Method", "keep"), Column("Chosen"), Column("Tried", "wide"),
        Column("Trials", "n"), Column("Score", "n"), Column("Beyond"), Column("At the edge"),
    ]  # fmt: skip
    rows = [
        [
            row["experiment"], row["data"], row["setting"], row["horizon"], row["method"],
            _chosen(row), shown(row["grid"]), row["runs"], row["score"],
            _names(row["extended"]), _names(row["at_edge"]),
        ]
        for row in csv_tables.tuned(cells).to_dict("records")
    ]  # fmt: skip
    return Grid(columns, rows)


def _chosen(row: Mapping[Any, Any]) -> str:
    """The settings; of the automatic choice, what it chose."""
    by_user = entrant(str(row["method"])).chosen_by == USER
    return shown(row["settings"]) if by_user else str(row["name"])


def _names(value: Any) -> str:
    """Names, or settings one by one."""
    listed = isinstance(value, list | tuple | np.ndarray) and len(value)
    return ", ".join(map(shown, value)) if listed else UNKNOWN
