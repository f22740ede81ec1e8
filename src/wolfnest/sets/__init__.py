"""Constraint sets, each with its linear minimisation oracle; one file per geometry."""

from wolfnest.sets.assignment import BipartiteMatching, Birkhoff
from wolfnest.sets.balls import L1Ball, L2Ball, LInfBall
from wolfnest.sets.base import AbstractSet, ClosedFormSet, IterativeSet
from wolfnest.sets.box import Box
from wolfnest.sets.budgets import GroupCapped
from wolfnest.sets.capped import CappedSimplex, Cube, UnitSimplex
from wolfnest.sets.combined import LinearImage, MinkowskiSum
from wolfnest.sets.conic import FromCVXPY
from wolfnest.sets.eigen import Fantope, Spectrahedron, UnitSpectrahedron
from wolfnest.sets.graphs import FlowPolytope
from wolfnest.sets.groups import GroupL1Ball
from wolfnest.sets.hull import ConvexHull
from wolfnest.sets.hypersimplex import Hypersimplex, UnitHypersimplex
from wolfnest.sets.lazy import Approximate, Cached
from wolfnest.sets.long_short import LongShort
from wolfnest.sets.norms import Ellipsoid, LpBall
from wolfnest.sets.oracle import FromOracle
from wolfnest.sets.ordered import KNormBall, KSparse, OWLBall
from wolfnest.sets.permutahedron import Permutahedron
from wolfnest.sets.polytope import Polytope
from wolfnest.sets.product import Product
from wolfnest.sets.shaped import Reshaped, Stacked
from wolfnest.sets.simplex import Simplex
from wolfnest.sets.spectral import NuclearBall, SpectralBall
from wolfnest.sets.transformed import Scaled, Shifted
from wolfnest.sets.transport import Transport
from wolfnest.sets.trees import SpanningTree
from wolfnest.sets.turnover import TurnoverBall, TurnoverSimplex
from wolfnest.sets.variation import TotalVariationBall

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
