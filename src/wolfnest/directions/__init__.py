"""Directions: where to move, given a point and an estimate of the gradient there."""

from wolfnest.directions.active import ActiveSet
from wolfnest.directions.away import AwayStep, Pairwise
from wolfnest.directions.base import AbstractDirection, Begun, Move, Target, TargetDirection
from wolfnest.directions.blended import BlendedPairwise
from wolfnest.directions.blocks import BlockLMO
from wolfnest.directions.inner import InnerFrankWolfe, inner_frank_wolfe
from wolfnest.directions.lazy import Lazified
from wolfnest.directions.projected import DecayingProjected, NormalisedProjected, Projected
from wolfnest.directions.sliding import NonconvexSliding, Sliding
from wolfnest.directions.spectral import SpectralProjected
from wolfnest.directions.vertex import LMO

__all__ = [
    "LMO",
    "AbstractDirection",
    "ActiveSet",
    "AwayStep",
    "Begun",
    "BlendedPairwise",
    "BlockLMO",
    "DecayingProjected",
    "InnerFrankWolfe",
    "Lazified",
    "Move",
    "NonconvexSliding",
    "NormalisedProjected",
    "Pairwise",
    "Projected",
    "Sliding",
    "SpectralProjected",
    "Target",
    "TargetDirection",
    "inner_frank_wolfe",
]
