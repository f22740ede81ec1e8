"""Frank-Wolfe methods on exact gradients: for finite sums and deterministic levels."""

from __future__ import annotations

import functools
from collections.abc import Callable

from wolfnest.common import checks
from wolfnest.directions import (
    AwayStep,
    BlendedPairwise,
    BlockLMO,
    Lazified,
    Pairwise,
)
from wolfnest.estimators import Exact
from wolfnest.methods.paper import lmo
from wolfnest.methods.recipe import Recipe, Settings
from wolfnest.schedules import AbstractSchedule, Constant, Decaying, Power
from wolfnest.stepsizes import (
    AbstractStepSize,
    Adaptive,
    LineSearch,
    Monotone,
    Scheduled,
    ShortStep,
)

STEPS = ("adaptive", "secant", "golden", "short", "monotone", "agnostic")


def _schedule(s: Settings) -> AbstractSchedule:
    """`2/(t+2)` from t = 0 where a rule asks for it; with n blocks, `2n/(t+2n)`."""
    blocks = checks.whole("blocks", getattr(s, "blocks", 1))
    if s.step not in ("agnostic", "monotone"):
        return Constant(1.0, 1.0, batch=1)
    eta = Power(2.0 * blocks, decay=1.0, shift=2 * blocks - 1)
    return Decaying(eta, 1.0, batch=1, alpha_decay=0.0)


def step_size(s: Settings) -> AbstractStepSize:
    checks.choice("step", s.step, STEPS)
    if s.smoothness is not None:
        checks.positive("smoothness", s.smoothness)
    if (s.smoothness is None) == (s.step == "short"):
        raise ValueError(
            f'smoothness is for step="short", and needed there; got smoothness={s.smoothness!r} '
            f"with step={s.step!r}."
        )
    if s.step == "short":
        return ShortStep(s.smoothness)
    if s.step in ("secant", "golden"):
        return LineSearch(s.step)
    plain: dict[str, Callable[[], AbstractStepSize]] = {
        "adaptive": Adaptive,
        "monotone": Monotone,
        "agnostic": Scheduled,
    }
    return plain[s.step]()


_STEP = {"step": "adaptive", "smoothness": None}
_KEPT = {**_STEP, "capacity": 64}


_method = functools.partial(Recipe, lambda s: Exact(), schedule=_schedule, step_size=step_size)

EXACT: dict[str, Recipe] = {
    "FW": _method(direction=lmo, defaults=_STEP),
    "AFW": _method(direction=lambda s: AwayStep(s.capacity), defaults=_KEPT),
    "PFW": _method(direction=lambda s: Pairwise(s.capacity), defaults=_KEPT),
    "BPFW": _method(
        direction=lambda s: BlendedPairwise(s.lazy, s.capacity), defaults=_KEPT | {"lazy": None}
    ),
    "LazyFW": _method(
        direction=lambda s: Lazified(s.factor, s.capacity), defaults=_KEPT | {"factor": 2.0}
    ),
    "BCFW": _method(
        direction=lambda s: BlockLMO(s.order), defaults=_STEP | {"order": "cyclic", "blocks": 1}
    ),
}
