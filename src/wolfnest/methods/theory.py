"""The parameters of the paper's eleven theorems, as runnable solvers.

Θ and Ω hide constants; they are arguments here, 1 by default. Sizes are rounded up, η and α are
at most 1. All presets use separate gradient batches: the proofs take the batch gradient as
unbiased at the tracked values, which a shared batch is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from wolfnest.common import checks
from wolfnest.common.rounding import round_up
from wolfnest.directions import LMO, AbstractDirection, InnerFrankWolfe
from wolfnest.estimators import AbstractEstimator, Momentum, Snapshot, Storm
from wolfnest.schedules import AbstractSchedule, Constant, doubling, halving
from wolfnest.solver import Solver

Regime = Literal["constant", "large"]


class Constants(NamedTuple):
    """What the theorems are functions of: the target ε, the data, and the hidden constants."""

    eps: float
    m: int
    strong: float
    eps1: float
    eta: float
    alpha: float
    batch: float
    steps: float
    inner: float

    @property
    def stages(self) -> int:
        """`S = ⌈log2(ε_1/ε)⌉`, at least one."""
        return max(1, math.ceil(math.log2(self.eps1 / self.eps) - 1e-12))

    @property
    def root(self) -> float:
        return math.sqrt(self.m)

    def length(self, steps: float) -> int:
        """`T`, whole."""
        return round_up(self.steps * steps)


def theorem(
    n: int,
    eps: float,
    regime: Regime = "constant",
    *,
    m: int | None = None,
    strong_convexity: float | None = None,
    eps1: float = 1.0,
    beta: float = 1.0,
    stagewise: bool = False,
    c_eta: float = 1.0,
    c_alpha: float = 1.0,
    c_batch: float = 1.0,
    c_steps: float = 1.0,
    c_inner: float = 1.0,
) -> tuple[Solver, int]:
    """The solver of Theorem `n` for accuracy `eps`, and the number of steps that goes with it.

    The theorems fix orders of magnitude; the constants depend on the problem. With all of them 1
    a run need not reach `eps`: tune `c_eta`, `c_steps` and the others.

    `m` (samples of the longest finite sum) is needed by Theorems 8–11, `strong_convexity` by 7
    and 11, which set β = λ/2; `beta` is that of Theorems 3, 5 and 9. `stagewise=True` gives the
    parameter-free forms of Theorems 4 and 8 that their remarks describe.

    >>> solver, steps = theorem(1, eps=0.1)
    >>> solver.name, steps, solver.schedule.stages(steps)
    ('PMVR-v1', 1000, [Stage(steps=1000, eta=0.01, alpha=0.01, batch=1)])
    """
    if n not in range(1, 12):
        raise ValueError(f"n must be the number of a theorem, 1 to 11, got {n!r}.")
    checks.choice("regime", regime, ("constant", "large"))
    if n in (4, 5) and regime == "constant":
        raise ValueError(
            f'Theorem {n} has no constant-batch regime: its batch is T. Use regime="large".'
        )
    if stagewise and n not in (4, 8):
        raise ValueError(f"stagewise is for Theorems 4 and 8, got Theorem {n}.")
    if m is None and n >= 8:
        raise ValueError(f"m is needed: Theorem {n} is about finite sums.")
    if strong_convexity is None and n in (7, 11):
        raise ValueError(f"strong_convexity is needed: Theorem {n} is strongly convex.")
    given = Constants(
        eps=_number("eps", eps),
        m=1 if m is None else checks.whole("m", m),
        strong=1.0 if strong_convexity is None else _number("strong_convexity", strong_convexity),
        eps1=_number("eps1", eps1),
        eta=_number("c_eta", c_eta),
        alpha=_number("c_alpha", c_alpha),
        batch=_number("c_batch", c_batch),
        steps=_number("c_steps", c_steps),
        inner=_number("c_inner", c_inner),
    )
    name, schedule, steps, first = (_STAGEWISE if stagewise else _PRESETS)[n, regime](given)
    family, version = name.removeprefix("Sw").split("-")
    inner_beta = given.strong / 2 if n in (7, 11) else _number("beta", beta)
    direction: AbstractDirection = LMO() if version == "v1" else InnerFrankWolfe(inner_beta)
    return Solver(_ESTIMATORS[family], direction, schedule, first, name=name), steps


_ESTIMATORS: dict[str, AbstractEstimator] = {
    "PMVR": Storm(gradient_batch="separate"),
    "PMM": Momentum(gradient_batch="separate"),
    "PMFS": Snapshot(gradient_batch="separate"),
}


def _number(name: str, value: Any) -> float:
    return float(checks.positive(name, value))


# ---- the table of the theorems ---------------------------------------------------------------

Preset = tuple[str, AbstractSchedule, int, int | None]
"""Name of the method, schedule, steps, initial batch."""


def _one_stage(
    c: Constants, name: str, steps: float, *, eta: float, alpha: float, batch: float,
    first: float | None = None, inner: float | None = None,
) -> Preset:  # fmt: skip
    schedule = Constant(
        min(1.0, c.eta * eta),
        min(1.0, c.alpha * alpha),
        round_up(c.batch * batch),
        1 if inner is None else round_up(c.inner * inner),
    )
    start = None if first is None else round_up(c.batch * first)
    return name, schedule, c.length(steps), start


def _doubled(
    c: Constants, name: str, steps: float, *, eta: float, alpha: float, batch: float,
    restart: float | None = None, **exponents: float,
) -> Preset:  # fmt: skip
    """Stages of `T_s = 2^{s-1}` steps; `exponents` are those of `T_s`."""
    again = None if restart is None else c.batch * restart
    schedule = doubling(c.eta * eta, c.alpha * alpha, c.batch * batch, restart=again, **exponents)  # type: ignore[arg-type]
    return name, schedule, c.length(steps), None


def _halved(
    c: Constants, name: str, *, inner: float | None = None, **quantities: tuple[float, float]
) -> Preset:
    """S stages; every quantity `(constant, power)` is `constant · ε_s^power`, `ε_s = ε_1 / 2^s`."""
    scale = {"eta": c.eta, "alpha": c.alpha, "batch": c.batch, "length": c.steps}
    first = {
        key: scale[key] * constant * (c.eps1 / 2) ** power
        for key, (constant, power) in quantities.items()
    }
    powers = {f"{key}_power": power for key, (_, power) in quantities.items()}
    calls = 1 if inner is None else round_up(c.inner * inner)
    schedule = halving(**first, **powers, stages=c.stages, inner=calls)  # type: ignore[arg-type]
    return name, schedule, sum(schedule.stage(s).steps for s in range(c.stages)), None


# One entry per theorem and regime, in the paper's symbols: ε = c.eps, λ = c.strong, √m = c.root.
# Theorem 2 restarts every stage from B_0 samples, which is what its proof bounds. Theorems 4, 5
# and 8 speak of T itself.
_PRESETS: dict[tuple[int, str], Callable[[Constants], Preset]] = {
    (1, "constant"): lambda c: _one_stage(
        c, "PMVR-v1", c.eps**-3, eta=c.eps**2, alpha=c.eps**2, batch=1, first=1 / c.eps
    ),
    (1, "large"): lambda c: _one_stage(
        c, "PMVR-v1", c.eps**-2, eta=c.eps, alpha=c.eps, batch=1 / c.eps, first=1 / c.eps
    ),
    (2, "constant"): lambda c: _doubled(
        c, "SwPMVR-v1", c.eps**-3, eta=1, alpha=1, batch=1, restart=1,
        eta_decay=2 / 3, alpha_decay=2 / 3, restart_growth=1 / 3,
    ),
    (2, "large"): lambda c: _doubled(
        c, "SwPMVR-v1", c.eps**-2, eta=1, alpha=1, batch=1, restart=1,
        eta_decay=1 / 2, alpha_decay=1 / 2, batch_growth=1 / 2, restart_growth=1 / 2,
    ),
    (3, "constant"): lambda c: _one_stage(
        c, "PMVR-v2", c.eps**-1.5, eta=c.eps**0.5, alpha=c.eps, batch=1, first=c.eps**-0.5,
        inner=1 / c.eps,
    ),
    (3, "large"): lambda c: _one_stage(
        c, "PMVR-v2", 1 / c.eps, eta=1, alpha=c.eps**0.5, batch=c.eps**-0.5, first=c.eps**-0.5,
        inner=1 / c.eps,
    ),
    (4, "large"): lambda c: _one_stage(
        c, "PMM-v1", c.eps**-2, eta=c.length(c.eps**-2) ** -0.5, alpha=1 / 2,
        batch=c.length(c.eps**-2), first=1,
    ),
    (5, "large"): lambda c: _one_stage(
        c, "PMM-v2", 1 / c.eps, eta=1, alpha=1 / 2, batch=c.length(1 / c.eps), first=1,
        inner=c.length(1 / c.eps),
    ),
    (6, "constant"): lambda c: _halved(
        c, "SwPMVR-v1", eta=(1, 2), alpha=(1, 2), batch=(1, 0), length=(1, -2)
    ),
    (6, "large"): lambda c: _halved(
        c, "SwPMVR-v1", eta=(1, 1), alpha=(1, 1), batch=(1, -1), length=(1, -1)
    ),
    (7, "constant"): lambda c: _halved(
        c, "SwPMVR-v2", inner=c.strong / c.eps,
        eta=(c.strong, 1), alpha=(c.strong, 1), batch=(1, 0), length=(1 / c.strong, -1),
    ),
    (7, "large"): lambda c: _halved(
        c, "SwPMVR-v2", inner=c.strong / c.eps,
        eta=(c.strong, 0), alpha=(c.strong, 0), batch=(1, -1), length=(1 / c.strong, 0),
    ),
    (8, "constant"): lambda c: _one_stage(
        c, "PMFS-v1", c.root * c.eps**-2, eta=c.m**-0.25 * c.length(c.root * c.eps**-2) ** -0.5,
        alpha=1 / c.m, batch=1,
    ),
    (8, "large"): lambda c: _one_stage(
        c, "PMFS-v1", c.eps**-2, eta=c.length(c.eps**-2) ** -0.5, alpha=1 / c.root, batch=c.root
    ),
    (9, "constant"): lambda c: _one_stage(
        c, "PMFS-v2", c.root / c.eps, eta=1 / c.root, alpha=1 / c.m, batch=1, inner=1 / c.eps
    ),
    (9, "large"): lambda c: _one_stage(
        c, "PMFS-v2", 1 / c.eps, eta=1, alpha=1 / c.root, batch=c.root, inner=1 / c.eps
    ),
    (10, "constant"): lambda c: _halved(
        c, "SwPMFS-v1", eta=(1 / c.root, 1), alpha=(1 / c.m, 0), batch=(1, 0), length=(c.root, -1)
    ),
    (10, "large"): lambda c: _halved(
        c, "SwPMFS-v1", eta=(1, 1), alpha=(1 / c.root, 0), batch=(c.root, 0), length=(1, -1)
    ),
    (11, "constant"): lambda c: _halved(
        c, "SwPMFS-v2", inner=c.strong / c.eps, eta=(c.strong / c.root, 0), alpha=(1 / c.m, 0),
        batch=(1, 0), length=(c.root / c.strong, 0),
    ),
    (11, "large"): lambda c: _halved(
        c, "SwPMFS-v2", inner=c.strong / c.eps, eta=(1, 0), alpha=(1 / (c.strong * c.root), 0),
        batch=(c.root / c.strong, 0), length=(1, 0),
    ),
}  # fmt: skip

# The parameter-free forms that the remarks to Theorems 4 and 8 describe.
_STAGEWISE: dict[tuple[int, str], Callable[[Constants], Preset]] = {
    (4, "large"): lambda c: _doubled(
        c, "SwPMM-v1", c.eps**-2, eta=1, alpha=1 / 2, batch=1,
        eta_decay=1 / 2, alpha_decay=0, batch_growth=1,
    ),
    (8, "constant"): lambda c: _doubled(
        c, "SwPMFS-v1", c.root * c.eps**-2, eta=c.m**-0.25, alpha=1 / c.m, batch=1,
        eta_decay=1 / 2, alpha_decay=0,
    ),
    (8, "large"): lambda c: _doubled(
        c, "SwPMFS-v1", c.eps**-2, eta=1, alpha=1 / c.root, batch=c.root,
        eta_decay=1 / 2, alpha_decay=0,
    ),
}  # fmt: skip
