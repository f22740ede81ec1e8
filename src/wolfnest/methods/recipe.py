"""What a named method is: its parts as functions of its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

from wolfnest.directions import AbstractDirection
from wolfnest.estimators import AbstractEstimator
from wolfnest.schedules import AbstractSchedule
from wolfnest.solver import Solver
from wolfnest.stepsizes import AbstractStepSize, Scheduled

Settings = SimpleNamespace


class Recipe(NamedTuple):
    """A method by name: its parts as functions of its settings, and their defaults."""

    estimator: Callable[[Settings], AbstractEstimator]
    direction: Callable[[Settings], AbstractDirection]
    schedule: Callable[[Settings], AbstractSchedule]
    defaults: Mapping[str, Any]
    most_levels: int | None = None
    initial_batch: Callable[[Settings], int | None] = lambda s: getattr(s, "initial_batch", None)
    step_size: Callable[[Settings], AbstractStepSize] = lambda s: Scheduled()

    def build(self, name: str, settings: Mapping[str, Any]) -> Solver:
        unknown = set(settings) - set(self.defaults)
        if unknown:
            raise ValueError(
                f"{name} has no setting {', '.join(sorted(map(repr, unknown)))}; "
                f"it takes {', '.join(self.defaults)}."
            )
        given = SimpleNamespace(**{**self.defaults, **settings})
        return Solver(
            self.estimator(given),
            self.direction(given),
            self.schedule(given),
            self.initial_batch(given),
            name=name,
            most_levels=self.most_levels,
            step_size=self.step_size(given),
        )
