"""The parameters of the paper's eleven theorems, as runnable solvers.

Θ and Ω hide constants; they are arguments here, 1 by default. Sizes are rounded up, η and α are
at most 1. All presets use separate gradient batches: the proofs take the batch gradient as
unbiased at the tracked values, which a shared batch is not.
"""

from __future__ import annotations

from typing import Any, Literal

from wolfnest.common import checks
from wolfnest.directions import LMO, AbstractDirection, InnerFrankWolfe
from wolfnest.estimators import AbstractEstimator, Momentum, Snapshot, Storm
from wolfnest.methods.theory_presets import PRESETS, STAGEWISE, Given
from wolfnest.solver import Solver

Regime = Literal["constant", "large"]


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
    given = Given(
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
    name, schedule, steps, first = (STAGEWISE if stagewise else PRESETS)[n, regime](given)
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
