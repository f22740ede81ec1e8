"""Cells: one entrant on one problem, to one budget of samples; and all that an experiment has."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wolfnest import methods
from wolfnest.datasets import Returns
from wolfnest.objective.problem import Problem
from wolfnest_reproduction.define import digests
from wolfnest_reproduction.define.entrants import SEPARATE, Entrant
from wolfnest_reproduction.define.experiments import BETA, Case, Experiment, Profile
from wolfnest_reproduction.define.grids import Axis, grid


@dataclasses.dataclass(frozen=True)
class Cell:
    """Everything that determines a result, as plain values.

    `settings` is what is not tuned, `grid` what is. `horizon` counts the steps of methods that take
    one batch per step, and sets the budget of all: `(horizon + 1) · batch` samples per level, the
    start included. `digest` is that of the data.
    """

    experiment: str
    problem: str
    arguments: Mapping[str, Any]
    data: str
    digest: str
    setting: str
    entrant: Entrant
    settings: Mapping[str, Any]
    grid: Mapping[str, Axis]
    horizon: int
    batch: int
    seeds: int
    tuning_seeds: int
    tuning_records: int
    trials: int
    records: int

    @property
    def method(self) -> str:
        """The name that results have it under."""
        return self.entrant.label

    @property
    def work(self) -> str:
        """The same for cells that compute the same: all but the experiment's name."""
        definition = dataclasses.asdict(self)
        del definition["entrant"]
        names = {"experiment": "", "method": self.method, "name": self.entrant.name}
        return digests.of_definition(definition | names)

    @property
    def id(self) -> str:
        return digests.of_definition([self.experiment, self.work])

    @property
    def label(self) -> str:
        parts = (self.experiment, self.data, self.setting, self.method, f"{self.horizon:,}")
        return " · ".join(part for part in parts if part)

    @property
    def program(self) -> tuple[str, ...]:
        """The same for cells that share compiled code: problem and data, then the method."""
        return self.problem, self.data, self.method, str(self.batch)

    def budget(self, problem: Problem) -> int:
        """Samples that a run may use."""
        return (self.horizon + 1) * self.batch * max(1, problem.composition.sampled_levels)


def cells_of(
    names: Sequence[str],
    profile: Profile,
    data: Mapping[str, Returns],
    seeds: int | None = None,
    horizon: int | None = None,
) -> list[Cell]:
    """All cells of the named experiments; `seeds` and `horizon` replace those of the profile.

    >>> from wolfnest_reproduction.define.experiments import FULL
    >>> len(cells_of(["E1"], FULL, {}))
    22
    """
    known = {name: digests.of_returns(returns) for name, returns in data.items()}
    return [
        _cell(experiment, profile, case, table, known.get(table, ""), entrant, steps, seeds)
        for experiment in (profile.experiments[name] for name in names)
        for case in experiment.cases
        for table in ([case.data] if case.data else known)
        for entrant in experiment.entrants
        for steps in (case.horizons if horizon is None else (horizon,))
    ]


def _cell(
    experiment: Experiment,
    profile: Profile,
    case: Case,
    data: str,
    digest: str,
    entrant: Entrant,
    horizon: int,
    seeds: int | None,
) -> Cell:
    axes = {} if entrant.name is None else grid(entrant.name, experiment.levels)
    return Cell(
        experiment=experiment.name,
        problem=experiment.problem,
        arguments=dict(case.arguments),
        data=data,
        digest=digest,
        setting=case.setting,
        entrant=entrant,
        settings=dict(_fixed(entrant, axes, experiment.batch, horizon)),
        grid={key: axis.thinned(profile.thin) for key, axis in axes.items()},
        horizon=horizon,
        batch=experiment.batch,
        seeds=seeds or case.seeds or experiment.seeds,
        tuning_seeds=case.tuning_seeds or profile.tuning_seeds,
        tuning_records=profile.tuning_records,
        trials=profile.trials,
        records=profile.records,
    )


def _fixed(
    entrant: Entrant, axes: Mapping[str, Axis], batch: int, horizon: int
) -> Iterator[tuple[str, Any]]:
    """Settings that are not tuned. With separate batches for the gradient, both have half the
    size: as many samples per step as the others."""
    known = {} if entrant.name is None else methods.settings(entrant.name)
    if known.get("batch") is None:  # a size of its own: √m samples, and exact passes
        return
    if entrant.gradient_batch == SEPARATE:
        yield from {"batch": batch // 2, "gradient_batch": SEPARATE}.items()
    else:
        yield "batch", batch
    if "inner" in axes:
        yield "beta", BETA
    if "length" in known:
        yield "length", max(1, horizon // 40)
