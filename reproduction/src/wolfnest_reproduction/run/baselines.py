"""The same problems without sampling: Frank-Wolfe on full gradients, and a conic solver.

What a stochastic method is measured against by a user who could also do without.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from wolfnest.sets import Simplex
from wolfnest_reproduction.define.posing import Poser
from wolfnest_reproduction.run import exact_solvers
from wolfnest_reproduction.run.cells import Cell, digest_of
from wolfnest_reproduction.run.exact_solvers import MODELS, Row, conic_solver, frank_wolfe
from wolfnest_reproduction.run.store import Store, write_json

SECONDS = 8.0  # about what one takes


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
        names = [field.name for field in dataclasses.fields(cls)]
        return cls(**{name: getattr(cell, name) for name in names})

    @property
    def id(self) -> str:
        limits = [exact_solvers.TOLERANCE, exact_solvers.MOST_ITERATIONS, exact_solvers.CURVE]
        return digest_of(["baseline", dataclasses.asdict(self), limits])

    @property
    def label(self) -> str:
        parts = (self.experiment, self.data, self.setting, "baselines")
        return " · ".join(part for part in parts if part)

    @property
    def program(self) -> tuple[str, ...]:
        return self.problem, self.data, "baselines"

    def perform(self, store: Store, poser: Poser) -> None:
        """Solve, and store one row per solver."""
        posed = poser(self.problem, self.data, self.arguments)
        rows = [frank_wolfe(posed)]
        if isinstance(posed.problem.domain, Simplex):
            rows.append(frank_wolfe(posed, "PFW"))
        if self.problem in MODELS:
            rows.append(conic_solver(posed, poser.data[self.data], self.problem, self.arguments))
        labels = {name: getattr(self, name) for name in ("experiment", "data", "setting")}
        write_json(store.baseline(self.id), {"rows": [labels | _plain(row) for row in rows]})


def _plain(row: Row) -> Row:
    """As JSON has it: what is not a number is None."""
    missing = lambda value: isinstance(value, float) and not math.isfinite(value)
    return {name: None if missing(value) else value for name, value in row.items()}
