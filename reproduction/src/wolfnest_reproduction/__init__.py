"""The paper's experiments: run them, load what they left, judge its claims.

What it has is loaded when it is asked for: the command line reads this package for the arguments of
its command alone.
"""

from typing import TYPE_CHECKING

from wolfnest.common.imports import deferred

if TYPE_CHECKING:
    from wolfnest_reproduction.define.experiments import EXPERIMENTS
    from wolfnest_reproduction.run.reproduction import reproduce
    from wolfnest_reproduction.run.store import Results, load

__all__ = ["EXPERIMENTS", "Results", "load", "reproduce"]

__getattr__ = deferred(
    __name__,
    {
        "define.experiments": "EXPERIMENTS",
        "run.reproduction": "reproduce",
        "run.store": "Results load",
    },
)
