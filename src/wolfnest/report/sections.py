"""The page's tables: methods, baselines, cost, tuned parameters, data and the run itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wolfnest.methods.cards import CARDS
from wolfnest.report import averages, style, tables, words
from wolfnest.report.averages import Frame
from wolfnest.report.markup import Column, Raw, details, facts, join, settings, swatch, table, tag

EMPTY = Raw('<p class="quiet">Nothing of this kind was recorded.</p>')
WHERE = (Column("Data set", "keep"), Column("Setting", "keep"))


def lead() -> Raw:
    return join(tag("p", sentence, class_="lead") for sentence in words.LEAD)


def warning(info: Mapping[str, Any]) -> Raw:
    if info.get("profile") in (None, "full"):
        return Raw("")
    return tag(
        "p",
        f"This is a “{info['profile']}” run, not the full reproduction: fewer runs and shorter "
        "ones. Its verdicts are about itself.",
        class_="warn",
    )


def glossary() -> Raw:
    return join(
        tag("div", tag("dt", word), tag("dd", meaning)) for word, meaning in words.GLOSSARY.items()
    )


def methods(found: Frame) -> Raw:
    there = {str(name).removesuffix(style.SEPARATE) for name in found["method"]}
    names = [name for name in sorted(there, key=style.place) if name in CARDS]
    paper = next((CARDS[n].reference for n in names if style.look(n).group == "ours"), "")
    columns = [Column("Line"), Column("Method", "keep"), Column("Tracks"), Column("Moves by"),
               Column("Projection-free"), Column("From", "wide")]  # fmt: skip
    rows = [
        [swatch(name), name, card.estimator, card.step, "yes" if card.projection_free else "no",
         "the paper" if card.reference == paper else card.reference]
        for name in names for card in [CARDS[name]]
    ]  # fmt: skip
    note = (
        "“Tracks”: what a method carries from iteration to iteration to average out the noise of "
        "samples. “LMO” moves towards the point of the set that an LMO call returns, “inner "
        "Frank-Wolfe” takes several such calls for one better-aimed move."
    )
    cited = f" The paper: {paper}." if paper else ""
    return join([tag("p", note + cited, class_="quiet"), table(columns, rows, "Methods")])


def baselines(results: averages.Results, found: Frame) -> Raw:
    rows = tables.against_baselines(results.baselines, found)
    if rows.empty:
        return EMPTY
    note = (
        "The same problems, solved on all data at once: by Frank-Wolfe on full gradients, and by a "
        "general solver. Beside each stands the sampling method that was lowest when that solver "
        "was done, and its gap then (the optimal gap, or the Frank-Wolfe gap where no optimum is "
        "known): where the solver’s own gap is smaller, sampling did not pay."
    )
    columns = [
        Column("Experiment"), *WHERE, Column("Solver", "keep"), Column("Time (s)", "n"),
        Column("Iterations", "n"), Column("Objective", "n"), Column("Optimal gap", "n"),
        Column("Frank-Wolfe gap", "n"), Column("Lowest sampling method by then", "keep"),
        Column("Its gap", "n"), Column("Note", "wide"),
    ]  # fmt: skip
    names = ["experiment", "data", "setting", "solver", "time", "iterations", "objective",
             "optimal_gap", "frank_wolfe_gap", "best_method", "best_value", "note"]  # fmt: skip
    cells = ([row[name] for name in names] for row in rows.to_dict("records"))
    return join([tag("p", note, class_="quiet"), table(columns, cells, "Baselines")])


def cost(cells: Frame) -> Raw:
    rows = tables.costs(cells)
    if rows.empty:
        return EMPTY
    note = (
        "Microseconds per iteration, measured on single runs (median over settings and horizons), "
        "and what an iteration asks for."
    )
    parts = [tag("p", note, class_="quiet")]
    for experiment, part in rows.groupby("experiment", sort=False):
        grid = part.pivot_table(
            index="method", columns="data", values="microseconds_per_iteration", aggfunc="median"
        )
        data = sorted(grid.columns, key=style.natural)
        asked = part.groupby("method")[["samples_per_iteration", "lmo_per_iteration"]].median()
        columns = [Column("Line"), Column("Method", "keep"),
                   *(Column(f"µs, {name}", "n") for name in data),
                   Column("Samples", "n"), Column("LMO calls", "n")]  # fmt: skip
        body = [
            [swatch(name), name, *(grid.loc[name, one] for one in data), *asked.loc[name].tolist()]
            for name in sorted(grid.index, key=style.place)
        ]
        title = f"{experiment}: {words.experiment(str(experiment)).title}"
        parts.append(details(title, table(columns, body, f"Cost of one iteration in {experiment}")))
    return join(parts)


def tuning(cells: Frame) -> Raw:
    rows = tables.tuned(cells)
    if rows.empty:
        return EMPTY
    note = (
        "The grids of all methods have the same size and grow by the same rule where an edge wins; "
        "“runs” counts the settings that were tried. The score that was minimised is the mean of "
        "log₁₀ of the Frank-Wolfe gap over the budget of samples, on seeds of its own. “At the "
        "edge” names settings that ended at an edge all the same: a value beyond might do better."
    )
    columns = [
        Column("Experiment"), *WHERE, Column("Horizon", "n"), Column("Method", "keep"),
        Column("Chosen"), Column("Grid", "wide"), Column("Runs", "n"), Column("Score", "n"),
        Column("Extended"), Column("At the edge"),
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
    return join([tag("p", note, class_="quiet"), details(f"{len(rows):,} tuned cells", grid)])


def data(info: Mapping[str, Any]) -> Raw:
    given = info.get("data") or {}
    if not given:
        return EMPTY
    return join(
        join([tag("h3", name), facts(entry if isinstance(entry, Mapping) else {"source": entry})])
        for name, entry in given.items()
    )


def run(info: Mapping[str, Any], figures: list[Path], folder: Path) -> Raw:
    command = str(info.get("command") or "")
    shown = {
        key: info[key] for key in ("profile", "started", "finished") if info.get(key) is not None
    }
    shown |= {str(key): value for key, value in (info.get("environment") or {}).items()}
    parts = [
        tag("p", "The command that made these results:") if command else Raw(""),
        tag("code", command, class_="command") if command else Raw(""),
        facts({key: _fact(value) for key, value in shown.items()}),
    ]
    if figures:
        links = (
            tag("li", tag("a", path.name, href=path.relative_to(folder).as_posix()))
            for path in figures
        )
        parts.append(details("Figures as files, beside this page", tag("ul", join(links))))
    return join(parts)


def _fact(value: Any) -> Any:
    return settings(value) if isinstance(value, Mapping | list) else value


def _chosen(row: Mapping[Any, Any]) -> str:
    """The settings; of the automatic choice, what it chose."""
    if row["method"] != style.AUTOMATIC:
        return settings(row["settings"])
    return str(row["name"])


def _names(value: Any) -> str:
    """Names, or settings one by one."""
    if isinstance(value, list | tuple | np.ndarray) and len(value):
        return ", ".join(settings(one) if isinstance(one, Mapping) else str(one) for one in value)
    return "–"
