"""Constraint sets, each with its linear minimisation oracle; one file per geometry."""

from wolfnest.sets.balls import L1Ball, L2Ball, LInfBall
from wolfnest.sets.base import AbstractSet, ClosedFormSet, IterativeSet
from wolfnest.sets.box import Box
from wolfnest.sets.oracle import FromOracle
from wolfnest.sets.product import Product
from wolfnest.sets.simplex import Simplex
from wolfnest.sets.spectral import NuclearBall, Spectrahedron

__all__ = [
    "AbstractSet",
    "Box",
    "ClosedFormSet",
    "FromOracle",
    "IterativeSet",
    "L1Ball",
    "L2Ball",
    "LInfBall",
    "NuclearBall",
    "Product",
    "Simplex",
    "Spectrahedron",
]
