"""Directions: where to move, given a point and an estimate of the gradient there."""

from wolfnest.directions.base import AbstractDirection, Move, Target, TargetDirection
from wolfnest.directions.inner import InnerFrankWolfe, inner_frank_wolfe
from wolfnest.directions.projected import DecayingProjected, NormalisedProjected, Projected
from wolfnest.directions.sliding import NonconvexSliding, Sliding
from wolfnest.directions.vertex import LMO

__all__ = [
    "LMO",
    "AbstractDirection",
    "DecayingProjected",
    "InnerFrankWolfe",
    "Move",
    "NonconvexSliding",
    "NormalisedProjected",
    "Projected",
    "Sliding",
    "Target",
    "TargetDirection",
    "inner_frank_wolfe",
]
