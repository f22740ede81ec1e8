"""`wolfnest portfolio`: from a file to weights on the screen and a page in a folder."""

from __future__ import annotations

import json
import math
import shlex
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from wolfnest.datasets.returns import DataError, optional
from wolfnest.experiments.display import Display
from wolfnest.portfolio import prose, study
from wolfnest.portfolio.estimator import PortfolioOptimizer
from wolfnest.portfolio.named import refuse_unknown
from wolfnest.portfolio.publishing import publish
from wolfnest.portfolio.reading import read
from wolfnest.portfolio.study import Study

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
    if out is not None and out.exists() and not out.is_dir():
        raise DataError(f"--out must name a folder, and {str(out)!r} is a file. Name another one.")
    model = PortfolioOptimizer(**parameters)
    errors = Console(stderr=True)
    with errors.status(f"reading {escape(str(source))}"):
        table = read(source, kind=kind, unit=unit, nan=model.nan, without=tuple(without))  # type: ignore[arg-type]
    if caps:
        assets = [str(name) for name in table.frame.columns]
        refuse_unknown("--cap", caps, assets)
        model.set_params(max_weight={name: caps.get(name, model.max_weight) for name in assets})
    with warnings.catch_warnings(record=True) as caught, errors.status("finding the weights"):
        warnings.simplefilter("always")
        found = study.fitted(table, model)
    said = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    if as_json:
        console.print_json(json.dumps(record(found, said), allow_nan=False))
    else:
        show(console, found, said)
    if out is None:
        return found
    rows = len(table.frame)
    parts = study.tasks(rows, train, test)
    with Display(parts, jobs=1, console=errors) as shown, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what was said of all rows is enough
        found = study.extended(found, train, test, lambda id, s: shown.done(id, id, s))
    page = publish(out, contents(found, shlex.join(["wolfnest", "portfolio", *typed])))
    if not as_json:
        console.print(f"page: {escape(str(page))}", soft_wrap=True)
    return found


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
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
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
    for name, value in prose.achieved(found).items():
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
        "smoothing": finite(model.smoothing_),
        "converged": model.solution_.status == "converged",
        "seconds": model.seconds_,
    }


# ---- arguments as text -----------------------------------------------------------------------


def pairs(option: str, given: Iterable[str]) -> dict[str, float]:
    """`NAME=VALUE` arguments as numbers by name.

    >>> pairs("--cap", ["AAPL=0.2"])
    {'AAPL': 0.2}
    """
    found = {}
    for text in given:
        name, sign, value = text.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            sign = ""
        if not sign or not name.strip():
            raise DataError(f"{option} must be NAME=VALUE with a number, got {text!r}.")
    return found


def settings(given: Iterable[str]) -> dict[str, Any]:
    """Settings of a measure: numbers where they are whole, text where they are none."""
    found: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise DataError(f"--setting must be NAME=VALUE, got {text!r}.")
        try:
            number = float(value)
            found[name.strip()] = int(number) if number == int(number) else number
        except (ValueError, OverflowError):
            found[name.strip()] = value.strip()
    return found


def by_asset(option: str, path: Path | None) -> Mapping[str, Any] | None:
    """A CSV file with two columns, assets and their values (a header line is left out)."""
    if path is None:
        return None
    import csv

    if not path.is_file():
        raise DataError(f"{option} must name a CSV file, and there is no file {str(path)!r}.")
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [[cell.strip() for cell in row] for row in csv.reader(file) if any(row)]
    found: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        if number == 1 and row[0].lower() in ("asset", "assets", "name", "ticker", "symbol", ""):
            continue
        if len(row) < 2 or not row[0]:
            raise DataError(f"{path}, line {number}: expected an asset and a value, got {row!r}.")
        if row[0] in found:
            raise DataError(f"{path}, line {number}: {row[0]!r} is there twice. Keep one of them.")
        found[row[0]] = row[1]
    return found


def numbers(option: str, path: Path | None) -> dict[str, float] | None:
    """A file of `by_asset` whose values are numbers."""
    given = by_asset(option, path)
    if given is None:
        return None
    found = {}
    for asset, value in given.items():
        try:
            found[asset] = float(value)
        except ValueError:
            raise DataError(f"{path}: expected a number for {asset!r}, got {value!r}.") from None
    return found
