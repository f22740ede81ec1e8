"""Nested objectives, Frank-Wolfe steps.

Minimise `f_K ∘ … ∘ f_1` over a convex set when every level is seen only through samples and the
set only through its linear minimisation oracle.
"""

from wolfnest import datasets, methods, metrics, problems, sets, theory
from wolfnest.budget import Budget
from wolfnest.checkpoint import Checkpoint
from wolfnest.directions import (
    LMO,
    AwayStep,
    BlendedPairwise,
    BlockLMO,
    DecayingProjected,
    InnerFrankWolfe,
    Lazified,
    NonconvexSliding,
    NormalisedProjected,
    Pairwise,
    Projected,
    Sliding,
    SpectralProjected,
)
from wolfnest.estimators import (
    Exact,
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
    GrowingSamples,
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
from wolfnest.stepsizes import Adaptive, LineSearch, Monotone, Nonmonotone, Scheduled, ShortStep

__version__ = "0.1.0"

__all__ = [
    "LMO",
    "Adaptive",
    "AwayStep",
    "BlendedPairwise",
    "BlockLMO",
    "Budget",
    "Checkpoint",
    "Constant",
    "Counts",
    "DataPower",
    "Decaying",
    "DecayingProjected",
    "DivergedError",
    "Exact",
    "Extrapolated",
    "GrowingBatch",
    "GrowingEpochs",
    "GrowingSamples",
    "Info",
    "InnerFrankWolfe",
    "Lazified",
    "Level",
    "LineSearch",
    "Linearised",
    "Momentum",
    "Monotone",
    "NestedSpider",
    "NonconvexSliding",
    "Nonmonotone",
    "NormalisedProjected",
    "Pairwise",
    "Power",
    "Problem",
    "Projected",
    "Scheduled",
    "ShortStep",
    "Sliding",
    "Snapshot",
    "Solution",
    "Solver",
    "SpectralProjected",
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
