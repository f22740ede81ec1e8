"""The folder of results: one table and one description per cell, written whole or not at all."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from wolfnest.common import files

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
        self.info = self.folder / "run.json"
        self.baselines = self.folder / "baselines.parquet"

    def prepare(self) -> None:
        """Make the folders, and remove what a killed run left half written."""
        for name in ("cells", "baselines", "failures"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
            files.remove_leftovers(self.folder / name)

    def table(self, id: str) -> Path:
        return self.folder / "cells" / f"{id}.parquet"

    def facts(self, id: str) -> Path:
        return self.folder / "cells" / f"{id}.json"

    def baseline(self, id: str) -> Path:
        return self.folder / "baselines" / f"{id}.json"

    def failure(self, id: str) -> Path:
        return self.folder / "failures" / f"{id}.json"

    def finished(self, id: str) -> bool:
        return self.facts(id).exists() and self.table(id).exists()

    def save(self, id: str, columns: Any, facts: dict[str, Any]) -> None:
        _write_table(self.table(id), columns, COLUMNS)
        write_json(self.facts(id), facts)

    def save_baseline(self, id: str, rows: list[dict[str, Any]]) -> None:
        write_json(self.baseline(id), {"rows": rows})

    def copy(self, id: str, experiment: str, work_of: str) -> None:
        """The results of a cell that did the same work, under the name of another experiment."""
        table = pd.read_parquet(self.table(work_of)).assign(experiment=experiment)
        changes = {"id": id, "experiment": experiment, "same_as": work_of, "cost": 0.0}
        self.save(id, table, read_json(self.facts(work_of)) | changes)

    def gather_baselines(self, ids: Iterable[str]) -> None:
        """All rows of the baselines in one table; the curves as JSON."""
        found = (read_json(self.baseline(id)) for id in ids if self.baseline(id).exists())
        rows = [row for each in found for row in each["rows"]]
        for row in rows:
            row |= {"curve": json.dumps(row["curve"])} if "curve" in row else {}
        numbers = dict.fromkeys(BASELINE_NUMBERS, float)  # None becomes NaN
        _write_table(self.baselines, rows, BASELINE_COLUMNS, numbers)

    def failures(self, info: dict[str, Any]) -> list[dict[str, str]]:
        """What failed and was not done since, also of a run that was stopped."""
        found = {failed["id"]: failed for failed in info.get("failures") or ()}
        for id in (*info.get("cells", ()), *info.get("baselines", ())):
            if self.failure(id).exists():
                found[id] = read_json(self.failure(id))
        return list(found.values())


def load(folder: str | Path) -> Results:
    """The results in a folder, as far as they are there: those of its latest run."""
    store = Store(folder)
    if not store.info.exists():
        raise FileNotFoundError(
            f"there are no results in {store.folder}: it has no run.json. Make them with "
            "'wolfnest reproduce --out FOLDER', or name another folder."
        )
    info = read_json(store.info)
    info["failures"] = store.failures(info)
    ids = [id for id in info["cells"] if store.finished(id)]
    return Results(
        _tables(map(store.table, ids), COLUMNS),
        pd.DataFrame([read_json(store.facts(id)) for id in ids]),
        _tables(filter(Path.exists, [store.baselines]), BASELINE_COLUMNS),
        info,
        store.folder,
    )


def _tables(paths: Iterable[Path], columns: tuple[str, ...]) -> pd.DataFrame:
    """All of them below each other; without any, an empty one."""
    found = [pd.read_parquet(path) for path in paths]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=list(columns))


def _write_table(path: Path, rows: Any, columns: tuple[str, ...], types: Any = None) -> None:
    frame = pd.DataFrame(rows, columns=list(columns)).astype(types or {})
    with files.replacing(path) as file:
        frame.to_parquet(file, index=False)


def write_json(path: Path, value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False, default=_plain)
    files.store(path, text)


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON.")
