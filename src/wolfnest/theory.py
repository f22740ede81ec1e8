"""The parameters of the paper's eleven theorems, as runnable solvers.

Θ and Ω hide constants; they are arguments here, 1 by default. Sizes are rounded up, η and α are
at most 1. All presets use separate gradient batches: the proofs take the batch gradient as
unbiased at the tracked values, which a shared batch is not.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

from wolfnest import _checks
from wolfnest.directions import LMO, AbstractDirection, InnerFrankWolfe
from wolfnest.estimators import AbstractEstimator, Momentum, Snapshot, Storm
from wolfnest.schedules import AbstractSchedule, Constant, doubling, halving, round_up
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

    def length(self, steps: float) -> int:
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
    if n not in _THEOREMS:
        raise ValueError(f"n must be the number of a theorem, 1 to 11, got {n!r}.")
    _checks.choice("regime", regime, ("constant", "large"))
    if n in (4, 5) and regime == "constant":
        raise ValueError(
            f'Theorem {n} has no constant-batch regime: its batch is T. Use regime="large".'
        )
    if stagewise and n not in (4, 8):
        raise ValueError(f"stagewise is for Theorems 4 and 8, got Theorem {n}.")
    given = Constants(
        eps=_number("eps", eps),
        m=_needed(m, n >= 8, "m", f"Theorem {n} is about finite sums"),
        strong=_needed(
            strong_convexity, n in (7, 11), "strong_convexity", f"Theorem {n} is strongly convex"
        ),
        eps1=_number("eps1", eps1),
        eta=_number("c_eta", c_eta),
        alpha=_number("c_alpha", c_alpha),
        batch=_number("c_batch", c_batch),
        steps=_number("c_steps", c_steps),
        inner=_number("c_inner", c_inner),
    )
    name, schedule, steps, first = _THEOREMS[n](given, regime == "large", stagewise)
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
    return float(_checks.positive(name, value))


def _needed(value: Any, needed: bool, name: str, why: str) -> Any:
    if not needed:
        return 1
    if value is None:
        raise ValueError(f"{name} is needed: {why}.")
    return _checks.whole("m", value) if name == "m" else _number(name, value)


# ---- the theorems: (name, schedule, steps, initial batch) ------------------------------------

Preset = tuple[str, AbstractSchedule, int, int | None]


def _one_stage(
    c: Constants, name: str, steps: int, *, eta: float, alpha: float, batch: float,
    first: float | None = None, inner: float | None = None,
) -> Preset:  # fmt: skip
    schedule = Constant(
        min(1.0, c.eta * eta),
        min(1.0, c.alpha * alpha),
        round_up(c.batch * batch),
        1 if inner is None else round_up(c.inner * inner),
    )
    return name, schedule, steps, None if first is None else round_up(c.batch * first)


def _theorem_1(c: Constants, large: bool, _: bool) -> Preset:
    e = c.eps
    if large:
        return _one_stage(c, "PMVR-v1", c.length(e**-2), eta=e, alpha=e, batch=1 / e, first=1 / e)
    return _one_stage(c, "PMVR-v1", c.length(e**-3), eta=e**2, alpha=e**2, batch=1, first=1 / e)


def _parameter_free(
    c: Constants, name: str, steps: int, eta: float, alpha: float, batch: float, **growth: float
) -> Preset:
    """Stages of `T_s = 2^{s-1}` steps."""
    schedule = doubling(c.eta * eta, c.alpha * alpha, c.batch * batch, **growth)  # type: ignore[arg-type]
    return name, schedule, steps, None


def _theorem_2(c: Constants, large: bool, _: bool) -> Preset:
    """Every stage restarts from `B_0^s` samples, which is what the proof bounds."""
    decay, batches, restarts = (1 / 2, 1 / 2, 1 / 2) if large else (2 / 3, 0, 1 / 3)
    return _parameter_free(
        c, "SwPMVR-v1", c.length(c.eps ** (-2 if large else -3)), 1, 1, 1,
        eta_decay=decay, alpha_decay=decay, batch_growth=batches,
        restart=c.batch, restart_growth=restarts,
    )  # fmt: skip


def _theorem_3(c: Constants, large: bool, _: bool) -> Preset:
    e, root = c.eps, c.eps**0.5
    start = {"first": 1 / root, "inner": 1 / e}
    if large:
        return _one_stage(c, "PMVR-v2", c.length(1 / e), eta=1, alpha=root, batch=1 / root, **start)
    return _one_stage(c, "PMVR-v2", c.length(e**-1.5), eta=root, alpha=e, batch=1, **start)


def _theorem_4(c: Constants, _: bool, stagewise: bool) -> Preset:
    steps = c.length(c.eps**-2)
    if stagewise:
        return _parameter_free(
            c, "SwPMM-v1", steps, 1, 0.5, 1, eta_decay=0.5, alpha_decay=0, batch_growth=1
        )
    return _one_stage(c, "PMM-v1", steps, eta=steps**-0.5, alpha=0.5, batch=steps, first=1)


def _theorem_5(c: Constants, _: bool, __: bool) -> Preset:
    steps = c.length(1 / c.eps)
    return _one_stage(c, "PMM-v2", steps, eta=1, alpha=0.5, batch=steps, first=1, inner=steps)


def _halved(
    c: Constants, name: str, inner: float | None = None, **quantities: tuple[float, float]
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


def _theorem_6(c: Constants, large: bool, _: bool) -> Preset:
    if large:
        return _halved(c, "SwPMVR-v1", eta=(1, 1), alpha=(1, 1), batch=(1, -1), length=(1, -1))
    return _halved(c, "SwPMVR-v1", eta=(1, 2), alpha=(1, 2), batch=(1, 0), length=(1, -2))


def _theorem_7(c: Constants, large: bool, _: bool) -> Preset:
    strong, inner = c.strong, c.strong / c.eps
    if large:
        return _halved(
            c, "SwPMVR-v2", inner,
            eta=(strong, 0), alpha=(strong, 0), batch=(1, -1), length=(1 / strong, 0),
        )  # fmt: skip
    return _halved(
        c, "SwPMVR-v2", inner,
        eta=(strong, 1), alpha=(strong, 1), batch=(1, 0), length=(1 / strong, -1),
    )  # fmt: skip


def _theorem_8(c: Constants, large: bool, stagewise: bool) -> Preset:
    root = math.sqrt(c.m)
    batch, alpha = (root, 1 / root) if large else (1, 1 / c.m)
    steps = c.length((1 if large else root) * c.eps**-2)
    scale = 1 if large else c.m**-0.25
    if stagewise:
        return _parameter_free(
            c, "SwPMFS-v1", steps, scale, alpha, batch, eta_decay=0.5, alpha_decay=0
        )
    return _one_stage(c, "PMFS-v1", steps, eta=scale * steps**-0.5, alpha=alpha, batch=batch)


def _theorem_9(c: Constants, large: bool, _: bool) -> Preset:
    root, inner = math.sqrt(c.m), 1 / c.eps
    if large:
        return _one_stage(
            c, "PMFS-v2", c.length(1 / c.eps), eta=1, alpha=1 / root, batch=root, inner=inner
        )
    return _one_stage(
        c, "PMFS-v2", c.length(root / c.eps), eta=1 / root, alpha=1 / c.m, batch=1, inner=inner
    )


def _theorem_10(c: Constants, large: bool, _: bool) -> Preset:
    root = math.sqrt(c.m)
    if large:
        return _halved(
            c, "SwPMFS-v1", eta=(1, 1), alpha=(1 / root, 0), batch=(root, 0), length=(1, -1)
        )
    return _halved(
        c, "SwPMFS-v1", eta=(1 / root, 1), alpha=(1 / c.m, 0), batch=(1, 0), length=(root, -1)
    )


def _theorem_11(c: Constants, large: bool, _: bool) -> Preset:
    root, strong, inner = math.sqrt(c.m), c.strong, c.strong / c.eps
    if large:
        return _halved(
            c, "SwPMFS-v2", inner,
            eta=(1, 0), alpha=(1 / (strong * root), 0), batch=(root / strong, 0), length=(1, 0),
        )  # fmt: skip
    return _halved(
        c, "SwPMFS-v2", inner,
        eta=(strong / root, 0), alpha=(1 / c.m, 0), batch=(1, 0), length=(root / strong, 0),
    )  # fmt: skip


_THEOREMS = {
    1: _theorem_1,
    2: _theorem_2,
    3: _theorem_3,
    4: _theorem_4,
    5: _theorem_5,
    6: _theorem_6,
    7: _theorem_7,
    8: _theorem_8,
    9: _theorem_9,
    10: _theorem_10,
    11: _theorem_11,
}
