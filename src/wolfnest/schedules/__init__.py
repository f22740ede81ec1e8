"""Schedules: how a number of steps becomes stages of (steps, η, α, batch, N)."""

from wolfnest.schedules.base import AbstractSchedule
from wolfnest.schedules.growing import GrowingBatch, GrowingEpochs, GrowingSamples
from wolfnest.schedules.single import Constant, DataPower, Decaying, Power
from wolfnest.schedules.stage import Stage
from wolfnest.schedules.stagewise import Stagewise, doubling, halving

__all__ = [
    "AbstractSchedule",
    "Constant",
    "DataPower",
    "Decaying",
    "GrowingBatch",
    "GrowingEpochs",
    "GrowingSamples",
    "Power",
    "Stage",
    "Stagewise",
    "doubling",
    "halving",
]
