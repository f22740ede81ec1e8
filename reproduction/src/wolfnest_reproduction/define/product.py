"""From experiments to cells: the product of cases, data sets, methods and horizons."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wolfnest.datasets import Returns
from wolfnest_reproduction.define.catalog import BETA, SEPARATE, Experiment, Profile
from wolfnest_reproduction.define.grids import Axis, grid
from wolfnest_reproduction.run.cells import AUTOMATIC, Cell


def cells(
    names: Sequence[str],
    profile: Profile,
    data: Mapping[str, Returns],
    seeds: int | None = None,
    horizon: int | None = None,
) -> list[Cell]:
    """All cells of the named experiments; `seeds` and `horizon` replace those of the profile.

    >>> from wolfnest_reproduction.define.catalog import FULL
    >>> len(cells(["E1"], FULL, {}))
    22
    """
    digests = {name: digest(returns) for name, returns in data.items()}
    return [
        cell
        for name in names
        for cell in _of(profile.experiments[name], profile, digests, seeds, horizon)
    ]


def _of(
    experiment: Experiment,
    profile: Profile,
    digests: Mapping[str, str],
    seeds: int | None,
    horizon: int | None,
) -> Iterator[Cell]:
    for case in experiment.cases:
        for data in [case.data] if case.data else list(digests):
            for shown in experiment.methods:
                for steps in case.horizons if horizon is None else (horizon,):
                    name = None if shown == AUTOMATIC else shown.removesuffix(SEPARATE)
                    yield Cell(
                        experiment=experiment.name,
                        problem=experiment.problem,
                        arguments=dict(case.arguments),
                        data=data,
                        digest=digests.get(data, ""),
                        setting=case.setting,
                        method=shown,
                        name=name,
                        settings=_fixed(shown, experiment.batch, steps),
                        grid=_grid(name, experiment.levels, profile.thin),
                        horizon=steps,
                        batch=experiment.batch,
                        seeds=seeds or case.seeds or experiment.seeds,
                        tuning_seeds=case.tuning_seeds or profile.tuning_seeds,
                        tuning_records=profile.tuning_records,
                        trials=profile.trials,
                        records=profile.records,
                    )


def _fixed(shown: str, batch: int, horizon: int) -> dict[str, Any]:
    """Settings that are not tuned. With separate batches for the gradient, both have half the
    size: as many samples per step as the others."""
    name = shown.removesuffix(SEPARATE)
    if name == AUTOMATIC:
        return {}
    if name == "Nested-SPIDER":  # its own: √m samples, and exact passes
        return {}
    found: dict[str, Any] = {"batch": batch}
    if shown.endswith(SEPARATE):
        found = {"batch": batch // 2, "gradient_batch": "separate"}
    if name.endswith("-v2"):
        found["beta"] = BETA
    if name.startswith("Sw"):
        found["length"] = max(1, horizon // 40)
    return found


def _grid(name: str | None, levels: int, step: int) -> dict[str, Axis]:
    if name is None:
        return {}
    return {key: axis.thinned(step) for key, axis in grid(name, levels).items()}


def digest(returns: Returns) -> str:
    """Of the numbers themselves, wherever they come from."""
    found = hashlib.sha256(repr(returns.shape).encode())
    found.update(returns.values.tobytes())
    return found.hexdigest()[:16]
