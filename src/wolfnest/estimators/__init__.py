"""Estimators of level values and gradients: one recursion, one small class per family."""

from wolfnest.estimators.base import AbstractEstimator, Cost, Estimate
from wolfnest.estimators.momentum import Momentum
from wolfnest.estimators.snapshot import Anchor, Snapshot
from wolfnest.estimators.storm import Storm

__all__ = ["AbstractEstimator", "Anchor", "Cost", "Estimate", "Momentum", "Snapshot", "Storm"]
