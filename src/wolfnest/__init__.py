"""Nested objectives, Frank-Wolfe steps.

Minimise `f_K ∘ … ∘ f_1` over a convex set when every level is seen only through samples and the
set only through its linear minimisation oracle.
"""

from wolfnest import datasets, methods, metrics, problems, sets, theory
from wolfnest.budget import Budget
from wolfnest.checkpoint import Checkpoint
from wolfnest.directions import (
    LMO,
    DecayingProjected,
    InnerFrankWolfe,
    NonconvexSliding,
    NormalisedProjected,
    Projected,
    Sliding,
)
from wolfnest.estimators import (
    Extrapolated,
    Linearised,
    Momentum,
    NestedSpider,
    Snapshot,
    Spider,
    Storm,
    StormJacobians,
    StormValues,
    Svrg,
)
from wolfnest.level import Level
from wolfnest.methods import method
from wolfnest.problem import Problem
from wolfnest.schedules import (
    Constant,
    DataPower,
    Decaying,
    GrowingBatch,
    GrowingEpochs,
    Power,
    Stagewise,
    doubling,
    halving,
)
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
    "DataPower",
    "Decaying",
    "DecayingProjected",
    "DivergedError",
    "Extrapolated",
    "GrowingBatch",
    "GrowingEpochs",
    "Info",
    "InnerFrankWolfe",
    "Level",
    "Linearised",
    "Momentum",
    "NestedSpider",
    "NonconvexSliding",
    "NormalisedProjected",
    "Power",
    "Problem",
    "Projected",
    "Sliding",
    "Snapshot",
    "Solution",
    "Solver",
    "Spider",
    "Stage",
    "Stagewise",
    "State",
    "Status",
    "Storm",
    "StormJacobians",
    "StormValues",
    "Svrg",
    "Trace",
    "datasets",
    "doubling",
    "halving",
    "method",
    "methods",
    "metrics",
    "problems",
    "sets",
    "solve",
    "theory",
]
