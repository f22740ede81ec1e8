"""Runs of `wn.solve` on a budget of samples, and the time that they take.

A run that is cut at its records takes longer than one that is not, since every call of compiled
code takes a moment to start. How the time is spread over the records therefore comes from runs with
records, and how much there is of it from runs without.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from wolfnest.running.costs import affordable_steps
from wolfnest.running.solve import solve
from wolfnest.solution import Solution, Status
from wolfnest.solver import Solver
from wolfnest_reproduction.define.posing import Posed

CRITERIA = ("frank_wolfe_gap", "gradient_mapping")
# Runs are repeated until they have taken so many seconds together; one that takes longer is timed
# once: noise is small against it.
SECONDS = 0.5
LEAST_REPEATS, MOST_REPEATS = 5, 30


@dataclass(frozen=True)
class Runs:
    """A method on a problem, to a number of samples; only the key differs between runs.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> level = wn.Level(lambda x, a: (a @ x) ** 2, data=jnp.eye(3))
    >>> problem = wn.Problem([level], wn.sets.Simplex(3))
    >>> runs = Runs(Posed(problem, problem.start(), 0.0), wn.method("PMVR-v1", batch=10), 1_005)
    >>> found = runs.run(key=0, records=4)
    >>> found.trace.step.tolist(), found.counts.samples
    ([0, 25, 50, 75, 99], 1000)
    """

    posed: Posed
    solver: Solver
    samples: int

    @functools.cached_property
    def steps(self) -> int:
        steps = affordable_steps(self.solver, self.posed.problem.composition, self.samples)
        if steps == 0:
            raise ValueError(
                f"the budget of {self.samples:,} samples pays for no step of {self.solver.name}. "
                "Take a longer horizon or larger batches."
            )
        return steps

    def run(self, key: int, records: int, criteria: tuple[str, ...] = CRITERIA) -> Solution:
        """One run with its start and about as many records as asked for, evenly spread."""
        return solve(
            self.posed.problem,
            self.solver,
            self.posed.x0,
            key=key,
            budget={"samples": self.samples},
            criterion=criteria,
            record_every=-(-self.steps // records),
            progress=False,
            throw=False,
        )

    def times(self, cut: list[Solution], key: int) -> tuple[np.ndarray, float]:
        """Seconds at every record, for runs that are not cut, and the spread of that time: the
        range of the middle half of the repeated runs, relative to their median."""
        whole: list[Solution] = []
        while len(whole) < LEAST_REPEATS or sum(run.seconds for run in whole) < SECONDS:
            whole.append(self.run(key, records=1))
            if whole[0].seconds > SECONDS or len(whole) == MOST_REPEATS:
                break
        seconds = [run.seconds for run in whole]
        low, middle, high = np.percentile(seconds, (25, 50, 75))
        longest = max(len(run.trace.step) for run in cut)
        times = np.median([r.trace.time for r in cut if len(r.trace.step) == longest], axis=0)
        # Other programs on the machine only ever add: the quickest run is the undisturbed one.
        start = min(run.trace.time[0] for run in whole)
        shares = (times - times[0]) / max(times[-1] - times[0], 1e-12)
        # A run that broke off is timed as far as it went.
        reached = np.interp(whole[0].steps, cut[0].trace.step, shares[: len(cut[0].trace.step)])
        scale = (max(min(seconds), start + 1e-9) - start) / max(float(reached), 1e-12)
        return start + scale * shares, float((high - low) / middle)


def lost(run: Solution) -> bool:
    """Whether a run left the finite numbers, be it only in passing."""
    numbers = [run.trace[name] for name in ("objective", "frank_wolfe_gap")]
    return run.status is Status.DIVERGED or not np.isfinite(numbers).all()
