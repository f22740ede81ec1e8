"""From a file to weights on the screen and a page in a folder: what `wolfnest portfolio` does."""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape

from wolfnest.common.display import Display
from wolfnest.common.files import store_all
from wolfnest.datasets.returns import DataError
from wolfnest.portfolio import printing, study
from wolfnest.portfolio.backtesting import window_sizes
from wolfnest.portfolio.estimator import BENCHMARKED, PortfolioOptimizer
from wolfnest.portfolio.per_asset import listed, refuse_unknown
from wolfnest.portfolio.reading import NotedReturns, read
from wolfnest.portfolio.study import Study


def write_report(
    source: str,
    *,
    kind: str = "detect",
    unit: str = "detect",
    dates: str = "detect",
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
        table = read(
            source, kind=kind, unit=unit, dates=dates, nan=model.nan, without=tuple(without)
        )
    rows, costly = len(table.frame), model.transaction_costs is not None
    # What cannot be is refused before anything takes time.
    windows = window_sizes(rows, train, test) if out is not None or costly else None
    table, followed = _following(table, model)
    if windows is not None and costly:
        held = windows[1]
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
        console.print_json(json.dumps(printing.record(found, said), allow_nan=False))
    else:
        printing.show(console, found, said)
    if out is None or windows is None:
        return found
    parts = study.tasks(rows, windows)
    with Display(parts, jobs=1, console=errors) as shown, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what was said of all rows is enough
        found = study.extended(found, windows, lambda id, s: shown.done(id, id, s))
    try:
        page = store_all(out, contents(found, shlex.join(["wolfnest", "portfolio", *typed])))
    except OSError as error:
        raise DataError(
            f"the page cannot be written to {str(out)!r}: {error.strerror or error}. Nothing was "
            "written; name another folder with --out."
        ) from error
    if not as_json:
        console.print(f"page: {escape(str(page))}", soft_wrap=True)
    return found


def contents(found: Study, command: str) -> dict[str, str]:
    """The files of the folder, by name."""
    import pandas as pd

    from wolfnest.portfolio import portfolio_page

    assert found.frontier is not None
    assert found.test is not None
    columns = {"weight": found.weights, "share_of_risk": found.shares}
    weights = pd.DataFrame(columns, index=pd.Index(found.assets, name="asset"))
    return {
        "weights.csv": weights.to_csv(),
        "frontier.csv": found.frontier.to_frame().to_csv(index=False),
        "backtest.csv": found.test.returns.to_csv(),
        "index.html": portfolio_page.build(found, command),
    }


def _refuse_closed(out: Path) -> None:
    """A folder that cannot be written to is better known before everything is computed."""
    there = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not there.is_dir():
        raise DataError(
            f"--out must name a folder, and {str(there)!r} is a file. Name another one."
        )
    if not os.access(there, os.W_OK | os.X_OK):
        raise DataError(f"--out: nothing can be written to {str(there)!r}. Name another folder.")


def _following(
    table: NotedReturns, model: PortfolioOptimizer
) -> tuple[NotedReturns, np.ndarray | None]:
    """The table, and the benchmark to follow: one of its columns, if the measure has one.

    `--setting benchmark=NAME` names it.
    """
    if model.risk != BENCHMARKED:
        return table, None
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
