"""A run's checkpoints: what is written, and how a run continues from it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from wolfnest.running import checkpoint as storage
from wolfnest.running import engine
from wolfnest.running.checkpoint import Checkpoint
from wolfnest.solution import Counts

if TYPE_CHECKING:
    from wolfnest.running.loop import Loop


class Journal:
    """Stores a loop in a directory now and then; does nothing without a directory."""

    def __init__(self, checkpoint: Checkpoint | None) -> None:
        self.checkpoint = checkpoint
        self.written = time.monotonic()
        self.identity = ""

    @classmethod
    def of(cls, value: Checkpoint | str | Path | None) -> Journal:
        if value is None or isinstance(value, Checkpoint):
            return cls(value)
        return cls(Checkpoint(value))

    def open(self, loop: Loop) -> None:
        """Prepare the directory, and put the loop where an earlier run of it ended."""
        if self.checkpoint is None:
            return
        directory = storage.prepare(self.checkpoint.directory)
        self.identity = storage.fingerprint(*loop.identity())
        stored = storage.load(directory)
        if stored is None:
            return
        if not self.checkpoint.resume:
            raise ValueError(
                f"{directory} holds an earlier run and resume is False: name another directory, "
                "or delete it."
            )
        arrays, meta = stored
        if meta["identity"] != self.identity:
            raise ValueError(
                f"{directory} holds a run with another problem, solver, key, x0 or other setting; "
                "it cannot be continued by this one. Name another directory, or delete it."
            )
        _restore(loop, arrays, meta)

    def save_if_due(self, loop: Loop) -> None:
        if self.checkpoint is None or time.monotonic() - self.written < self.checkpoint.every:
            return
        self.save(loop)

    def save(self, loop: Loop) -> None:
        if self.checkpoint is None:
            return
        storage.save(self.checkpoint.directory, *_content(loop, self.identity))
        self.written = time.monotonic()


def _content(loop: Loop, identity: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    arrays = _named("carry", loop.carry)
    if loop.best is not None:
        arrays |= _named("best", loop.best)
    for seed, state in loop.lost.states.items():
        arrays |= _named(f"lost.{seed}", state)
    arrays |= {f"trace.{name}": column for name, column in loop.recorder.trace().items()}
    meta = {
        "identity": identity,
        "stage": loop.stage,
        "done": loop.done,
        "entered": loop.entered,
        "steps": loop.steps,
        "seconds": loop.seconds,
        "wall": loop.wall,
        "counts": [loop.counts.samples, loop.counts.evaluations, loop.counts.lmo],
        "calls": loop.calls.tolist(),
        "passes": loop.passes.tolist(),
        "reached": loop.reached.tolist(),
        "lost": {str(seed): note for seed, note in loop.lost.notes.items()},
    }
    return arrays, meta


def _restore(loop: Loop, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
    like = jax.eval_shape(lambda: engine.begin(loop.whole, loop.request.x0, loop.keys, 1)[0])
    loop.carry = _tree("carry", like, arrays)
    if "best.0" in arrays:
        loop.best = _tree("best", (arrays["best.0"], like.state.x), arrays)
    for seed, note in meta["lost"].items():
        loop.lost.mask[int(seed)] = True
        loop.lost.notes[int(seed)] = note
        loop.lost.states[int(seed)] = _tree(f"lost.{seed}", like.state, arrays)
    columns = {n.removeprefix("trace."): a for n, a in arrays.items() if n.startswith("trace.")}
    loop.recorder.restore(columns)
    loop.stage, loop.done, loop.steps = meta["stage"], meta["done"], meta["steps"]
    loop.entered, loop.calls = meta["entered"], np.array(meta["calls"], dtype=np.int64)
    loop.passes = np.array(meta.get("passes", loop.passes), dtype=np.int64)
    loop.reached = np.array(meta["reached"], dtype=bool)
    loop.seconds, loop.counts = meta["seconds"], Counts(*meta["counts"])
    loop.opened -= meta["wall"]


def _named(prefix: str, tree: PyTree) -> dict[str, np.ndarray]:
    return {f"{prefix}.{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(tree))}


def _tree(prefix: str, like: PyTree, arrays: dict[str, np.ndarray]) -> PyTree:
    count = len(jax.tree.leaves(like))
    leaves = [jnp.asarray(arrays[f"{prefix}.{i}"]) for i in range(count)]
    return jax.tree.unflatten(jax.tree.structure(like), leaves)
