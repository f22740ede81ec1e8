"""Where a run stands: one record that the loop moves on, the journal stores, and the outcome of
the run is made from."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from wolfnest.running.carry import Carry
from wolfnest.running.clock import Clock
from wolfnest.running.divergence import Lost
from wolfnest.running.engine import Spent
from wolfnest.solution import Counts, Trace

Arrays = dict[str, np.ndarray]


class Noted(NamedTuple):
    """A recorded point of every seed, with its value of the deciding criterion."""

    value: np.ndarray
    x: PyTree

    def or_better(self, other: Noted) -> Noted:
        """These points, or the others where their values are smaller."""
        return self.replaced((other.value < self.value) | np.isnan(self.value), other)

    def replaced(self, where: np.ndarray, other: Noted) -> Noted:
        """These points, or the others for the seeds in `where`."""
        where = np.reshape(where, np.shape(self.value))
        return Noted(np.where(where, other.value, self.value), chosen(where, other.x, self.x))


@dataclasses.dataclass(kw_only=True)
class Position:
    """Where a run stands. Arrays of numbers have one entry per seed."""

    record_every: int
    """Steps between records; a continued run keeps those of its first part, unless told."""
    stage: int = 0
    """The number of the present stage, from 0."""
    done: int = 0
    """Steps made in the present stage."""
    entered: int = 0
    """The newest stage whose start is behind."""
    steps: int = 0
    """Steps made in all."""
    counts: Counts = dataclasses.field(default_factory=Counts)
    calls: np.ndarray
    """Oracle calls."""
    passes: np.ndarray
    """Exact passes of the step-size rule."""
    reached: np.ndarray
    """Whether a seed has met the tolerance at some record."""
    tol: float | None = None
    """The tolerance that those met."""
    lost: Lost
    """The seeds that left the finite numbers."""
    clock: Clock = dataclasses.field(default_factory=Clock)
    rows: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    """The records so far."""
    best: Noted | None = None
    """The recorded points with the smallest values of the deciding criterion."""
    met: Noted | None = None
    """The points with which seeds met the tolerance; None before the first one did."""
    evaluated: int | None = None
    """On how many samples of endless levels criteria were measured last."""
    carry: Any = None
    """The `Carry` of the compiled code; None before the run has started."""

    @classmethod
    def unstarted(cls, seeds: int | None, record_every: int) -> Position:
        """Before the start of a run."""
        size = seeds or 1
        return cls(
            record_every=record_every,
            calls=np.zeros(size, np.int64),
            passes=np.zeros(size, np.int64),
            reached=np.zeros(size, bool),
            lost=Lost(seeds),
        )

    def point(self, output: str) -> PyTree:
        """The point that a run with this output would return if it ended here, unless that is one
        that was noted."""
        kept = self.carry.kept
        if output == "random":
            return kept.random.x
        return kept.mean if output == "average" else self.carry.state.x

    @property
    def trace(self) -> Trace:
        """The records as columns."""
        names = self.rows[0] if self.rows else ()
        return Trace({name: np.array([row[name] for row in self.rows]) for name in names})

    def spend(self, spent: Spent) -> tuple[int, int]:
        """Add oracle calls and exact passes of some steps; by how many of each the seed with the
        most of them has more than before."""
        lmo, passes = self.counts.lmo, int(self.passes.max())
        self.calls += np.asarray(spent.lmo)
        self.passes += np.asarray(spent.passes)
        return int(self.calls.max()) - lmo, int(self.passes.max()) - passes

    def move(self, carry: Carry, steps: int, cost: Counts, seconds: float) -> None:
        """Go on by some steps of the present stage."""
        self.carry = carry
        self.done, self.steps = self.done + steps, self.steps + steps
        self.counts += cost
        self.clock.seconds += seconds

    # ---- as arrays and JSON ------------------------------------------------------------------

    def stored(self) -> tuple[Arrays, dict[str, Any]]:
        """All of it, as named arrays and JSON values."""
        arrays = _named("carry", self.carry)
        for name in ("best", "met"):
            if getattr(self, name) is not None:
                arrays |= _named(name, getattr(self, name))
        for seed, state in self.lost.states.items():
            arrays |= _named(f"lost.{seed}", state)
        arrays |= {f"trace.{name}": column for name, column in self.trace.items()}
        values = {
            "evaluated": self.evaluated,
            "record_every": self.record_every,
            "stage": self.stage,
            "done": self.done,
            "entered": self.entered,
            "steps": self.steps,
            "seconds": self.clock.seconds,
            "wall": self.clock.wall,
            "counts": list(dataclasses.astuple(self.counts)),
            "calls": self.calls.tolist(),
            "passes": self.passes.tolist(),
            "reached": self.reached.tolist(),
            "tol": self.tol,
            "lost": {str(seed): note for seed, note in self.lost.notes.items()},
        }
        return arrays, values

    @classmethod
    def restored(
        cls, arrays: Arrays, values: dict[str, Any], like: Carry, seeds: int | None
    ) -> Position:
        """The position that was `stored`; `like` has the structure of its carry."""
        position = cls.unstarted(seeds, values["record_every"])
        for name in ("stage", "done", "entered", "steps"):
            setattr(position, name, values[name])
        position.counts = Counts(*values["counts"])
        position.clock = Clock(values["seconds"], values["wall"])
        position.calls = np.array(values["calls"], dtype=np.int64)
        position.passes = np.array(values.get("passes", position.passes), dtype=np.int64)
        position.reached = np.array(values["reached"], dtype=bool)
        position.evaluated = values.get("evaluated")
        position.tol = values.get("tol")
        position.carry = _tree("carry", like, arrays)
        for name in ("best", "met"):
            if f"{name}.0" in arrays:
                value = arrays[f"{name}.0"]
                noted = _tree(name, Noted(value, like.state.x), arrays)
                setattr(position, name, Noted(value, noted.x))
        for seed, note in values["lost"].items():
            state = _tree(f"lost.{seed}", like.state, arrays)
            position.lost.note(int(seed), state, note)
        columns = {n.removeprefix("trace."): a for n, a in arrays.items() if n.startswith("trace.")}
        length = len(next(iter(columns.values()), ()))
        position.rows = [{name: c[i] for name, c in columns.items()} for i in range(length)]
        return position


def _named(prefix: str, tree: PyTree) -> Arrays:
    return {f"{prefix}.{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(tree))}


def _tree(prefix: str, like: PyTree, arrays: Arrays) -> PyTree:
    count = len(jax.tree.leaves(like))
    leaves = [jnp.asarray(arrays[f"{prefix}.{i}"]) for i in range(count)]
    return jax.tree.unflatten(jax.tree.structure(like), leaves)


def chosen(where: np.ndarray, ours: PyTree, others: PyTree) -> PyTree:
    """Our points for the seeds in `where`, else the others."""
    pick = lambda new, old: jnp.where(_spread(where, new), new, old)
    return jax.tree.map(pick, ours, others)


def _spread(flags: np.ndarray, like: Any) -> Any:
    return flags.reshape(flags.shape + (1,) * (like.ndim - flags.ndim))
