"""Schedules of one stage: constants, and powers of the step number, the horizon and the data."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from wolfnest.common import checks
from wolfnest.common.rounding import round_up
from wolfnest.schedules.base import AbstractSchedule, Handover
from wolfnest.schedules.per_step import Decay
from wolfnest.schedules.stage import Stage, weight


class Constant(AbstractSchedule):
    """One stage.

    >>> Constant(eta=0.01, alpha=0.1, batch=128).stages(400)
    [Stage(steps=400, eta=0.01, alpha=0.1, batch=128)]
    """

    eta: Any
    alpha: Any
    batch: int = eqx.field(static=True)
    inner: int = eqx.field(static=True)
    handover: Handover = eqx.field(static=True)

    def __init__(self, eta: Any, alpha: Any, batch: int, inner: int = 1) -> None:
        self.eta = weight("eta", eta)
        self.alpha = weight("alpha", alpha)
        self.batch = checks.whole("batch", batch)
        self.inner = checks.whole("inner", inner)
        self.handover = "last"

    def stages(self, steps: int, m: int | None = None) -> list[Stage]:
        return [Stage(steps, self.eta, self.alpha, self.batch, self.inner)]


class Power(eqx.Module):
    """`scale · (t + shift)^-decay · T^-horizon` in step t of T, from 1.

    >>> Power(1.0, decay=1.0, shift=1).over(3)
    array([0.5       , 0.33333333, 0.25      ])
    >>> float(Power(1.0, horizon=0.5).over(100))
    0.1
    """

    scale: Any
    decay: float = eqx.field(static=True)
    shift: float = eqx.field(static=True)
    horizon: float = eqx.field(static=True)

    def __init__(
        self, scale: float, decay: float = 0.0, shift: float = 0.0, horizon: float = 0.0
    ) -> None:
        self.scale = checks.positive("scale", scale)
        self.decay = float(checks.non_negative("decay", decay))
        self.shift = float(checks.non_negative("shift", shift))
        self.horizon = float(checks.non_negative("horizon", horizon))

    def over(self, steps: int) -> Any:
        """One number per step, or one for all of them."""
        value = self.scale * float(steps) ** -self.horizon
        if self.decay == 0:
            return value
        return value * (np.arange(1, steps + 1) + self.shift) ** -self.decay

    def capped(self, steps: int) -> Any:
        """The same, at most 1: as a function of the step, wherever the scale is known."""
        if self.decay and not checks.is_traced(self.scale):
            value = self.scale * float(steps) ** -self.horizon
            return Decay(steps, scale=value, decay=self.decay, shift=self.shift)
        value = self.over(steps)
        return (jnp if checks.is_traced(value) else np).minimum(1, value)


class DataPower(eqx.Module):
    """A batch of `⌈m^power⌉` samples, or of `otherwise` where no data set the size.

    >>> DataPower(2 / 3).of(1000), DataPower(2 / 3).of(None)
    (100, 128)
    """

    power: float = eqx.field(static=True)
    otherwise: int = eqx.field(static=True, default=128)

    def of(self, m: int | None) -> int:
        return self.otherwise if m is None else round_up(float(m) ** self.power)


class Decaying(AbstractSchedule):
    """One stage with `η_t = min(1, eta / t^eta_decay)` and the same for α, t from 1.

    A `Power` in place of a number says more: a shift of t, a power of the number of steps. `tol`
    is the stage's tolerance, `batch` may be a `DataPower`.

    >>> decaying = Decaying(eta=1.0, alpha=1.0, batch=8, eta_decay=1.0, alpha_decay=0.5)
    >>> np.asarray(decaying.stages(3)[0].eta)
    array([1.        , 0.5       , 0.33333333])
    """

    eta: Power
    alpha: Power
    tol: Power | None
    batch: int | DataPower = eqx.field(static=True)
    inner: int = eqx.field(static=True)
    handover: Handover = eqx.field(static=True)

    def __init__(
        self,
        eta: float | Power,
        alpha: float | Power,
        batch: int | DataPower,
        eta_decay: float = 1.0,
        alpha_decay: float = 2 / 3,
        inner: int = 1,
        *,
        tol: Power | None = None,
    ) -> None:
        self.eta = _power("eta", eta, eta_decay)
        self.alpha = _power("alpha", alpha, alpha_decay)
        self.tol = tol
        self.batch = batch if isinstance(batch, DataPower) else checks.whole("batch", batch)
        self.inner = checks.whole("inner", inner)
        self.handover = "last"

    def stages(self, steps: int, m: int | None = None) -> list[Stage]:
        batch = self.batch.of(m) if isinstance(self.batch, DataPower) else self.batch
        tol = None if self.tol is None else self.tol.over(steps)
        eta, alpha = self.eta.capped(steps), self.alpha.capped(steps)
        return [Stage(steps, eta, alpha, batch, self.inner, tol=tol)]


def _power(name: str, value: float | Power, decay: float) -> Power:
    if isinstance(value, Power):
        return value
    checks.positive(name, value)
    return Power(value, float(checks.non_negative(f"{name}_decay", decay)))
