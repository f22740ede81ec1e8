"""Nested objectives, Frank-Wolfe steps.

Minimise `f_K ∘ … ∘ f_1` over a convex set when every level is seen only through samples and the
set only through its linear minimisation oracle.
"""

from wolfnest import methods, metrics, sets, theory
from wolfnest.budget import Budget
from wolfnest.checkpoint import Checkpoint
from wolfnest.directions import LMO, InnerFrankWolfe, Projected
from wolfnest.estimators import Momentum, Snapshot, Storm
from wolfnest.level import Level
from wolfnest.methods import method
from wolfnest.problem import Problem
from wolfnest.schedules import Constant, Decaying, Stagewise, doubling, halving
from wolfnest.solution import Counts, DivergedError, Solution, Status, Trace
from wolfnest.solve import solve
from wolfnest.solver import Info, Solver
from wolfnest.stage import Stage
from wolfnest.state import State

__version__ = "0.1.0"

__all__ = [
    "LMO",
    "Budget",
    "Checkpoint",
    "Constant",
    "Counts",
    "Decaying",
    "DivergedError",
    "Info",
    "InnerFrankWolfe",
    "Level",
    "Momentum",
    "Problem",
    "Projected",
    "Snapshot",
    "Solution",
    "Solver",
    "Stage",
    "Stagewise",
    "State",
    "Status",
    "Storm",
    "Trace",
    "doubling",
    "halving",
    "method",
    "methods",
    "metrics",
    "sets",
    "solve",
    "theory",
]
