"""The experiments as data: problems, entrants, horizons, seeds; and how much of it is run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from wolfnest_reproduction.define.entrants import AUTOMATIC, SEPARATE, Entrant

Entrants = tuple[Entrant, ...]


@dataclasses.dataclass(frozen=True)
class Case:
    """A problem of an experiment: its arguments, and how to run it.

    Without a name for its `data` it is posed on every data set of returns.
    """

    arguments: Mapping[str, Any]
    horizons: tuple[int, ...]
    data: str = ""
    seeds: int | None = None
    tuning_seeds: int | None = None

    @property
    def setting(self) -> str:
        """What results have it under.

        >>> Case({"risk": 0.2}, (400,)).setting
        'λ=0.2'
        """
        return f"λ={self.arguments['risk']:g}" if "risk" in self.arguments else ""


@dataclasses.dataclass(frozen=True)
class Experiment:
    """One of the paper's experiments; `problem` is a function of `wolfnest.problems`.

    >>> EXPERIMENTS["E3"].title, EXPERIMENTS["E3"].seeds
    ('mean-deviation portfolios', 10)
    """

    name: str
    title: str
    problem: str
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


def _entrants(*names: str) -> Entrants:
    return tuple(map(Entrant, names))


def _by_name(*experiments: Experiment) -> dict[str, Experiment]:
    return {each.name: each for each in experiments}


_OURS = _entrants("PMVR-v1", "PMVR-v2", "PMM-v1", "PMM-v2")
_SEPARATE = tuple(Entrant(each.name, SEPARATE) for each in _OURS)
_RIVALS = _entrants("A-TSCGD", "NLASG", "Nested-SPIDER", "SCSC", "SMVR", "LiNASA+ICG")
_STAGED = _entrants("SwPMVR-v1", "SwPMVR-v2", "SwPMM-v1", "SwPMFS-v1", "SwPMFS-v2")
_VARIANTS = (*_OURS, *_entrants("PMFS-v1", "PMFS-v2"), *_STAGED)
_ALL = (*_OURS, *_SEPARATE, AUTOMATIC, *_RIVALS)

# Stage-wise methods pass over all data at every stage: 400 steps would pay for two passes, so the
# variants are compared at 4,000 steps alone. The large matrices take so long that they get fewer
# runs and a shorter horizon.
_MATRICES = (
    Case({"n": 20, "rows": 10_000}, (400,), "20 x 20 (10,000 rows)", tuning_seeds=2),
    Case({"n": 100, "rows": 2_000}, (100,), "100 x 100 (2,000 rows)", seeds=10, tuning_seeds=1),
)
_BOTH, _LONG = Case({"risk": 1.0}, (400, 4_000)), Case({"risk": 1.0}, (4_000,))
_CAREFREE = Case({"risk": 0.2}, (400,))

_SINGLE_INDEX = ("matrix single-index regression", "matrix_single_index", _MATRICES)
_VARIANCE = ("mean-variance portfolios", "mean_variance", (_BOTH, _CAREFREE))
_DEVIATION = ("mean-deviation portfolios", "mean_deviation", (_BOTH,))
_LARGE = ("variants of the method, batches of 128", "mean_variance", (_LONG,))
_SMALL = ("variants of the method, batches of 32", "mean_variance", (_LONG,))
EXPERIMENTS = _by_name(
    Experiment("E1", *_SINGLE_INDEX, (*_OURS, AUTOMATIC, *_RIVALS), levels=1),
    Experiment("E2", *_VARIANCE, _ALL),
    Experiment("E3", *_DEVIATION, _ALL, seeds=10, levels=3),
    Experiment("E4", *_LARGE, (*_VARIANTS, *_SEPARATE, AUTOMATIC)),
    Experiment("E5", *_SMALL, (*_VARIANTS, *_SEPARATE[::2], AUTOMATIC), batch=32),
)
FULL = Profile("full", EXPERIMENTS, tuning_seeds=3, trials=36)


def _smaller(name: str, case: Case, *entrants: Entrant) -> Experiment:
    return dataclasses.replace(EXPERIMENTS[name], entrants=entrants, cases=(case,), seeds=5)


_MATRIX = Case({"n": 20, "rows": 1_000}, (100,), "20 x 20 (1,000 rows)")
_SHORT, _LONGER = Case({"risk": 1.0}, (400,)), Case({"risk": 1.0}, (2_000,))
_FEW = _entrants("PMVR-v1", "PMM-v1", "PMFS-v1", "SwPMVR-v1", "SwPMFS-v1")
_PAIR = _entrants("NLASG", "SCSC")
QUICK = Profile(
    "quick",
    _by_name(
        _smaller("E1", _MATRIX, *_entrants("PMVR-v1", "PMVR-v2", "SCSC")),
        _smaller("E2", _SHORT, *_OURS, Entrant("PMVR-v2", SEPARATE), AUTOMATIC, *_PAIR),
        _smaller("E3", _SHORT, *_entrants("PMVR-v1", "PMVR-v2"), *_PAIR),
        _smaller("E4", _LONGER, *_FEW),
        _smaller("E5", _LONGER, *_FEW[:2]),
    ),
    tuning_seeds=1,
    trials=11,
    thin=2,
    data_sets=1,
    records=20,
    tuning_records=5,
)
PROFILES = {profile.name: profile for profile in (QUICK, FULL)}
