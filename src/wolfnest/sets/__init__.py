"""Constraint sets, each with its linear minimisation oracle; one file per geometry.

- simplices and choices: `Simplex`, `UnitSimplex`, `CappedSimplex`, `Hypersimplex`,
  `UnitHypersimplex`, `Permutahedron`
- boxes and balls: `Box`, `Cube`, `L1Ball`, `L2Ball`, `LInfBall`, `LpBall`, `Ellipsoid`
- sparse and grouped entries: `KSparse`, `KNormBall`, `OWLBall`, `GroupL1Ball`, `TotalVariationBall`
- portfolios: `GroupCapped`, `LongShort`, `TurnoverBall`, `TurnoverSimplex`
- matrices: `NuclearBall`, `SpectralBall`, `Spectrahedron`, `UnitSpectrahedron`, `Fantope`
- assignments and graphs: `Birkhoff`, `BipartiteMatching`, `Transport`, `FlowPolytope`,
  `SpanningTree`
- by constraints or points: `Polytope`, `FromCVXPY`, `ConvexHull`
- from other sets: `Product`, `Scaled`, `Shifted`, `Reshaped`, `Stacked`, `LinearImage`,
  `MinkowskiSum`, `Cached`, `Approximate`

For a set of your own: `FromOracle` makes one of a function; `ClosedFormSet` (the oracle is a
formula; `examples/skeletons/set.py` is one) and `IterativeSet` (it is an iteration) are to derive
from, and `AbstractSet` says what a set is.
"""

from wolfnest.sets.approximate import Approximate
from wolfnest.sets.assignment import BipartiteMatching, Birkhoff
from wolfnest.sets.balls import L1Ball, L2Ball, LInfBall
from wolfnest.sets.base import AbstractSet, ClosedFormSet, IterativeSet
from wolfnest.sets.box import Box, Cube
from wolfnest.sets.cached import Cached
from wolfnest.sets.capped import CappedSimplex
from wolfnest.sets.combined import LinearImage, MinkowskiSum
from wolfnest.sets.eigenvalues import Fantope, Spectrahedron, UnitSpectrahedron
from wolfnest.sets.flows import FlowPolytope
from wolfnest.sets.from_cvxpy import FromCVXPY
from wolfnest.sets.from_oracle import FromOracle
from wolfnest.sets.group_caps import GroupCapped
from wolfnest.sets.group_norms import GroupL1Ball
from wolfnest.sets.hull import ConvexHull
from wolfnest.sets.hypersimplex import Hypersimplex, UnitHypersimplex
from wolfnest.sets.k_sparse import KSparse
from wolfnest.sets.long_short import LongShort
from wolfnest.sets.norms import Ellipsoid, LpBall
from wolfnest.sets.ordered_norms import KNormBall, OWLBall
from wolfnest.sets.permutahedron import Permutahedron
from wolfnest.sets.polytope import Polytope
from wolfnest.sets.product import Product
from wolfnest.sets.shaped import Reshaped, Stacked
from wolfnest.sets.simplex import Simplex, UnitSimplex
from wolfnest.sets.singular_values import NuclearBall, SpectralBall
from wolfnest.sets.spanning_trees import SpanningTree
from wolfnest.sets.total_variation import TotalVariationBall
from wolfnest.sets.transformed import Scaled, Shifted
from wolfnest.sets.transport import Transport
from wolfnest.sets.turnover import TurnoverBall, TurnoverSimplex

__all__ = [
    "AbstractSet",
    "Approximate",
    "BipartiteMatching",
    "Birkhoff",
    "Box",
    "Cached",
    "CappedSimplex",
    "ClosedFormSet",
    "ConvexHull",
    "Cube",
    "Ellipsoid",
    "Fantope",
    "FlowPolytope",
    "FromCVXPY",
    "FromOracle",
    "GroupCapped",
    "GroupL1Ball",
    "Hypersimplex",
    "IterativeSet",
    "KNormBall",
    "KSparse",
    "L1Ball",
    "L2Ball",
    "LInfBall",
    "LinearImage",
    "LongShort",
    "LpBall",
    "MinkowskiSum",
    "NuclearBall",
    "OWLBall",
    "Permutahedron",
    "Polytope",
    "Product",
    "Reshaped",
    "Scaled",
    "Shifted",
    "Simplex",
    "SpanningTree",
    "Spectrahedron",
    "SpectralBall",
    "Stacked",
    "TotalVariationBall",
    "Transport",
    "TurnoverBall",
    "TurnoverSimplex",
    "UnitHypersimplex",
    "UnitSimplex",
    "UnitSpectrahedron",
]
