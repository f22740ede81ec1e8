"""Estimators: values and gradient of the levels, tracked along the points of a run.

All but the exact one are `new = (1-α)·prev + α·target + (1-α)·(now - before)` (`recursion.py`) with
something left out or put in:

- `Exact`: no estimate, exact passes over the data
- `Momentum` (PMM): moving averages, equations ss1 and ss2
- `Storm` (PMVR): corrected by the change of the same samples, equations VR:u and VR:v
- `Snapshot` (PMFS): corrected, with exact passes now and then, equations fs:u and fs:v
- `StormValues` (SCSC), `StormJacobians` (SMVR): STORM for the values and a fresh gradient, or for
  the Jacobian of every level
- `Spider` (SPIDER-FW), `NestedSpider`: differences alone, from fresh starts
- `Svrg` (SVFW): the difference to a snapshot, nothing averaged
- `Linearised` (NLASG, LiNASA): values follow their inputs along Jacobians
- `Extrapolated` (A-TSCGD): values averaged over points ahead of the inputs

For an estimator of your own (`examples/skeletons/estimator.py` is one):

- `MemorylessEstimator`: keeps nothing beside `u` and `v`; two methods are left to write, `update`
  and `steps_cost`
- `AbstractEstimator`: what an estimator is, nothing filled in
- `Estimate`, `Cost`: what these methods return; `Composition`: the levels, which they are given
- `track_values`, `track_gradient`, `combine`: the recursion for the values, for the gradient, and
  for any pytree
- `Anchor`: the snapshot that `Snapshot` and `Svrg` keep in `state.memory`
"""

from wolfnest.estimators.anchored import Anchor
from wolfnest.estimators.base import AbstractEstimator, Cost, Estimate
from wolfnest.estimators.exact import Exact
from wolfnest.estimators.extrapolated import Extrapolated
from wolfnest.estimators.jacobians import NestedSpider, StormJacobians
from wolfnest.estimators.linearised import Linearised
from wolfnest.estimators.memoryless import MemorylessEstimator
from wolfnest.estimators.momentum import Momentum
from wolfnest.estimators.recursion import combine, track_gradient, track_values
from wolfnest.estimators.snapshot import Snapshot
from wolfnest.estimators.spider import Spider
from wolfnest.estimators.storm import Storm
from wolfnest.estimators.storm_values import StormValues
from wolfnest.estimators.svrg import Svrg
from wolfnest.objective.composition import Composition

__all__ = [
    "AbstractEstimator",
    "Anchor",
    "Composition",
    "Cost",
    "Estimate",
    "Exact",
    "Extrapolated",
    "Linearised",
    "MemorylessEstimator",
    "Momentum",
    "NestedSpider",
    "Snapshot",
    "Spider",
    "Storm",
    "StormJacobians",
    "StormValues",
    "Svrg",
    "combine",
    "track_gradient",
    "track_values",
]
