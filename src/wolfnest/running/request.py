"""What `solve` was asked for, checked and complete."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Literal

from jaxtyping import PRNGKeyArray, PyTree

from wolfnest.objective.problem import Problem
from wolfnest.running import engine, streams
from wolfnest.running.budget import Budget
from wolfnest.running.recording import Criteria
from wolfnest.schedules.stage import Stage
from wolfnest.solver import Solver

Output = Literal["last", "random", "average", "best"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Request:
    """A run as it was asked for; nothing in it changes while the run goes on.

    `reason` says why this solver. `sparse` runs record stages that see a sample at their ends only.
    `patience` is the number of records without progress that exact steps are granted.
    """

    problem: Problem
    solver: Solver
    reason: str
    x0: PyTree
    stages: list[Stage]
    key: PRNGKeyArray
    seeds: int | None
    criteria: Criteria
    record_every: int
    sparse: bool
    patience: int | None
    tol: float | None
    limits: Budget
    output: Output
    callback: Callable[[dict[str, Any]], Any] | None

    @functools.cached_property
    def keys(self) -> PRNGKeyArray:
        """The key of the run, or one for each seed."""
        return streams.seed_keys(self.key, self.seeds)

    @property
    def hands_over_random(self) -> bool:
        """Whether stages leave a random iterate to the next."""
        return self.solver.schedule.handover == "random"

    @functools.cached_property
    def whole(self) -> engine.Run:
        """What the compiled functions need, where they see all data."""
        return engine.Run(
            self.solver.iteration,
            self.problem,
            seeded=self.seeds is not None,
            keep_random=self.hands_over_random or self.output == "random",
            keep_mean=self.output == "average",
        )
