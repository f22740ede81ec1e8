"""The paper's methods by name: each is one expression, estimator × direction × schedule."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

from wolfnest import _checks
from wolfnest.directions import LMO, AbstractDirection, InnerFrankWolfe
from wolfnest.estimators import AbstractEstimator, Momentum, Snapshot, Storm
from wolfnest.schedules import AbstractSchedule, Constant, Stagewise, doubling
from wolfnest.solver import Solver
from wolfnest.stage import weight

Settings = SimpleNamespace


class Method(NamedTuple):
    """An entry of the registry: the parts as functions of the settings, and their defaults."""

    estimator: Callable[[Settings], AbstractEstimator]
    direction: Callable[[Settings], AbstractDirection]
    schedule: Callable[[Settings], AbstractSchedule]
    defaults: Mapping[str, Any]

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
            given.initial_batch,
            name=name,
        )


# ---- parts -----------------------------------------------------------------------------------


def _momentum(s: Settings) -> Momentum:
    return Momentum(pairing=s.pairing, gradient_batch=s.gradient_batch)


def _storm(s: Settings) -> Storm:
    return Storm(pairing=s.pairing, gradient_batch=s.gradient_batch)


def _snapshot(s: Settings) -> Snapshot:
    return Snapshot(period=s.period, pairing=s.pairing, gradient_batch=s.gradient_batch)


def _lmo(s: Settings) -> LMO:
    return LMO()


def _inner(s: Settings) -> InnerFrankWolfe:
    return InnerFrankWolfe(s.beta, s.rule, s.tol)


def _strongly_convex_inner(s: Settings) -> InnerFrankWolfe:
    """β = λ/2 of Theorems 7 and 11, or β itself."""
    if s.strong_convexity is not None and s.beta is not None:
        raise ValueError(
            f"give strong_convexity or beta, got both ({s.strong_convexity!r} and {s.beta!r}): "
            "beta is half the strong convexity."
        )
    beta = 1.0 if s.beta is None else s.beta
    return InnerFrankWolfe(
        beta if s.strong_convexity is None else s.strong_convexity / 2, s.rule, s.tol
    )


def _constant(s: Settings) -> Constant:
    return Constant(s.eta, s.alpha, s.batch, getattr(s, "inner", 1))


def _stages(s: Settings, share: float) -> Stagewise:
    """Doubling stages, where α decays with `share` of the exponent of η unless told otherwise."""
    return doubling(
        weight("eta", s.eta),
        weight("alpha", s.alpha),
        _checks.whole("batch", s.batch),
        _checks.whole("length", s.length),
        growth=s.growth,
        eta_decay=s.decay,
        alpha_decay=share * s.decay if s.alpha_decay is None else s.alpha_decay,
        batch_growth=s.batch_growth,
        inner=getattr(s, "inner", 1),
        restart=s.restart,
        handover=s.handover,
    )


# What α does depends on the family: with STORM it follows η (Theorems 2 and 6); momentum lags
# behind by η/α and so needs a slower α; snapshot methods tie α to the data (Theorem 10).
_storm_stages = functools.partial(_stages, share=1.0)
_momentum_stages = functools.partial(_stages, share=2 / 3)
_snapshot_stages = functools.partial(_stages, share=0.0)


# ---- settings and their defaults -------------------------------------------------------------

_BATCHES = {
    "batch": 128,
    "initial_batch": None,
    "pairing": "paired",
    "gradient_batch": "shared",
}
_PLAIN = {"eta": 0.01, "alpha": 0.1, **_BATCHES}
# η falls as 1/T_s, like ε_s in the convex theorems; decay=2/3 or 1/2 are those of Theorem 2.
_STAGED = {
    "eta": 0.2,
    "alpha": 0.3,
    "length": 10,
    "decay": 1.0,
    "alpha_decay": None,
    "growth": 2.0,
    "batch_growth": 0.0,
    "restart": None,
    "handover": "last",
    **_BATCHES,
}
_V2 = {"inner": 10, "beta": 1.0, "rule": "line-search", "tol": None}
_STRONG = {**_V2, "beta": None, "strong_convexity": None}
_PERIOD = {"period": None}

REGISTRY: dict[str, Method] = {
    "PMVR-v1": Method(_storm, _lmo, _constant, _PLAIN),
    "PMVR-v2": Method(_storm, _inner, _constant, _PLAIN | _V2),
    "PMM-v1": Method(_momentum, _lmo, _constant, _PLAIN),
    "PMM-v2": Method(_momentum, _inner, _constant, _PLAIN | _V2),
    "PMFS-v1": Method(_snapshot, _lmo, _constant, _PLAIN | _PERIOD),
    "PMFS-v2": Method(_snapshot, _inner, _constant, _PLAIN | _PERIOD | _V2),
    "SwPMVR-v1": Method(_storm, _lmo, _storm_stages, _STAGED),
    "SwPMVR-v2": Method(_storm, _strongly_convex_inner, _storm_stages, _STAGED | _STRONG),
    "SwPMM-v1": Method(_momentum, _lmo, _momentum_stages, _STAGED),
    "SwPMFS-v1": Method(_snapshot, _lmo, _snapshot_stages, _STAGED | _PERIOD),
    "SwPMFS-v2": Method(
        _snapshot, _strongly_convex_inner, _snapshot_stages, _STAGED | _PERIOD | _STRONG
    ),
}


def names() -> tuple[str, ...]:
    """The names that `method` knows, in the paper's spelling."""
    return tuple(REGISTRY)


def settings(name: str) -> dict[str, Any]:
    """The settings that a method takes, with their defaults.

    >>> settings("PMVR-v1")["batch"]
    128
    """
    return dict(REGISTRY[_resolve(name)].defaults)


def method(name: str, **settings: Any) -> Solver:
    """A solver by the paper's name, for example "PMVR-v1", "SwPMFS-v1" or "Stage-wise PMM-v1".

    Everywhere: `eta`, `alpha`, `batch`, `initial_batch`, `pairing` ("paired" or "all"),
    `gradient_batch` ("shared" or "separate"). Methods of type v2 add `inner`, `beta`, `rule`
    ("line-search" or "agnostic") and `tol`; PMFS adds `period`. Stage-wise methods take the
    values of the first stage and add its `length`, the `growth` of lengths, the exponents with
    which η shrinks (`decay`) and α (`alpha_decay`) and the batch grows (`batch_growth`) with the
    length of a stage, `restart` (samples from which every stage re-initialises its estimates) and
    `handover`; their v2 forms add `strong_convexity`, in place of `beta`.

    >>> method("PMVR-v2", eta=0.05, inner=20).name
    'PMVR-v2'
    """
    resolved = _resolve(name)
    return REGISTRY[resolved].build(resolved, settings)


def _resolve(name: str) -> str:
    key = _plain_name(name) if isinstance(name, str) else name
    known = {_plain_name(known): known for known in REGISTRY}
    if key not in known:
        raise ValueError(f"unknown method {name!r}; known are {', '.join(REGISTRY)}.")
    return known[key]


def _plain_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower()).replace("stagewise", "sw")
