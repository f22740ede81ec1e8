"""When a run leaves the finite numbers: the last finite point, and which level is to blame.

The compiled loop only notes whether every state was finite; when one was not, the call is replayed
to find the last good one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from wolfnest.common import pytrees
from wolfnest.objective.composition import Batch, Composition
from wolfnest.state import State


def is_finite(tree: PyTree) -> bool:
    return bool(pytrees.all_finite(tree))


def culprit(composition: Composition, state: State, batch: Batch) -> str:
    """What is not finite in a state whose gradient was computed from `batch`, or from exact passes,
    in the order in which it is computed."""
    if not is_finite(state.x):
        return "x is not finite"
    for number, value in enumerate(state.u, 1):
        if not is_finite(value):
            return f"the value of level {number} is not finite"
    levels = composition.levels
    number = _derivative(state, lambda i, y, c: levels[i].pull_mean(y, batch[i], c))
    if number is None and composition.endless is None:
        number = _derivative(state, lambda i, y, c: levels[i].exact_pull(y, c))
    if number is None:
        return "the gradient estimate v is not finite"
    return f"the derivative of level {number} is not finite"


def _derivative(state: State, pull: Callable[[int, PyTree, PyTree], PyTree]) -> int | None:
    """The first level, from the top, whose pull-back is not finite."""
    cotangent = jnp.ones((), state.u[-1].dtype)
    for i in range(len(state.u) - 1, -1, -1):
        cotangent = pull(i, state.inputs[i], cotangent)
        if not is_finite(cotangent):
            return i + 1
    return None


class Lost:
    """The seeds that left the finite numbers, each with its last finite state.

    A run without seeds is a run with one seed and no seed axis.
    """

    def __init__(self, seeds: int | None) -> None:
        self.seeds = seeds
        self.mask = np.zeros(seeds or 1, dtype=bool)
        self.states: dict[int, State] = {}
        self.notes: dict[int, str] = {}

    @property
    def all(self) -> bool:
        return bool(self.mask.all())

    @property
    def message(self) -> str:
        """One line: what was lost, and where."""
        notes = [
            note if self.seeds is None else f"seed {seed}: {note}"
            for seed, note in self.notes.items()
        ]
        more = f" (and {len(notes) - 3} more seeds)" if len(notes) > 3 else ""
        return "; ".join(notes[:3]) + more

    def alive(self, values: Any) -> np.ndarray:
        """The entries of the seeds that are still finite (of all, where none is)."""
        values = np.atleast_1d(values)
        return values if self.all else values[~self.mask]

    def take(self, state: State, seed: int) -> State:
        """The state of one seed."""
        if self.seeds is None:
            return state
        taken = jax.tree.map(lambda a: a if a.ndim == 0 else a[seed], state)
        return dataclasses.replace(taken, t=state.t)

    def find(
        self,
        finite: np.ndarray,
        n: int,
        replay: Callable[[int], tuple[Any, Any, Any]],
        batch: Callable[[int, int], Batch],
        *,
        step: int,
        composition: Composition,
    ) -> int:
        """Note every seed that was lost within a call of `n` steps begun at `step`.

        `replay(k)` gives the result of the first k steps, `batch(k, seed)` the samples of the
        step after them. Returns the last finite step of the last seed, counted within the call.
        """
        latest = 0
        for seed in np.flatnonzero(~finite & ~self.mask).tolist():
            low, high = 0, n
            while high - low > 1:
                middle = (low + high) // 2
                ok = bool(np.atleast_1d(np.asarray(replay(middle)[2]))[seed])
                low, high = (middle, high) if ok else (low, middle)
            last, bad = (self.take(replay(k)[0].state, seed) for k in (low, high))
            where = culprit(composition, bad, batch(low, seed))
            self.note(seed, last, f"{where} at step {step + high}")
            latest = max(latest, low)
        return latest

    def at_stage_start(
        self, before: Any, after: Any, finite: Any, step: int, composition: Composition
    ) -> None:
        """Note every seed whose estimates were lost when a stage began (from carry to carry)."""
        finite = np.atleast_1d(np.asarray(finite))
        for seed in np.flatnonzero(~finite & ~self.mask).tolist():
            batch = composition.draw(jax.random.key(0), 64)
            where = culprit(composition, self.take(after.state, seed), batch)
            self.note(seed, self.take(before.state, seed), f"{where} after step {step}")

    def note(self, seed: int, last: State, note: str) -> None:
        """One seed is lost: its last finite state, and what happened."""
        self.states[seed], self.notes[seed], self.mask[seed] = last, note, True

    def restore(self, state: State) -> State:
        """`state` with the last finite state of every lost seed in its place."""
        for seed, last in self.states.items():
            if self.seeds is None:
                return last
            put = lambda a, b, seed=seed: a if a.ndim == 0 else a.at[seed].set(b)
            state = dataclasses.replace(jax.tree.map(put, state, last), t=state.t)
        return state
