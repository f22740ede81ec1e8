"""Schedules whose batches grow: a stage for every size, since sizes are static."""

from __future__ import annotations

import bisect

import equinox as eqx
import numpy as np

from wolfnest.common import checks
from wolfnest.common.rounding import round_up
from wolfnest.schedules.base import AbstractSchedule, Handover
from wolfnest.schedules.per_step import Reciprocal
from wolfnest.schedules.stage import Stage


class GrowingEpochs(AbstractSchedule):
    """SPIDER-FW for convex objectives: epochs of `K_s = 1, 2, 4, …` steps, each a stage with
    `η = 2/(K_s + k)` in its k-th step and batches of `⌈batch · K_s⌉` samples, at most as many as
    the data have.

    `restart` is the number of samples from which epochs start, None where they start exactly.

    >>> [(stage.steps, stage.batch) for stage in GrowingEpochs().stages(10)]
    [(1, 1), (2, 2), (4, 4), (3, 8)]
    """

    batch: float = eqx.field(static=True)
    restart: int | None = eqx.field(static=True)
    handover: Handover = eqx.field(static=True)

    def __init__(self, batch: float = 1.0, restart: int | None = None) -> None:
        self.batch = float(checks.positive("batch", batch))
        self.restart = None if restart is None else checks.whole("restart", restart)
        self.handover = "last"

    def stages(self, steps: int, m: int | None = None) -> list[Stage]:
        result, length, left = [], 1, checks.whole("steps", steps)
        while left > 0:
            eta = Reciprocal(min(length, left), numerator=2, offset=length)
            size = min(round_up(self.batch * length), m or checks.MOST)
            result.append(Stage(len(eta), eta, 1.0, size, restart=self.restart))
            left, length = left - len(eta), 2 * length
        return result


class GrowingBatch(AbstractSchedule):
    """SCGS: iteration k takes `⌈batch · ((k+2)/3)^power⌉` samples, at most `most_batch` (None: as
    many as the data have, or 2^16).

    Sizes are rounded up to powers of two times `batch`, so that few of them occur. The first
    iteration is the start of the run; the first step estimates for the second one.

    >>> [(stage.steps, stage.batch) for stage in GrowingBatch(batch=1, power=1).stages(10)]
    [(3, 2), (6, 4), (1, 8)]
    """

    batch: int = eqx.field(static=True)
    power: float = eqx.field(static=True)
    most_batch: int | None = eqx.field(static=True)
    inner: int = eqx.field(static=True)
    handover: Handover = eqx.field(static=True)

    def __init__(
        self, batch: int, power: float = 3.0, most_batch: int | None = None, inner: int = 1
    ) -> None:
        self.batch = checks.whole("batch", batch)
        self.power = float(checks.non_negative("power", power))
        if most_batch is not None:
            most_batch = checks.whole("most_batch", most_batch, least=self.batch)
        self.most_batch = most_batch
        self.inner = checks.whole("inner", inner)
        self.handover = "last"

    def stages(self, steps: int, m: int | None = None) -> list[Stage]:
        most = max(self.batch, self.most_batch or m or 1 << 16)
        result, k, end = [], 2, checks.whole("steps", steps) + 2
        while k < end:
            size = self._size(k, most)
            # Sizes grow with k: the last iteration that takes as many is found by halving.
            beyond = bisect.bisect_right(range(k, end), size, key=lambda i: self._size(i, most))
            result.append(Stage(beyond, 1.0, 1.0, size, self.inner))
            k += beyond
        return result

    def _size(self, k: int, most: int) -> int:
        doublings = np.ceil(np.log2(((np.asarray([k]) + 2) / 3) ** self.power) - 1e-9)
        return int(np.minimum(most, self.batch * 2.0**doublings)[0])


class GrowingSamples(AbstractSchedule):
    """Exact steps on samples that grow: stages that see `first · growth^s` samples of every level,
    as long as that is at most `m / growth`, then all data.

    The last sample gets `length` steps, and every smaller one twice as many as the next: they are
    cheaper by more than that. Together they get half of all steps at most.

    >>> stages = GrowingSamples(first=1000, growth=8, length=10).stages(500, m=100_000)
    >>> [(stage.steps, stage.sample) for stage in stages]
    [(20, 1000), (10, 8000), (470, None)]
    """

    first: int = eqx.field(static=True)
    growth: float = eqx.field(static=True)
    length: int = eqx.field(static=True)
    handover: Handover = eqx.field(static=True)

    def __init__(self, first: int = 1024, growth: float = 8.0, length: int = 16) -> None:
        self.first = checks.whole("first", first)
        self.growth = float(checks.positive("growth", growth))
        if self.growth <= 1:
            raise ValueError(f"growth must be larger than 1, got {growth}.")
        self.length = checks.whole("length", length)
        self.handover = "last"

    def stages(self, steps: int, m: int | None = None) -> list[Stage]:
        steps = checks.whole("steps", steps)
        sizes = []
        while self.first * self.growth ** (len(sizes) + 1) <= (m or 0):
            sizes.append(round_up(self.first * self.growth ** len(sizes)))
        lengths = [self.length << i for i in reversed(range(len(sizes)))]
        share = min(1.0, steps / (2 * max(1, sum(lengths))))
        lengths = [int(share * length) for length in lengths]
        # A new sample needs new values: the start of a stage computes them.
        sampled = [
            Stage(length, 1.0, 1.0, 1, restart=1, sample=size)
            for length, size in zip(lengths, sizes, strict=True)
            if length
        ]
        left = steps - sum(stage.steps for stage in sampled)
        return [*sampled, Stage(left, 1.0, 1.0, 1, restart=1)]
