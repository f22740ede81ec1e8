"""Step-size rules: how far to go along the ray that a direction proposes."""

from wolfnest.stepsizes.adaptive import Adaptive
from wolfnest.stepsizes.base import AbstractStepSize
from wolfnest.stepsizes.monotone import Monotone
from wolfnest.stepsizes.nonmonotone import Nonmonotone
from wolfnest.stepsizes.scheduled import Scheduled
from wolfnest.stepsizes.search import LineSearch
from wolfnest.stepsizes.short import ShortStep

__all__ = [
    "AbstractStepSize",
    "Adaptive",
    "LineSearch",
    "Monotone",
    "Nonmonotone",
    "Scheduled",
    "ShortStep",
]
