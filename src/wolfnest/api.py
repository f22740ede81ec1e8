"""The public names of `wolfnest`; the package itself hands them on when they are asked for."""

from wolfnest import (
    datasets,
    directions,
    estimators,
    interop,
    methods,
    metrics,
    problems,
    schedules,
    sets,
    stepsizes,
)
from wolfnest.directions import LMO, InnerFrankWolfe, Projected
from wolfnest.methods import method, theory
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.running.budget import Budget
from wolfnest.running.checkpoint import Checkpoint
from wolfnest.running.solve import solve
from wolfnest.schedules.stage import Stage
from wolfnest.solution import DivergedError, Solution, Status
from wolfnest.solver import Solver
from wolfnest.state import State

__all__ = [
    "LMO",
    "Budget",
    "Checkpoint",
    "DivergedError",
    "InnerFrankWolfe",
    "Level",
    "Problem",
    "Projected",
    "Solution",
    "Solver",
    "Stage",
    "State",
    "Status",
    "datasets",
    "directions",
    "estimators",
    "interop",
    "method",
    "methods",
    "metrics",
    "problems",
    "schedules",
    "sets",
    "solve",
    "stepsizes",
    "theory",
]
