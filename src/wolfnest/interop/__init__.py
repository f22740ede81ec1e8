"""Other libraries: Frank-Wolfe steps as optax transformations, portfolios as conic models.

- `as_optax`: sets and a direction as an optax optimiser, for training with constraints;
  `ConstrainedState` is what it keeps
- `feasible`: parameters moved into their sets, to start from
- `storm_gradients`: the two gradients of a batch that `as_optax(..., estimator="storm")` compares
- `conic`: portfolios as CVXPY states them, to compare with
"""

from wolfnest.interop import conic
from wolfnest.interop.gradients import storm_gradients
from wolfnest.interop.optimiser import ConstrainedState, as_optax
from wolfnest.interop.parameters import feasible

__all__ = [
    "ConstrainedState",
    "as_optax",
    "conic",
    "feasible",
    "storm_gradients",
]
