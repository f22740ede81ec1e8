"""The methods that the paper's are compared with, each with the schedule of its own paper.

Those for one level are defined for K = 1 alone. Sizes that are None follow the data or the number
of steps, as the default of their own paper has it. SCSC and SMVR have constants here, as in the
experiments: the decaying rates of their papers are in terms of constants of the problem.
"""

from __future__ import annotations

from typing import Any

from wolfnest.common import checks
from wolfnest.directions import (
    DecayingProjected,
    InnerFrankWolfe,
    NonconvexSliding,
    NormalisedProjected,
    Projected,
    Sliding,
)
from wolfnest.estimators import (
    Extrapolated,
    Linearised,
    Momentum,
    NestedSpider,
    Spider,
    Storm,
    StormJacobians,
    StormValues,
    Svrg,
)
from wolfnest.methods.paper import BATCHES, lmo
from wolfnest.methods.recipe import Recipe, Settings
from wolfnest.schedules import (
    AbstractSchedule,
    Constant,
    DataPower,
    Decaying,
    GrowingBatch,
    GrowingEpochs,
    Power,
)
from wolfnest.schedules.stage import weight

# ---- estimators ------------------------------------------------------------------------------


def _extrapolated(s: Settings) -> Extrapolated:
    return Extrapolated(
        scale=checks.positive("alpha", s.alpha),
        shift=_shift(s),
        pairing=s.pairing,
        gradient_batch=s.gradient_batch,
    )


def _spider(s: Settings) -> Spider:
    if s.regime == "convex" and s.epoch is not None:
        raise ValueError(
            f'epoch is for regime="nonconvex", got {s.epoch!r}: convex epochs double in length.'
        )
    # Convex epochs are stages: no epoch ends within one.
    epoch = s.epoch if s.regime == "nonconvex" else _NEVER
    return Spider(epoch=epoch, large_batch=s.large_batch)


def _linearised(s: Settings) -> Linearised:
    return Linearised(pairing=s.pairing, gradient_batch=s.gradient_batch)


def _batch_gradient(s: Settings) -> Momentum:
    """With α = 1: nothing is tracked, the estimate is the mean of the batch."""
    return Momentum()


# ---- directions ------------------------------------------------------------------------------


def _projected(s: Settings) -> Projected:
    return Projected(1 / checks.positive("lr", s.lr))


def _growing_inner(s: Settings) -> InnerFrankWolfe:
    growth = float(checks.non_negative("inner_growth", s.inner_growth))
    return InnerFrankWolfe(s.beta, "agnostic", growth=growth)


def _inexact_prox(s: Settings) -> InnerFrankWolfe:
    return InnerFrankWolfe(2 * checks.positive("smoothness", s.smoothness), "agnostic", s.tol)


# ---- schedules -------------------------------------------------------------------------------


def _tracked(s: Settings) -> Constant:
    return Constant(1.0, s.alpha, s.batch)


def _averaged(s: Settings) -> AbstractSchedule:
    """η = α = τ, by default 1/√T."""
    inner = getattr(s, "inner", 1)
    if s.tau is not None:
        tau = weight("tau", s.tau)
        return Constant(tau, tau, s.batch, inner)
    root = Power(1.0, horizon=0.5)
    return Decaying(root, root, s.batch, inner=inner)


def _one_sample(s: Settings) -> Decaying:
    """η_t and ρ_{t+1}: the step from t moves, then estimates for t + 1."""
    convex = _regime(s, "convex", "nonconvex") == "convex"
    eta = Power(1.0, 1.0, shift=1) if convex else Power(1.0, horizon=2 / 3)
    rho = Power(1.0, 1.0, shift=2) if convex else Power(1.0, 2 / 3, shift=1)
    return Decaying(_given("eta", s.eta, eta), _given("rho", s.rho, rho), s.batch)


def _epochs(s: Settings) -> AbstractSchedule:
    if _regime(s, "convex", "nonconvex") == "nonconvex":
        return _root_steps(s, 1 / 2)
    if s.eta is not None:
        raise ValueError(f'eta is for regime="nonconvex", got {s.eta!r}: convex steps are set.')
    factor = 1 if s.batch is None else checks.whole("batch", s.batch)
    return GrowingEpochs(factor, s.large_batch)


def _root_steps(s: Settings, power: float) -> Decaying:
    """η = T^-1/2 and batches of m^power, unless given."""
    eta = _given("eta", s.eta, Power(1.0, horizon=0.5))
    return Decaying(eta, Power(1.0), _batch(s, power))


def _horizon_tolerance(s: Settings, share: float) -> Decaying:
    """tol = share/T, unless given."""
    tol = Power(share, horizon=1.0) if s.tol is None else None
    return Decaying(Power(1.0), Power(1.0), s.batch, inner=s.inner, tol=tol)


def _growing(s: Settings) -> GrowingBatch:
    growth = float(checks.non_negative("batch_growth", s.batch_growth))
    return GrowingBatch(s.batch, growth, s.most_batch, s.inner)


def _batch(s: Settings, power: float) -> int | DataPower:
    """The given one, or a power of what an epoch starts from: `large_batch`, or the data."""
    if s.batch is not None:
        return s.batch
    large = getattr(s, "large_batch", None)
    follows = DataPower(power)
    return follows if large is None else follows.of(checks.whole("large_batch", large))


def _given(name: str, value: Any, otherwise: Power) -> Power:
    return otherwise if value is None else Power(weight(name, value))


def _regime(s: Settings, *options: str) -> str:
    return checks.choice("regime", s.regime, options)


def _shift(s: Settings) -> int:
    return 7 if _regime(s, "nonconvex", "strongly-convex") == "nonconvex" else 3


# ---- the methods -----------------------------------------------------------------------------

# Longer than any stage.
_NEVER = checks.MOST

_LEARNING = {"lr": 0.01, "alpha": 0.1}
_SHARED = {"batch": 128, "initial_batch": None, "gradient_batch": "shared"}
_LARGE = {"batch": None, "epoch": None, "large_batch": None}
_PLAIN = {"batch": 128, "initial_batch": None}
_PROX = {"smoothness": 1.0, "tol": None, "inner": 100}

RIVALS: dict[str, Recipe] = {
    "A-TSCGD": Recipe(
        _extrapolated,
        lambda s: DecayingProjected(s.lr, _shift(s)),
        lambda s: Constant(1.0, 1.0, s.batch),  # the direction says how far to go
        {"lr": 1.0, "alpha": 1.0, "regime": "nonconvex", **BATCHES},
    ),
    "NLASG": Recipe(
        _linearised,
        lambda s: Projected(s.beta),
        _averaged,
        {"tau": None, "beta": 1.0, **BATCHES},
    ),
    "LiNASA+ICG": Recipe(
        _linearised,
        _growing_inner,
        _averaged,
        {"tau": None, "beta": 1.0, "inner": 1, "inner_growth": 0.5, **BATCHES},
    ),
    "SCSC": Recipe(
        lambda s: StormValues(pairing=s.pairing, gradient_batch=s.gradient_batch),
        _projected,
        _tracked,
        _LEARNING | BATCHES,
    ),
    "SMVR": Recipe(
        lambda s: StormJacobians(clip=s.clip, gradient_batch=s.gradient_batch),
        _projected,
        _tracked,
        _LEARNING | {"clip": None} | _SHARED,
    ),
    "Nested-SPIDER": Recipe(
        lambda s: NestedSpider(epoch=s.epoch, large_batch=s.large_batch),
        lambda s: NormalisedProjected(s.lr, s.eps),
        lambda s: Decaying(Power(1.0), Power(1.0), _batch(s, 1 / 2)),
        {"lr": 0.01, "eps": 1.0, **_LARGE},
    ),
    "1-SFW": Recipe(
        lambda s: Storm(),
        lmo,
        _one_sample,
        {"regime": "convex", "eta": None, "rho": None, "batch": 1, "initial_batch": None},
        most_levels=1,
    ),
    "SPIDER-FW": Recipe(
        _spider, lmo, _epochs, {"regime": "convex", "eta": None, **_LARGE}, most_levels=1
    ),
    "SVFW": Recipe(
        lambda s: Svrg(epoch=s.epoch),
        lmo,
        lambda s: _root_steps(s, 2 / 3),
        {"eta": None, "batch": None, "epoch": None},
        most_levels=1,
    ),
    "NCGS": Recipe(
        _batch_gradient,
        lambda s: NonconvexSliding(s.smoothness, 0.0 if s.tol is None else s.tol),
        lambda s: _horizon_tolerance(s, 1.0),
        _PROX | _PLAIN,
        most_levels=1,
    ),
    "SGD+ICG": Recipe(
        _batch_gradient,
        _inexact_prox,
        lambda s: _horizon_tolerance(s, 1 / 4),
        _PROX | _PLAIN,
        most_levels=1,
    ),
    "SCGS": Recipe(
        _batch_gradient,
        lambda s: Sliding(s.smoothness),
        _growing,
        {"smoothness": 1.0, "inner": 100, "batch": 1, "batch_growth": 3.0, "most_batch": None},
        most_levels=1,
        initial_batch=lambda s: s.batch,
    ),
}
