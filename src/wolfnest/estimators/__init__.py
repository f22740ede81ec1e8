"""Estimators of level values and gradients: one recursion, one small class per family."""

from wolfnest.estimators.anchored import Anchor
from wolfnest.estimators.base import AbstractEstimator, Cost, Estimate
from wolfnest.estimators.exact import Exact
from wolfnest.estimators.extrapolated import Extrapolated
from wolfnest.estimators.fresh import StormValues
from wolfnest.estimators.jacobians import NestedSpider, StormJacobians
from wolfnest.estimators.linearised import Linearised
from wolfnest.estimators.momentum import Momentum
from wolfnest.estimators.snapshot import Snapshot
from wolfnest.estimators.spider import Spider
from wolfnest.estimators.storm import Storm
from wolfnest.estimators.svrg import Svrg

__all__ = [
    "AbstractEstimator",
    "Anchor",
    "Cost",
    "Estimate",
    "Exact",
    "Extrapolated",
    "Linearised",
    "Momentum",
    "NestedSpider",
    "Snapshot",
    "Spider",
    "Storm",
    "StormJacobians",
    "StormValues",
    "Svrg",
]
