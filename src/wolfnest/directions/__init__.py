"""Directions: where to move, given a point and an estimate of the gradient there.

- `LMO` (v1): towards the vertex that the oracle names
- `InnerFrankWolfe` (v2): towards a prox point, by an inner Frank-Wolfe iteration
  (`inner_frank_wolfe` is that iteration alone)
- `AwayStep`, `Pairwise`, `BlendedPairwise`: weight moves between the vertices in use
- `Lazified`: vertices that were met before, while they are good enough
- `BlockLMO`: the oracle of one block of a product at a time
- `Sliding` (SCGS), `NonconvexSliding` (NCGS): accelerated prox steps
- `Projected`, `DecayingProjected` (A-TSCGD), `NormalisedProjected` (Nested-SPIDER),
  `SpectralProjected` (GrowSPG): steps of projected methods

For a direction of your own (`examples/skeletons/direction.py` is one):

- `TargetDirection`: names a target to move towards; three methods are left to write
- `Target`: what its `target` returns
- `ExchangeDirection`: moves weight between vertices; `choose` returns a `ChosenExchange` with an
  `Exchange` in it, from the `ActiveSet` in `state.active`
- `AbstractDirection`: what a direction is, nothing filled in; it returns `Begun` and `Move`
"""

from wolfnest.directions.active_set import ActiveSet
from wolfnest.directions.away import AwayStep
from wolfnest.directions.base import AbstractDirection, Begun, Move, Target, TargetDirection
from wolfnest.directions.blended import BlendedPairwise
from wolfnest.directions.block_lmo import BlockLMO
from wolfnest.directions.inner import InnerFrankWolfe, inner_frank_wolfe
from wolfnest.directions.lazified import Lazified
from wolfnest.directions.lmo import LMO
from wolfnest.directions.pairwise import Pairwise
from wolfnest.directions.projected import DecayingProjected, NormalisedProjected, Projected
from wolfnest.directions.sliding import NonconvexSliding, Sliding
from wolfnest.directions.spectral_projected import SpectralProjected
from wolfnest.directions.vertex_weights import ChosenExchange, Exchange, ExchangeDirection

__all__ = [
    "LMO",
    "AbstractDirection",
    "ActiveSet",
    "AwayStep",
    "Begun",
    "BlendedPairwise",
    "BlockLMO",
    "ChosenExchange",
    "DecayingProjected",
    "Exchange",
    "ExchangeDirection",
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
