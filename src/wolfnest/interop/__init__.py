"""Frank-Wolfe steps inside other libraries: constrained training with optax."""

from wolfnest.interop.blocks import feasible
from wolfnest.interop.storm import storm_gradients
from wolfnest.interop.transformation import ConstrainedState, as_optax

__all__ = [
    "ConstrainedState",
    "as_optax",
    "feasible",
    "storm_gradients",
]
