"""The folder of results: one table and one description per cell, written whole or not at all."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wolfnest.datasets.returns import optional

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("experiment", "data", "setting", "method", "horizon", "batch", "seed", "step", "time"),
    *("samples", "evaluations", "lmo", "objective", "optimal_gap", "frank_wolfe_gap"),
    *("gradient_mapping", "status"),
)
BASELINE_NUMBERS = (
    *("time", "solver_time", "iterations", "objective", "optimal_gap", "frank_wolfe_gap"),
)
BASELINE_COLUMNS = ("experiment", "data", "setting", "solver", *BASELINE_NUMBERS, "note", "curve")


@dataclasses.dataclass(frozen=True)
class Results:
    """What a reproduction left behind: tidy tables, and the facts of the run."""

    traces: pd.DataFrame
    """One row per cell, seed and record."""
    cells: pd.DataFrame
    """One row per cell: chosen settings, tuning, cost per iteration."""
    baselines: pd.DataFrame
    info: dict[str, Any]
    folder: Path


class Store:
    """The files of a results folder.

    A cell is finished once its description is there: that is written last.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def prepare(self) -> None:
        """Make the folders, and remove what a killed run left half written."""
        for name in ("cells", "baselines", "failures"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
            for left in (self.folder / name).glob(".*.tmp"):
                left.unlink(missing_ok=True)

    # ---- cells ---------------------------------------------------------------------------

    def table(self, id: str) -> Path:
        return self.folder / "cells" / f"{id}.parquet"

    def facts(self, id: str) -> Path:
        return self.folder / "cells" / f"{id}.json"

    def finished(self, id: str) -> bool:
        return self.facts(id).exists() and self.table(id).exists()

    def save(self, id: str, columns: dict[str, Any], facts: dict[str, Any]) -> None:
        pandas = _pandas()
        frame = pandas.DataFrame(columns, columns=list(COLUMNS))
        replace(self.table(id), lambda file: frame.to_parquet(file, index=False))
        write_json(self.facts(id), facts)

    def copy(self, id: str, experiment: str, work_of: str) -> None:
        """The results of a cell that did the same work, under the name of another experiment."""
        frame = _pandas().read_parquet(self.table(work_of)).assign(experiment=experiment)
        facts = read_json(self.facts(work_of))
        changes = {"id": id, "experiment": experiment, "same_as": work_of, "cost": 0.0}
        replace(self.table(id), lambda file: frame.to_parquet(file, index=False))
        write_json(self.facts(id), facts | changes)

    # ---- baselines and failures ----------------------------------------------------------

    def baseline(self, id: str) -> Path:
        return self.folder / "baselines" / f"{id}.json"

    def failure(self, id: str) -> Path:
        return self.folder / "failures" / f"{id}.json"

    def failures(self, info: dict[str, Any]) -> list[dict[str, str]]:
        """What failed and was not done since, also of a run that was stopped."""
        found = {failed["id"]: failed for failed in info.get("failures") or ()}
        for id in (*info.get("cells", ()), *info.get("baselines", ())):
            if self.failure(id).exists():
                found[id] = read_json(self.failure(id))
        return list(found.values())

    def gather_baselines(self, ids: Iterable[str]) -> None:
        """All rows of the baselines in one table; the curves as JSON."""
        rows = [row for id in ids if self.baseline(id).exists() for row in self._rows(id)]
        rows = [
            row | {"curve": json.dumps(row["curve"])} if "curve" in row else row for row in rows
        ]
        frame = _pandas().DataFrame(rows, columns=list(BASELINE_COLUMNS))
        frame = frame.astype(dict.fromkeys(BASELINE_NUMBERS, float))  # None becomes NaN
        target = self.folder / "baselines.parquet"
        replace(target, lambda file: frame.to_parquet(file, index=False))

    def _rows(self, id: str) -> list[dict[str, Any]]:
        return read_json(self.baseline(id))["rows"]

    # ---- the run -------------------------------------------------------------------------

    @property
    def info(self) -> Path:
        return self.folder / "run.json"


def load(folder: str | Path) -> Results:
    """The results in a folder, as far as they are there: those of its latest run."""
    pandas, store = _pandas(), Store(folder)
    if not store.info.exists():
        raise FileNotFoundError(
            f"there are no results in {store.folder}: it has no run.json. Make them with "
            "'wolfnest reproduce --out FOLDER', or name another folder."
        )
    info = read_json(store.info)
    info["failures"] = store.failures(info)
    ids = [id for id in info["cells"] if store.finished(id)]
    tables = [pandas.read_parquet(store.table(id)) for id in ids]
    traces = (
        pandas.concat(tables, ignore_index=True)
        if tables
        else pandas.DataFrame(columns=list(COLUMNS))
    )
    cells = pandas.DataFrame([read_json(store.facts(id)) for id in ids])
    path = store.folder / "baselines.parquet"
    baselines = (
        pandas.read_parquet(path)
        if path.exists()
        else pandas.DataFrame(columns=list(BASELINE_COLUMNS))
    )
    return Results(traces, cells, baselines, info, store.folder)


def _pandas() -> Any:
    optional("pyarrow", "experiments", "the experiments' results")
    return optional("pandas", "experiments", "the experiments' results")


# ---- files -----------------------------------------------------------------------------------


def replace(path: Path, write: Callable[[Any], Any]) -> None:
    """A file that is there as a whole or not at all: written under another name, then renamed."""
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(part, "wb") as file:
            write(file)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False, default=_plain)
    replace(path, lambda file: file.write(text.encode()))


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON.")
