"""Criteria measured along a run, and the rows they become."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from wolfnest import metrics
from wolfnest.common import pytrees
from wolfnest.objective.problem import Problem
from wolfnest.running import engine
from wolfnest.running.position import Position
from wolfnest.state import State

Criterion = str | Callable[[Problem, PyTree], Any]

NAMED = ("frank_wolfe_gap", "gradient_mapping", "objective", "estimator_error")
RESERVED = {*NAMED, "step", "stage", "time", "samples", "evaluations", "lmo", "objective_estimate"}
# β of the gradient mapping: the same for all methods, which could not be compared otherwise.
BETA = 1.0


class Criteria:
    """What is measured along a run; the first criterion decides when it has converged."""

    def __init__(
        self,
        problem: Problem,
        criterion: Criterion | tuple[Criterion, ...],
        seeds: int | None,
    ) -> None:
        criteria = tuple(criterion) if isinstance(criterion, tuple | list) else (criterion,)
        if not criteria:
            raise ValueError("criterion must name at least one criterion, got an empty tuple.")
        for one in criteria:
            if not (callable(one) or one in NAMED):
                raise ValueError(
                    f"criterion must be one of {', '.join(NAMED)} or a function of "
                    f"(problem, x), got {one!r}."
                )
        self.custom = {name_of(c): c for c in criteria if callable(c)}
        self.names = tuple(name_of(c) for c in criteria)
        taken = RESERVED & set(self.custom)
        if taken:
            raise ValueError(
                f"a criterion may not be called {', '.join(sorted(taken))}: the trace has a column "
                "of that name. Give the function another one."
            )
        if len(set(self.names)) < len(self.names):
            raise ValueError(
                f"criterion must name different criteria, got {', '.join(self.names)}: wrap one "
                "of two functions with the same name in a function with another name."
            )
        self.computed = tuple(c for c in criteria if isinstance(c, str))
        self.problem, self.seeds = problem, seeds
        self.samples, self.excess = metrics.sample_size(problem), np.zeros(())
        self.groups = metrics.evaluation_groups(problem, self.samples, 0)
        # Fails here, before the run, where the set has no projection.
        point = jax.eval_shape(problem.start)
        jax.eval_shape(lambda x: _measure(self.computed, self.groups[0], x, None, x), point)

    def measure(self, x: PyTree, state: State) -> dict[str, np.ndarray]:
        """The objective and all criteria at `x`, with standard errors where sampled; the error of
        the estimates is that of `state`."""
        seeded = self.seeds is not None
        # Not the whole state: what it keeps may grow, and would compile this anew.
        elsewhere = None if x is state.x else state.x
        points = (x, elsewhere if state.ahead is None else state.ahead.point, state.v)
        whole, *groups = (
            jax.tree.map(np.asarray, _measured(self.computed, group, points, seeded))
            for group in self.groups
        )
        errors = {
            f"{name}_se": metrics.standard_error(np.stack([group[name] for group in groups]))
            for name in (whole if groups else ())
        }
        if groups:
            # A maximum over noise is too large by c/√n: on groups, which are 16 times smaller, by
            # four times as much as on the whole.
            name = self.names[0]
            mean = np.mean([group[name] for group in groups], axis=0) if name in whole else 0.0
            self.excess = np.maximum(0.0, (mean - whole.get(name, 0.0)) / 3)
        custom = {name: self._custom(fn, x) for name, fn in self.custom.items()}
        return {**whole, **errors, **custom}

    def resize(self, samples: int) -> None:
        """Measure on so many samples of endless levels."""
        if samples != self.samples:
            self.samples = samples
            self.groups = metrics.evaluation_groups(self.problem, samples, 0)

    def grow(self) -> bool:
        """Measure on twice as many samples from now on; False where no more are allowed."""
        allowed = 2 * self.samples <= metrics.largest_sample(self.problem)
        if allowed:
            self.resize(2 * self.samples)
        return allowed

    def undecided(self, row: dict[str, Any], tol: float | None, done: np.ndarray) -> bool:
        """Whether the noise of a record hides if some seed, not yet `done`, has met a tolerance:
        that is below the noise, and the criterion, without what noise adds to it, within two
        standard errors of it."""
        if tol is None or f"{self.names[0]}_se" not in row:
            return False
        value, error = (np.atleast_1d(row[name]) for name in (self.names[0], f"{self.names[0]}_se"))
        excess = np.atleast_1d(self.excess)
        noise = error + excess
        hidden = (value > tol) & (noise > tol) & (value - excess <= tol + 2 * error)
        return bool((hidden & ~done).any() and (hidden | done | (value <= tol)).all())

    def _custom(self, criterion: Callable, x: PyTree) -> np.ndarray:
        if self.seeds is None:
            return np.asarray(float(criterion(self.problem, x)))
        points = [jax.tree.map(lambda a, s=s: a[s], x) for s in range(self.seeds)]
        return np.asarray([float(criterion(self.problem, point)) for point in points])

    def row(self, position: Position, output: str) -> dict[str, Any]:
        """The record of a run where it stands, at the point that its output is so far."""
        counts, state = position.counts, position.carry.state
        return {
            "step": position.steps,
            "stage": position.stage + 1,
            "time": position.clock.seconds,
            "samples": counts.samples,
            "evaluations": counts.evaluations,
            "lmo": counts.lmo,
            **self.measure(position.point(output), state),
            "objective_estimate": np.asarray(state.u[-1]),
        }

    def is_value(self, name: str) -> bool:
        """Whether a column of a record is what a point reached, or the error of that."""
        return name.removesuffix("_se") in {*self.names, "objective"}

    def deciding(self, row: dict[str, Any]) -> Any:
        """The first criterion of a record, one number or one per seed."""
        return row[self.names[0]]


def name_of(criterion: Criterion) -> str:
    if isinstance(criterion, str):
        return criterion
    if isinstance(criterion, functools.partial):
        return name_of(criterion.func)
    return getattr(criterion, "__name__", type(criterion).__name__)


@engine.compiled
def _measured(
    names: tuple[str, ...], problem: Problem, points: tuple[PyTree, ...], seeded: bool
) -> dict[str, Array]:
    measure = lambda point: _measure(names, problem, point[0], point[1], point[2])
    return metrics.at_points(measure, points, seeded)


def _measure(
    names: tuple[str, ...], problem: Problem, x: PyTree, at: PyTree | None, v: PyTree
) -> dict[str, Array]:
    """The criteria at `x`; `v` estimates the gradient there, or at `at`."""
    value, gradient = problem.value_and_gradient(x)
    found = {"objective": value}
    if "frank_wolfe_gap" in names:
        found["frank_wolfe_gap"] = metrics.gap_of(problem.domain, x, gradient)
    if "gradient_mapping" in names:
        found["gradient_mapping"] = metrics.mapping_of(problem.domain, x, gradient, BETA)
    if "estimator_error" in names:
        there = gradient if at is None else problem.gradient(at)
        found["estimator_error"] = jnp.sqrt(pytrees.squared_norm(pytrees.subtract(v, there)))
    return found
