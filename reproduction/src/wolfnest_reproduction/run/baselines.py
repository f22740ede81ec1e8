"""The same problems without sampling, which is what a user could also do."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from wolfnest.sets import Simplex
from wolfnest_reproduction.define import digests
from wolfnest_reproduction.define.cells import Cell
from wolfnest_reproduction.define.posing import Poser
from wolfnest_reproduction.run import exact_solvers
from wolfnest_reproduction.run.exact_solvers import MODELS, Row, conic_solver, frank_wolfe


@dataclasses.dataclass(frozen=True)
class Baseline:
    """A problem of an experiment, to be solved exactly."""

    experiment: str
    problem: str
    arguments: Mapping[str, Any]
    data: str
    digest: str
    setting: str

    @classmethod
    def of(cls, cell: Cell) -> Baseline:
        return cls(**{field.name: getattr(cell, field.name) for field in dataclasses.fields(cls)})

    @property
    def id(self) -> str:
        limits = [exact_solvers.TOLERANCE, exact_solvers.MOST_ITERATIONS, exact_solvers.CURVE]
        return digests.of_definition(["baseline", dataclasses.asdict(self), limits])

    @property
    def label(self) -> str:
        parts = (self.experiment, self.data, self.setting, "baselines")
        return " · ".join(part for part in parts if part)

    @property
    def program(self) -> tuple[str, ...]:
        return self.problem, self.data, "baselines"


def solve(baseline: Baseline, poser: Poser) -> list[Row]:
    """One row per solver, as JSON has it: what is not a number is None."""
    posed = poser(baseline.problem, baseline.data, baseline.arguments)
    rows = [frank_wolfe(posed)]
    if isinstance(posed.problem.domain, Simplex):
        rows.append(frank_wolfe(posed, "PFW"))
    if baseline.problem in MODELS:
        returns = poser.data[baseline.data]
        rows.append(conic_solver(posed, returns, baseline.problem, baseline.arguments))
    where = {name: getattr(baseline, name) for name in ("experiment", "data", "setting")}
    missing = lambda value: isinstance(value, float) and not math.isfinite(value)
    plain = lambda row: {key: None if missing(value) else value for key, value in row.items()}
    return [where | plain(row) for row in rows]
