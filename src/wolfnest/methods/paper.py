"""The paper's methods: each is one expression, estimator × direction × schedule."""

from __future__ import annotations

import functools

from wolfnest.common import checks
from wolfnest.directions import LMO, InnerFrankWolfe
from wolfnest.estimators import Momentum, Snapshot, Storm
from wolfnest.methods.recipe import Recipe, Settings
from wolfnest.schedules import Constant, Stagewise, doubling
from wolfnest.schedules.stage import weight

# ---- parts -----------------------------------------------------------------------------------


def momentum(s: Settings) -> Momentum:
    return Momentum(pairing=s.pairing, gradient_batch=s.gradient_batch)


def storm(s: Settings) -> Storm:
    return Storm(pairing=s.pairing, gradient_batch=s.gradient_batch)


def _snapshot(s: Settings) -> Snapshot:
    return Snapshot(period=s.period, pairing=s.pairing, gradient_batch=s.gradient_batch)


def lmo(s: Settings) -> LMO:
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


def constant(s: Settings) -> Constant:
    return Constant(s.eta, s.alpha, s.batch, getattr(s, "inner", 1))


def _stages(s: Settings, share: float) -> Stagewise:
    """Doubling stages, where α decays with `share` of the exponent of η unless told otherwise."""
    return doubling(
        weight("eta", s.eta),
        weight("alpha", s.alpha),
        checks.whole("batch", s.batch),
        checks.whole("length", s.length),
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

BATCHES = {
    "batch": 128,
    "initial_batch": None,
    "pairing": "paired",
    "gradient_batch": "shared",
}
_PLAIN = {"eta": 0.01, "alpha": 0.1, **BATCHES}
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
    **BATCHES,
}
_V2 = {"inner": 10, "beta": 1.0, "rule": "line-search", "tol": None}
_STRONG = {**_V2, "beta": None, "strong_convexity": None}
_PERIOD = {"period": None}

PAPER: dict[str, Recipe] = {
    "PMVR-v1": Recipe(storm, lmo, constant, _PLAIN),
    "PMVR-v2": Recipe(storm, _inner, constant, _PLAIN | _V2),
    "PMM-v1": Recipe(momentum, lmo, constant, _PLAIN),
    "PMM-v2": Recipe(momentum, _inner, constant, _PLAIN | _V2),
    "PMFS-v1": Recipe(_snapshot, lmo, constant, _PLAIN | _PERIOD),
    "PMFS-v2": Recipe(_snapshot, _inner, constant, _PLAIN | _PERIOD | _V2),
    "SwPMVR-v1": Recipe(storm, lmo, _storm_stages, _STAGED),
    "SwPMVR-v2": Recipe(storm, _strongly_convex_inner, _storm_stages, _STAGED | _STRONG),
    "SwPMM-v1": Recipe(momentum, lmo, _momentum_stages, _STAGED),
    "SwPMFS-v1": Recipe(_snapshot, lmo, _snapshot_stages, _STAGED | _PERIOD),
    "SwPMFS-v2": Recipe(
        _snapshot, _strongly_convex_inner, _snapshot_stages, _STAGED | _PERIOD | _STRONG
    ),
}
