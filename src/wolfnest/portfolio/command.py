"""`wolfnest portfolio`: from a file to weights on the screen and a page in a folder."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import shlex
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from wolfnest.common.display import Display
from wolfnest.datasets.returns import DataError, optional
from wolfnest.portfolio import study
from wolfnest.portfolio.arguments import by_asset, numbers, pairs, settings
from wolfnest.portfolio.estimator import BENCHMARKED, PortfolioOptimizer
from wolfnest.portfolio.in_words import achieved
from wolfnest.portfolio.per_asset import listed, refuse_unknown
from wolfnest.portfolio.publishing import publish
from wolfnest.portfolio.reading import NotedReturns, read
from wolfnest.portfolio.study import Study

__all__ = ["by_asset", "contents", "numbers", "pairs", "record", "run", "settings", "show"]

SMALL = 5e-4


def run(
    source: str,
    *,
    kind: str = "detect",
    unit: str = "detect",
    without: Iterable[str] = (),
    out: Path | None = None,
    train: int | None = None,
    test: int | None = None,
    as_json: bool = False,
    typed: Iterable[str] = (),
    caps: Mapping[str, float] | None = None,
    console: Console | None = None,
    **parameters: Any,
) -> Study:
    """Read, fit, print; with `out`, also the frontier, the backtest and the page.

    `parameters` are those of `PortfolioOptimizer`, `caps` the largest weights of single assets, and
    `typed` the arguments as the user gave them. Nothing is written before all of it is there.
    """
    console = Console() if console is None else console
    if out is not None:
        _refuse_closed(out)
    model = PortfolioOptimizer(**parameters)
    errors = Console(stderr=True)
    with errors.status(f"reading {escape(str(source))}"):
        table = read(source, kind=kind, unit=unit, nan=model.nan, without=tuple(without))  # type: ignore[arg-type]
    rows, followed = len(table.frame), None
    if out is not None:
        study.windows_of(rows, train, test)  # refuses what cannot be, before anything takes time
    if model.risk == BENCHMARKED:
        table, followed = following(table, model)
    if model.transaction_costs is not None:
        _, held = study.windows_of(rows, train, test)
        model.set_params(holding_periods=held)
        table = table.noting(f"costs are spread over {held:,} rows, the time between fits (--test)")
    if caps:
        assets = [str(name) for name in table.frame.columns]
        refuse_unknown("--cap", caps, assets)
        model.set_params(max_weight={name: caps.get(name, model.max_weight) for name in assets})
    with warnings.catch_warnings(record=True) as caught, errors.status("finding the weights"):
        warnings.simplefilter("always")
        found = study.fitted(table, model, followed)
    said = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    if as_json:
        console.print_json(json.dumps(record(found, said), allow_nan=False))
    else:
        show(console, found, said)
    if out is None:
        return found
    parts = study.tasks(rows, train, test)
    with Display(parts, jobs=1, console=errors) as shown, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what was said of all rows is enough
        found = study.extended(found, train, test, lambda id, s: shown.done(id, id, s))
    files = contents(found, shlex.join(["wolfnest", "portfolio", *typed]))
    try:
        page = publish(out, files)
    except OSError as error:
        raise DataError(
            f"the page cannot be written to {str(out)!r}: {error.strerror or error}. Nothing was "
            "written; name another folder with --out."
        ) from error
    if not as_json:
        console.print(f"page: {escape(str(page))}", soft_wrap=True)
    return found


def _refuse_closed(out: Path) -> None:
    """A folder that cannot be written to is better known before everything is computed."""
    there = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not there.is_dir():
        raise DataError(
            f"--out must name a folder, and {str(there)!r} is a file. Name another one."
        )
    if not os.access(there, os.W_OK | os.X_OK):
        raise DataError(f"--out: nothing can be written to {str(there)!r}. Name another folder.")


def following(table: NotedReturns, model: PortfolioOptimizer) -> tuple[NotedReturns, np.ndarray]:
    """The table without the column of the benchmark, which `--setting benchmark=NAME` names."""
    chosen = dict(model.settings or {})
    name, columns = chosen.pop("benchmark", None), list(table.frame.columns)
    if str(name) not in columns:
        raise DataError(
            f"{model.risk} follows one of the columns: name it with --setting benchmark=NAME, got "
            f"{name!r}. The columns are {listed(columns)}."
        )
    model.set_params(settings=chosen or None)
    rest = dataclasses.replace(table, frame=table.frame.drop(columns=[str(name)]))
    path = table.frame[str(name)].to_numpy(float)
    return rest.noting(f"column {str(name)!r} is the benchmark"), path


def contents(found: Study, command: str) -> dict[str, str]:
    """The files of the folder, by name."""
    from wolfnest.portfolio import page

    pandas: Any = optional("pandas", "portfolio", "the report on a portfolio")
    assert found.frontier is not None
    assert found.test is not None
    columns = {"weight": found.weights, "share_of_risk": found.shares}
    weights = pandas.DataFrame(columns, index=pandas.Index(found.assets, name="asset"))
    return {
        "weights.csv": weights.to_csv(),
        "frontier.csv": found.frontier.to_frame().to_csv(index=False),
        "backtest.csv": found.test.returns.to_csv(),
        "index.html": page.build(found, command),
    }


def show(console: Console, found: Study, said: Iterable[str]) -> None:
    """The weights and what they achieve, for a terminal."""
    console.print(f"[bold]{escape(found.table.source)}[/bold]", soft_wrap=True)
    for note in found.table.notes:
        console.print(f"  {escape(note)}", soft_wrap=True)
    for warning in said:
        console.print(f"[yellow]note:[/yellow] {escape(warning)}", soft_wrap=True)
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("asset", "weight", "share of risk"):
        grid.add_column(heading, justify="left" if heading == "asset" else "right")
    order = np.argsort(-np.abs(found.weights), kind="stable")
    small = [i for i in order if abs(found.weights[i]) < SMALL]
    for i in order[: len(order) - len(small)]:
        cells = (f"{100 * found.weights[i]:.2f} %", f"{100 * found.shares[i]:.2f} %")
        grid.add_row(escape(found.assets[i]), *cells)
    if small:
        grid.add_row(f"{len(small)} others", f"{100 * float(found.weights[small].sum()):.2f} %", "")
    console.print(grid)
    for name, value in achieved(found).items():
        console.print(f"{name}: {escape(str(value))}", soft_wrap=True, highlight=False)


def record(found: Study, said: Iterable[str]) -> dict[str, Any]:
    """The same for other programs."""
    model, bound = found.model, found.model.certificate_
    finite = lambda value: float(value) if math.isfinite(value) else None
    return {
        "source": found.table.source,
        "notes": [*found.table.notes, *said],
        "risk_measure": model.risk,
        "risk_aversion": finite(model.risk_aversion),
        "weights": dict(zip(found.assets, map(float, found.weights), strict=True)),
        "share_of_risk": dict(zip(found.assets, map(float, found.shares), strict=True)),
        "mean": model.mean_,
        "risk": model.risk_,
        "objective": finite(float(bound.value)),
        "certificate": finite(float(bound.bound)),
        "exact_gap": finite(model.exact_gap_),
        "smoothing": finite(model.smoothing_),
        "converged": model.solution_.status == "converged",
        "seconds": model.seconds_,
    }
