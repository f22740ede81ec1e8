"""Cells: one entrant on one problem, to one budget of samples; and all that an experiment has."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wolfnest import methods
from wolfnest.datasets import Returns
from wolfnest_reproduction.define import digests
from wolfnest_reproduction.define.entrants import SEPARATE, Entrant
from wolfnest_reproduction.define.experiments import Case, Experiment, Profile
from wolfnest_reproduction.define.grids import Axis, grid

BETA = 1.0  # β of inner Frank-Wolfe steps


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
        return " · ".join(filter(None, parts))

    @property
    def program(self) -> tuple[str, ...]:
        """The same for cells that share compiled code: problem and data, then the method."""
        return self.problem, self.data, self.method, str(self.batch)


def cells_of(
    names: Sequence[str], profile: Profile, data: Mapping[str, Returns], **overrides: int
) -> list[Cell]:
    """All cells of the named experiments; `seeds` and `horizon` replace those of the profile.

    >>> from wolfnest_reproduction.define.experiments import FULL
    >>> len(cells_of(["E1"], FULL, {})), len(cells_of(["E1"], FULL, {}, horizon=50))
    (22, 22)
    """
    tables = {name: digests.of_returns(returns) for name, returns in data.items()}
    return [
        cell
        for experiment in (profile.experiments[name] for name in names)
        for case in experiment.cases
        for cell in _of(experiment, case, profile, tables, **overrides)
    ]


def _of(
    experiment: Experiment,
    case: Case,
    profile: Profile,
    tables: Mapping[str, str],
    seeds: int | None = None,
    horizon: int | None = None,
) -> Iterator[Cell]:
    data = [case.data] if case.data else list(tables)
    horizons = case.horizons if horizon is None else (horizon,)
    for table, entrant, steps in itertools.product(data, experiment.entrants, horizons):
        axes = {} if entrant.name is None else grid(entrant.name, experiment.levels)
        yield Cell(
            experiment=experiment.name,
            problem=experiment.problem,
            arguments=dict(case.arguments),
            data=table,
            digest=tables.get(table, ""),
            setting=case.setting,
            entrant=entrant,
            settings=dict(_fixed(entrant, axes, experiment.batch, steps)),
            grid={key: axis.thinned(profile.thin) for key, axis in axes.items()},
            horizon=steps,
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
    if known.get("batch") is None:  # of a size of its own: √m samples, and exact passes
        return
    apart = entrant.gradient_batch == SEPARATE
    yield "batch", batch // 2 if apart else batch
    if apart:
        yield "gradient_batch", SEPARATE
    if "inner" in axes:
        yield "beta", BETA
    if "length" in known:
        yield "length", max(1, horizon // 40)
