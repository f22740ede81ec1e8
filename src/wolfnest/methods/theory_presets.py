"""The schedules of the theorems: one entry per theorem and regime, in the paper's symbols."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from wolfnest.common.rounding import round_up
from wolfnest.schedules import AbstractSchedule, Constant, doubling, halving


class Given(NamedTuple):
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


Preset = tuple[str, AbstractSchedule, int, int | None]
"""Name of the method, schedule, steps, initial batch."""


def _one_stage(
    c: Given, name: str, steps: float, *, eta: float, alpha: float, batch: float,
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
    c: Given, name: str, steps: float, *, eta: float, alpha: float, batch: float,
    restart: float | None = None, **exponents: float,
) -> Preset:  # fmt: skip
    """Stages of `T_s = 2^{s-1}` steps; `exponents` are those of `T_s`."""
    again = None if restart is None else c.batch * restart
    schedule = doubling(c.eta * eta, c.alpha * alpha, c.batch * batch, restart=again, **exponents)  # type: ignore[arg-type]
    return name, schedule, c.length(steps), None


def _halved(
    c: Given, name: str, *, inner: float | None = None, **quantities: tuple[float, float]
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
PRESETS: dict[tuple[int, str], Callable[[Given], Preset]] = {
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
STAGEWISE: dict[tuple[int, str], Callable[[Given], Preset]] = {
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
