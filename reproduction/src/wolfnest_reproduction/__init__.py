"""The paper's experiments: run them, load what they left, judge its claims.

What it has is loaded when it is asked for: the command line reads this package for the arguments of
its command alone.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wolfnest_reproduction.define.experiments import EXPERIMENTS
    from wolfnest_reproduction.run.reproduction import reproduce
    from wolfnest_reproduction.run.store import Results, load

__all__ = ["EXPERIMENTS", "Results", "load", "reproduce"]

_PLACES = {
    "EXPERIMENTS": "define.experiments",
    "Results": "run.store",
    "load": "run.store",
    "reproduce": "run.reproduction",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
