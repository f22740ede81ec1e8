"""The paper's experiments: run them, load what they left, judge its claims."""

from wolfnest_reproduction.define.catalog import EXPERIMENTS
from wolfnest_reproduction.run.runner import reproduce
from wolfnest_reproduction.run.store import Results, load

__all__ = ["EXPERIMENTS", "Results", "load", "reproduce"]
