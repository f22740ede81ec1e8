"""The page's sections: words, methods, solvers without sampling, cost, tuned parameters, data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from wolfnest.common.formatting import timing
from wolfnest.methods.cards import CARDS
from wolfnest.page.markup import (
    Column,
    Raw,
    definitions,
    details,
    facts,
    join,
    settings,
    swatch,
    table,
    tag,
)
from wolfnest_reproduction.define.entrants import USER, entrant
from wolfnest_reproduction.show import averages, exact, labels, legend, prose, tables
from wolfnest_reproduction.show.averages import Frame

EMPTY = Raw('<p class="quiet">Nothing of this kind was recorded.</p>')
WHERE = (Column("Data set", "keep"), Column("Setting", "keep"))


def lead() -> Raw:
    cited = f"The paper: {CARDS['PMVR-v1'].reference}."
    return join(
        [*(tag("p", part, class_="lead") for part in prose.LEAD), tag("p", cited, class_="quiet")]
    )


def short(sentences: Iterable[str]) -> Raw:
    """The results in a few sentences."""
    return tag("ul", *(tag("li", sentence) for sentence in sentences))


def experiments(found: Frame) -> Raw:
    """What each experiment minimises, and why it is run."""
    told = {}
    for name in dict.fromkeys(map(str, found["experiment"])):
        one = labels.experiment(name)
        told[name if one.title == name else f"{name}: {one.title}"] = one.whole
    return definitions(told)


def methods(found: Frame) -> Raw:
    there = {entrant(str(label)).name for label in found["method"]}
    names = sorted(there & set(CARDS), key=legend.place)
    columns = [Column("Line"), Column("Method", "keep"), Column("Tracks"), Column("Moves by"),
               Column("Projection-free"), Column("From", "wide")]  # fmt: skip
    rows = [
        [_line(name), name, card.estimator, card.step, "yes" if card.projection_free else "no",
         "the paper" if legend.look(name).group == "ours" else card.reference]
        for name in names for card in [CARDS[name]]
    ]  # fmt: skip
    return join(
        [
            definitions(prose.FAMILIES),
            tag("p", prose.TRACKS, class_="quiet"),
            table(columns, rows, "Methods"),
        ]
    )


def baselines(results: averages.Results, found: Frame) -> Raw:
    rows = exact.against(results.baselines, found)
    if rows.empty:
        return EMPTY
    columns = [
        Column("Problem", "keep"), Column("Data set"), Column("Solver", "keep"),
        Column("Time", "n"), Column("Iterations", "n"), Column("Gap", "n"),
        Column("Lowest sampling method by then"), Column("Its gap", "n"),
        Column("Sampling ahead until", "n"),
    ]  # fmt: skip
    records = rows.sort_values("solved", kind="stable").to_dict("records")
    notes: dict[str, dict[str, None]] = {}  # those of solved problems first
    for row in records:
        if row["note"]:
            notes.setdefault(row["solver"], {})[row["note"]] = None
    told = " ".join(f"{solver}: {', else '.join(each)}." for solver, each in notes.items())
    grid = table(columns, map(_solver, rows.to_dict("records")), "Solvers without sampling")
    return join([tag("p", prose.EXACT, class_="quiet"), grid, tag("p", told, class_="quiet")])


def _solver(row: Mapping[Any, Any]) -> list[Any]:
    """A row of the table, with the gap by which solver and sampling methods are compared."""
    stopped = ", not solved" if np.isfinite(row["time"]) and not np.isfinite(row["solved"]) else ""
    here = row["best_experiment"] in ("", row["experiment"])
    return [
        ", ".join(filter(None, (row["experiment"], row["setting"]))), row["data"], row["solver"],
        timing(row["time"]) + stopped, row["iterations"], row[row["best_criterion"]],
        row["best_method"] if here else f"{row['best_method']} ({row['best_experiment']})",
        row["best_value"], _until(row["ahead_until"]),
    ]  # fmt: skip


def cost(cells: Frame) -> Raw:
    rows = tables.costs(cells)
    if rows.empty:
        return EMPTY
    parts = [tag("p", prose.COST, class_="quiet")]
    for experiment, part in rows.groupby("experiment", sort=False):
        grid = part.pivot_table(
            index="method", columns="data", values="microseconds_per_iteration", aggfunc="median"
        )
        data = sorted(grid.columns, key=labels.natural)
        asked = part.groupby("method")[["samples_per_iteration", "lmo_per_iteration"]].median()
        columns = [Column("Line"), Column("Method", "keep"),
                   *(Column(f"µs, {name}", "n") for name in data),
                   Column("Samples", "n"), Column("LMO calls", "n")]  # fmt: skip
        body = [
            [
                swatch(legend.look(name)),
                name,
                *(grid.loc[name, one] for one in data),
                *asked.loc[name].tolist(),
            ]
            for name in sorted(grid.index, key=legend.place)
        ]
        title = f"{experiment}: {labels.experiment(str(experiment)).title}"
        parts.append(details(title, table(columns, body, f"Cost of one iteration in {experiment}")))
    return join(parts)


def tuning(cells: Frame) -> Raw:
    rows = tables.tuned(cells)
    if rows.empty:
        return EMPTY
    columns = [
        Column("Experiment"), *WHERE, Column("Horizon", "n"), Column("Method", "keep"),
        Column("Chosen"), Column("Tried", "wide"), Column("Trials", "n"), Column("Score", "n"),
        Column("Beyond"), Column("At the edge"),
    ]  # fmt: skip
    body = (
        [
            row["experiment"], row["data"], row["setting"], row["horizon"], row["method"],
            _chosen(row), settings(row["grid"]), row["runs"], row["score"],
            _names(row["extended"]), _names(row["at_edge"]),
        ]
        for row in rows.to_dict("records")
    )  # fmt: skip
    grid = table(columns, body, "Tuned parameters", name="tuned")
    return join(
        [tag("p", prose.TUNING, class_="quiet"), details(f"{len(rows):,} tuned cells", grid)]
    )


def data(info: Mapping[str, Any]) -> Raw:
    given = info.get("data") or {}
    if not given:
        return EMPTY
    return join(
        join([tag("h3", name), facts(entry if isinstance(entry, Mapping) else {"source": entry})])
        for name, entry in given.items()
    )


def _line(method: str) -> Raw:
    return swatch(legend.look(method))


def _until(time: float) -> str:
    return "its end" if np.isinf(time) else timing(time)


def _chosen(row: Mapping[Any, Any]) -> str:
    """The settings; of the automatic choice, what it chose."""
    if entrant(str(row["method"])).chosen_by == USER:
        return settings(row["settings"])
    return str(row["name"])


def _names(value: Any) -> str:
    """Names, or settings one by one."""
    if isinstance(value, list | tuple | np.ndarray) and len(value):
        return ", ".join(settings(one) if isinstance(one, Mapping) else str(one) for one in value)
    return "–"
