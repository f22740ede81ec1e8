"""What a schedule is: it turns a number of steps into stages of (steps, η, α, batch, N)."""

from __future__ import annotations

import abc
from typing import Literal

import equinox as eqx

from wolfnest.schedules.stage import Stage

Handover = Literal["last", "random"]


class AbstractSchedule(eqx.Module):
    """Turns a number of steps into stages; `handover` says what a stage leaves to the next:
    its last state, or the state of a uniformly random iteration (as the theorems have it)."""

    handover: eqx.AbstractVar[Handover]

    @abc.abstractmethod
    def stages(self, steps: int, m: int | None = None) -> list[Stage]:
        """The stages of a run of `steps` steps (fewer, where the schedule has an end). `m` is the
        length of the longest finite sum, for batches that follow the data."""
