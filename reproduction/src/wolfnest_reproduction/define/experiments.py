"""The experiments as data: problems, methods, horizons, seeds; and how much of it is run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from wolfnest_reproduction.define.entrants import AUTOMATIC, SEPARATE, Entrant

Entrants = tuple[Entrant, ...]


def _named(*names: str) -> Entrants:
    return tuple(map(Entrant, names))


_OURS = _named("PMVR-v1", "PMVR-v2", "PMM-v1", "PMM-v2")
_RIVALS = _named("A-TSCGD", "NLASG", "Nested-SPIDER", "SCSC", "SMVR", "LiNASA+ICG")
_SEPARATE = tuple(each.with_batches(SEPARATE) for each in _OURS)
_STAGED = _named("SwPMVR-v1", "SwPMVR-v2", "SwPMM-v1", "SwPMFS-v1", "SwPMFS-v2")
_VARIANTS = (*_named("PMFS-v1", "PMFS-v2"), *_STAGED)
BETA = 1.0  # β of inner Frank-Wolfe steps


@dataclasses.dataclass(frozen=True)
class Case:
    """A problem of an experiment: its arguments, and how to run it.

    Without a name for its `data` it is posed on every data set of returns.
    """

    setting: str
    arguments: Mapping[str, Any]
    horizons: tuple[int, ...]
    data: str = ""
    seeds: int | None = None
    tuning_seeds: int | None = None


@dataclasses.dataclass(frozen=True)
class Experiment:
    """One of the paper's experiments.

    >>> EXPERIMENTS["E3"].title, EXPERIMENTS["E3"].seeds
    ('mean-deviation portfolios', 10)
    """

    name: str
    title: str
    problem: str
    """A function of `wolfnest.problems`."""
    cases: tuple[Case, ...]
    entrants: Entrants
    batch: int = 128
    seeds: int = 50
    levels: int = 2


@dataclasses.dataclass(frozen=True)
class Profile:
    """How much of it is run."""

    name: str
    experiments: Mapping[str, Experiment]
    tuning_seeds: int
    trials: int
    """Settings that are tried for every method."""
    thin: int = 1
    """Every how many-th value of the paper's grids is tried."""
    data_sets: int | None = None
    """At most so many sets of returns; None is all there are."""
    records: int = 40
    tuning_records: int = 10


# Stage-wise methods pass over all data at every stage: 400 steps would pay for two passes, so the
# variants are compared at 4,000 steps alone. The large matrices take so long that they get fewer
# runs and a shorter horizon.
_MATRICES = (
    Case("", {"n": 20, "rows": 10_000}, (400,), data="20 x 20 (10,000 rows)", tuning_seeds=2),
    Case(
        "",
        {"n": 100, "rows": 2_000},
        (100,),
        data="100 x 100 (2,000 rows)",
        seeds=10,
        tuning_seeds=1,
    ),
)
_VARIANT_CASES = (Case("λ=1", {"risk": 1.0}, (4_000,)),)

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for each in (
        Experiment(
            "E1",
            "matrix single-index regression",
            "matrix_single_index",
            _MATRICES,
            (*_OURS, AUTOMATIC, *_RIVALS),
            levels=1,
        ),
        Experiment(
            "E2",
            "mean-variance portfolios",
            "mean_variance",
            (Case("λ=1", {"risk": 1.0}, (400, 4_000)), Case("λ=0.2", {"risk": 0.2}, (400,))),
            (*_OURS, *_SEPARATE, AUTOMATIC, *_RIVALS),
        ),
        Experiment(
            "E3",
            "mean-deviation portfolios",
            "mean_deviation",
            (Case("λ=1", {"risk": 1.0}, (400, 4_000)),),
            (*_OURS, *_SEPARATE, AUTOMATIC, *_RIVALS),
            seeds=10,
            levels=3,
        ),
        Experiment(
            "E4",
            "variants of the method, batches of 128",
            "mean_variance",
            _VARIANT_CASES,
            (*_OURS, *_VARIANTS, *_SEPARATE, AUTOMATIC),
        ),
        Experiment(
            "E5",
            "variants of the method, batches of 32",
            "mean_variance",
            _VARIANT_CASES,
            (*_OURS, *_VARIANTS, *_SEPARATE[::2], AUTOMATIC),
            batch=32,
        ),
    )
}

FULL = Profile("full", EXPERIMENTS, tuning_seeds=3, trials=36)


def _smaller(name: str, entrants: Entrants, case: Case) -> Experiment:
    return dataclasses.replace(EXPERIMENTS[name], entrants=entrants, cases=(case,), seeds=5)


_SHORT = Case("λ=1", {"risk": 1.0}, (400,))
_LONGER = Case("λ=1", {"risk": 1.0}, (2_000,))
_SMALL_MATRIX = Case("", {"n": 20, "rows": 1_000}, (100,), data="20 x 20 (1,000 rows)")
QUICK = Profile(
    "quick",
    {
        each.name: each
        for each in (
            _smaller("E1", _named("PMVR-v1", "PMVR-v2", "SCSC"), _SMALL_MATRIX),
            _smaller(
                "E2",
                (*_OURS, Entrant("PMVR-v2", SEPARATE), AUTOMATIC, *_named("NLASG", "SCSC")),
                _SHORT,
            ),
            _smaller("E3", _named("PMVR-v1", "PMVR-v2", "NLASG", "SCSC"), _SHORT),
            _smaller(
                "E4",
                _named("PMVR-v1", "PMM-v1", "PMFS-v1", "SwPMVR-v1", "SwPMFS-v1"),
                _LONGER,
            ),
            _smaller("E5", _named("PMVR-v1", "PMM-v1"), _LONGER),
        )
    },
    tuning_seeds=1,
    trials=11,
    thin=2,
    data_sets=1,
    records=20,
    tuning_records=5,
)
PROFILES = {profile.name: profile for profile in (QUICK, FULL)}
