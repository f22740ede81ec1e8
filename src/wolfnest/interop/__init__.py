"""Other libraries: Frank-Wolfe steps as optax transformations, portfolios as conic models."""

from wolfnest.interop import conic
from wolfnest.interop.blocks import feasible
from wolfnest.interop.storm import storm_gradients
from wolfnest.interop.transformation import ConstrainedState, as_optax

__all__ = [
    "ConstrainedState",
    "as_optax",
    "conic",
    "feasible",
    "storm_gradients",
]
