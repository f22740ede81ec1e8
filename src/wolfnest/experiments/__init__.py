"""The paper's experiments: run them, load what they left, judge its claims."""

from wolfnest.experiments.catalog import EXPERIMENTS
from wolfnest.experiments.runner import reproduce
from wolfnest.experiments.store import Results, load

__all__ = ["EXPERIMENTS", "Results", "load", "reproduce"]
