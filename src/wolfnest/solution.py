"""What a run returns: the point, why it stopped, what it cost, and its trace."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import PyTree

from wolfnest.certificate import Certificate, certify
from wolfnest.objective.problem import Problem
from wolfnest.solver import Solver
from wolfnest.state import State

if TYPE_CHECKING:
    import pandas as pd


class Status(enum.StrEnum):
    """Why a run ended."""

    FINISHED = "finished"  # all steps were made
    CONVERGED = "converged"  # the criterion reached the tolerance
    BUDGET = "budget"  # samples, oracle calls or seconds were used up
    STOPPED = "stopped"  # the callback said so
    INTERRUPTED = "interrupted"  # Ctrl-C
    STALLED = "stalled"  # exact steps gain nothing any more: rounding allows no less
    UNDECIDED = "undecided"  # noise of the largest evaluation sample hides whether tol is met
    DIVERGED = "diverged"  # NaN or infinity in x, u or v


@dataclasses.dataclass(frozen=True)
class Counts:
    """Oracle calls of one run: samples used at the levels, points at which samples were
    evaluated, linear minimisations."""

    samples: int = 0
    evaluations: int = 0
    lmo: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.samples + other.samples,
            self.evaluations + other.evaluations,
            self.lmo + other.lmo,
        )


class Trace(Mapping[str, np.ndarray]):
    """Named arrays with one row per record; with several seeds, one column per seed.

    `trace["frank_wolfe_gap"]` and `trace.frank_wolfe_gap` are the same array.

    >>> trace = Trace({"step": np.array([0, 10]), "objective": np.array([1.0, 0.5])})
    >>> trace.objective[-1], list(trace)
    (np.float64(0.5), ['step', 'objective'])
    """

    def __init__(self, columns: Mapping[str, np.ndarray]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self._columns:
            known = ", ".join(self.__dict__.get("_columns", ()))
            raise AttributeError(f"the trace has no column {name!r}; it has {known}.")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_frame(self) -> pd.DataFrame:
        """A tidy data frame: one row per record and seed (needs pandas)."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas: pip install pandas, or use the arrays of the trace "
                "directly."
            ) from error
        seeds = max((c.shape[1] for c in self.values() if c.ndim == 2), default=None)
        if seeds is None:
            return pd.DataFrame(self._columns)
        frames = [
            pd.DataFrame(
                {"seed": seed}
                | {name: c[:, seed] if c.ndim == 2 else c for name, c in self.items()}
            )
            for seed in range(seeds)
        ]
        return pd.concat(frames, ignore_index=True)

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"Trace({rows} records of {', '.join(self)})"


@dataclasses.dataclass(frozen=True)
class Solution:
    """The result of `solve`. With `seeds=n`, `x` and `state` have a leading seed axis, `status`
    is a tuple with one entry per seed, and `counts` are those of one run."""

    x: PyTree
    status: Status | tuple[Status, ...]
    trace: Trace
    counts: Counts
    state: State
    solver: Solver
    reason: str
    """Why this solver: the explanation of the automatic choice, or "given"."""
    message: str
    """Why the run ended, in words."""
    steps: int
    seconds: float
    """Time of the run itself, its start, exact passes and draws included; compilation and the
    measuring of criteria do not count."""
    problem: Problem
    values: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)
    """The objective and the criteria of the run at `x`, with standard errors where sampled."""
    recorded: Certificate | None = None
    """What those values certify, where they are exact."""

    @functools.cached_property
    def certificate(self) -> Certificate | None:
        """How far `x` is from the minimum, at most (`wolfnest.certificate`): the duality gap, or
        a bound with 95 % confidence where levels are endless; None unless the problem is convex.

        Where the values do not tell, the first look costs an exact pass, or a sample.
        """
        return certify(self.problem, self.x) if self.recorded is None else self.recorded

    def __repr__(self) -> str:
        status = self.status if isinstance(self.status, str) else ", ".join(self.status)
        # Only what is known: to print a solution must not cost a pass over the data.
        known = self.__dict__.get("certificate", self.recorded)
        return (
            f"Solution({self.solver.name}: {status} after {self.steps} steps in "
            f"{self.seconds:.3g} s, {self.counts.samples} samples, {self.counts.lmo} LMO calls"
            f"{'' if known is None else f', {known}'})"
        )


class DivergedError(RuntimeError):
    """Raised when a run leaves the finite numbers; `.solution` holds the last finite point."""

    def __init__(self, message: str, solution: Any) -> None:
        super().__init__(message)
        self.solution = solution
