"""Stages in geometric progression, as the paper's stage-wise methods use them."""

from __future__ import annotations

import equinox as eqx

from wolfnest.common import checks
from wolfnest.common.rounding import round_up
from wolfnest.schedules.base import AbstractSchedule, Handover
from wolfnest.schedules.stage import Stage


class Stagewise(AbstractSchedule):
    """Stages in geometric progression, s = 0, 1, …:

        steps = ⌈length · growth^s⌉       η = min(1, eta · eta_factor^s)
        batch = ⌈batch · batch_factor^s⌉  α = min(1, alpha · alpha_factor^s)

    With `count=None` the stages go on until the steps are spent and the last one is cut; with a
    count the schedule ends after that many stages. `doubling` and `halving` name the two ways
    in which the paper uses it.
    """

    length: float = eqx.field(static=True)
    eta: float = eqx.field(static=True)
    alpha: float = eqx.field(static=True)
    batch: float = eqx.field(static=True)
    growth: float = eqx.field(static=True)
    eta_factor: float = eqx.field(static=True)
    alpha_factor: float = eqx.field(static=True)
    batch_factor: float = eqx.field(static=True)
    inner: int = eqx.field(static=True)
    count: int | None = eqx.field(static=True)
    restart: float | None = eqx.field(static=True)
    restart_factor: float = eqx.field(static=True)
    handover: Handover = eqx.field(static=True)

    def __init__(
        self,
        *,
        length: float,
        eta: float,
        alpha: float,
        batch: float,
        growth: float,
        eta_factor: float = 1.0,
        alpha_factor: float = 1.0,
        batch_factor: float = 1.0,
        inner: int = 1,
        count: int | None = None,
        restart: float | None = None,
        restart_factor: float = 1.0,
        handover: Handover = "last",
    ) -> None:
        self.length = float(checks.positive("length", length))
        self.eta = float(checks.positive("eta", eta))
        self.alpha = float(checks.positive("alpha", alpha))
        self.batch = float(checks.positive("batch", batch))
        self.growth = float(checks.positive("growth", growth))
        self.eta_factor = float(checks.positive("eta_factor", eta_factor))
        self.alpha_factor = float(checks.positive("alpha_factor", alpha_factor))
        self.batch_factor = float(checks.positive("batch_factor", batch_factor))
        self.inner = checks.whole("inner", inner)
        self.count = None if count is None else checks.whole("count", count)
        self.restart = None if restart is None else float(checks.positive("restart", restart))
        self.restart_factor = float(checks.positive("restart_factor", restart_factor))
        self.handover = checks.choice("handover", handover, ("last", "random"))  # type: ignore[assignment]
        if self.count is None and self.growth < 1:
            raise ValueError(
                f"growth must be at least 1 where the number of stages is open, got {growth!r}."
            )

    def stage(self, s: int) -> Stage:
        """Stage number `s`, from 0, uncut."""
        return Stage(
            round_up(self.length * self.growth**s),
            min(1.0, self.eta * self.eta_factor**s),
            min(1.0, self.alpha * self.alpha_factor**s),
            round_up(self.batch * self.batch_factor**s),
            self.inner,
            None if self.restart is None else round_up(self.restart * self.restart_factor**s),
        )

    def stages(self, steps: int, m: int | None = None) -> list[Stage]:
        result, left = [], checks.whole("steps", steps)
        while left > 0 and (self.count is None or len(result) < self.count):
            stage = self.stage(len(result))
            result.append(stage if stage.steps <= left else stage.cut(left))
            left -= stage.steps
        return result


def doubling(
    eta: float,
    alpha: float,
    batch: float,
    length: float = 1,
    *,
    growth: float = 2.0,
    eta_decay: float = 0.5,
    alpha_decay: float = 0.5,
    batch_growth: float = 0.0,
    inner: int = 1,
    restart: float | None = None,
    restart_growth: float = 0.0,
    handover: Handover = "last",
) -> Stagewise:
    """Stages of lengths `T_s = length · growth^s` (Theorem 2), until the steps are spent.

    η and α shrink as `T_s^-decay`, the batch grows as `T_s^batch_growth`, relative to the first
    stage.

    >>> doubling(eta=0.5, alpha=0.5, batch=8, length=4, eta_decay=1.0).stages(20)[1:]
    [Stage(steps=8, eta=0.25, alpha=0.354, batch=8), Stage(steps=8, eta=0.125, alpha=0.25, batch=8)]
    """
    return Stagewise(
        length=length,
        eta=eta,
        alpha=alpha,
        batch=batch,
        growth=growth,
        eta_factor=growth**-eta_decay,
        alpha_factor=growth**-alpha_decay,
        batch_factor=growth**batch_growth,
        inner=inner,
        restart=restart,
        restart_factor=growth**restart_growth,
        handover=handover,
    )


def halving(
    eta: float,
    alpha: float,
    batch: float,
    length: float,
    stages: int,
    *,
    eta_power: float = 0.0,
    alpha_power: float = 0.0,
    batch_power: float = 0.0,
    length_power: float = 0.0,
    inner: int = 1,
    handover: Handover = "last",
) -> Stagewise:
    """A fixed number of stages, each for half the error of the one before (Theorems 6, 7, 10, 11).

    With `ε_s = ε_1 / 2^s`, a quantity that the theorem sets to `ε_s^p` has the power p here;
    the first four arguments are the values of the first stage.

    >>> schedule = halving(eta=0.25, alpha=0.25, batch=1, length=4, stages=2,
    ...                    eta_power=2, alpha_power=2, length_power=-2)
    >>> schedule.stages(100)[1]
    Stage(steps=16, eta=0.0625, alpha=0.0625, batch=1)
    """
    return Stagewise(
        length=length,
        eta=eta,
        alpha=alpha,
        batch=batch,
        growth=0.5**length_power,
        eta_factor=0.5**eta_power,
        alpha_factor=0.5**alpha_power,
        batch_factor=0.5**batch_power,
        inner=inner,
        count=stages,
        handover=handover,
    )
