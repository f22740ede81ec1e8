"""The compiled parts of a run. `loop` decides what to run; this file runs it.

Randomness is a function of the key and the step number alone (`streams`), and the loop has a
dynamic length: where a run is cut into calls never changes a bit of its result.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray, PyTree

from wolfnest.iteration import Iteration
from wolfnest.objective.composition import Batch
from wolfnest.objective.problem import Problem
from wolfnest.running import streams
from wolfnest.running.carry import Carry, Kept, seed_axes
from wolfnest.schedules.per_step import AbstractPerStep
from wolfnest.schedules.stage import Stage
from wolfnest.state import State

# Limits of what is drawn ahead: row numbers, and steps. A call draws for whole blocks of steps:
# longer ones would gain 3 %, and cost more in runs that are cut into short calls.
INDICES_AHEAD = 1 << 16
MOST_AHEAD = 32
# For how many steps values that differ from step to step are held at once.
WINDOW = 1 << 16

_traced = 0


def traces() -> int:
    """How often compiled functions were traced: a call that changes this number compiled."""
    return _traced


def _noted(fn: Callable) -> Callable:
    @functools.wraps(fn)
    def noted(*args: Any, **kwargs: Any) -> Any:
        global _traced
        _traced += 1
        return fn(*args, **kwargs)

    return noted


def compiled(fn: Callable) -> Callable:
    """`fn` compiled; that this happens is seen in `traces`."""
    return eqx.filter_jit(_noted(fn))


class Run(eqx.Module):
    """What the compiled functions need of a solver and a problem.

    `seeded` runs have a leading seed axis everywhere; `keep_random` and `keep_mean` say which
    fields of `Kept` are maintained.
    """

    iteration: Iteration
    problem: Problem
    seeded: bool = eqx.field(static=True, default=False)
    keep_random: bool = eqx.field(static=True, default=False)
    keep_mean: bool = eqx.field(static=True, default=False)

    def begun(self, state: State) -> tuple[Carry, Array]:
        """The carry of a stage that begins with `state`, and whether all is finite there."""
        kept = Kept.of(state, random=self.keep_random, mean=self.keep_mean)
        return Carry(state, kept), state.finite

    def over_seeds(self, fn: Any, in_axes: tuple, out_axes: tuple) -> Any:
        """`fn` for all seeds at once; what is the same for all of them stays unbatched, so that a
        snapshot is a branch taken by all seeds together and not a selection."""
        return jax.vmap(fn, in_axes=in_axes, out_axes=out_axes) if self.seeded else fn


class Spent(eqx.Module):
    """What is only known once steps are made: oracle calls, and exact passes of the step-size
    rule."""

    lmo: Array
    passes: Array


class Setting(eqx.Module):
    """A stage without its length, so that stages that differ in it share compiled code."""

    eta: Array
    alpha: Array
    tol: Array | None
    batch: int = eqx.field(static=True)
    inner: int = eqx.field(static=True)

    @classmethod
    def of(cls, stage: Stage, first: int | None = None) -> Setting:
        """The setting of the `WINDOW` steps of a stage that begin with its step `first`; None is
        all of them."""
        tol = None if stage.tol is None else jnp.asarray(stage.tol)
        eta, alpha = (_window(values, first) for values in (stage.eta, stage.alpha))
        return cls(eta, alpha, tol, stage.batch, stage.inner)

    def at(self, step: Array) -> Stage:
        """The stage as one step sees it, with scalar η and α."""
        pick = lambda values: values if values.ndim == 0 else values[step]
        return Stage(1, pick(self.eta), pick(self.alpha), self.batch, self.inner, tol=self.tol)


def _window(values: Any, first: int | None) -> Array:
    """Values of some steps, drawn out to a power of two: stages of similar length share code."""
    if values.ndim and first is not None:
        end = min(len(values), first + WINDOW)
        function = isinstance(values, AbstractPerStep)
        values = values.between(first, end) if function else values[first:end]
    values = jnp.asarray(values)
    if values.ndim == 0:
        return values
    length = 1 << (values.size - 1).bit_length()
    return jnp.pad(values, (0, length - values.size), mode="edge")


def gradient_batch_at(run: Run, keys: PRNGKeyArray, step: int, seed: int, batch_size: int) -> Batch:
    """The gradient batch that one seed draws in one step."""
    estimator, composition = run.iteration.estimator, run.problem.composition
    key = streams.step_key(keys[seed] if run.seeded else keys, step)
    return estimator.split(composition, estimator.draw(composition, key, batch_size))[1]


@compiled
def sampled(problem: Problem, key: PRNGKeyArray, stage: Any, n: int) -> Problem:
    """The problem that a stage with `sample=n` sees."""
    return problem.sample(n, streams.sample_key(key, stage))


@compiled
def begin(run: Run, x0: PyTree, keys: PRNGKeyArray, batch_size: int) -> tuple[Carry, Array]:
    """The carry at iteration 1, and whether it is finite."""

    def one(key: PRNGKeyArray) -> tuple[Carry, Array]:
        place = streams.start_key(key)
        batch = run.iteration.draw_first(run.problem.composition, place, batch_size)
        return run.begun(run.iteration.init(run.problem, x0, batch))

    return run.over_seeds(one, (0,), (seed_axes(run.keep_random), 0))(keys)


@compiled
def begin_stage(
    run: Run,
    carry: Carry,
    keys: PRNGKeyArray,
    number: Any,
    restart: int | None,
    hand_over_random: bool,
) -> tuple[Carry, Array]:
    """Hand the state over to stage `number`; also returns whether all is finite there."""

    def one(carry: Carry, key: PRNGKeyArray) -> tuple[Carry, Array]:
        state = carry.kept.random if hand_over_random else carry.state
        batch = None
        if restart is not None:
            place = streams.stage_key(key, number)
            batch = run.iteration.draw_first(run.problem.composition, place, restart)
        return run.begun(run.iteration.begin_stage(run.problem, state, restart, batch))

    axes = seed_axes(run.keep_random)
    return run.over_seeds(one, (axes, 0), (axes, 0))(carry, keys)


class Steps:
    """Steps of one run with one setting, compiled.

    What is constant is taken apart once and not in every call: that would take longer than
    starting the compiled code. Equal parts with other numbers in them share that code.
    """

    def __init__(self, run: Run, setting: Setting) -> None:
        arrays, static = eqx.partition((run, setting), eqx.is_array)
        self.arrays = [jnp.asarray(leaf) for leaf in jax.tree.leaves(arrays)]
        self.structure = jax.tree.structure(arrays)
        leaves, structure = jax.tree.flatten(static)
        self.program: Any = _program(self.structure, tuple(leaves), structure)

    def __call__(
        self, carry: Carry, keys: PRNGKeyArray, first: int, done: int, n: int
    ) -> tuple[Carry, Spent, Array]:
        place = (np.int32(first), np.int32(done), np.int32(n))
        return self.program(self.arrays, carry, keys, *place)

    def lower(self, carry: Carry, keys: PRNGKeyArray) -> Any:
        """What `jax.jit` calls lowered: to look at the compiled code."""
        return self.program.lower(self.arrays, carry, keys, *map(np.int32, (0, 0, 0)))


@functools.lru_cache(maxsize=1024)
def _program(arrays: Any, static: tuple[Any, ...], structure: Any) -> Callable:
    def advance(leaves: list[Array], *args: Any) -> tuple[Carry, Spent, Array]:
        parts = eqx.combine(arrays.unflatten(leaves), structure.unflatten(static))
        return make_steps(*parts, *args)

    return jax.jit(_noted(advance))


def make_steps(
    run: Run, setting: Setting, carry: Carry, keys: PRNGKeyArray, first: Any, done: Any, n: Any
) -> tuple[Carry, Spent, Array]:
    """`n` steps, of which the first has the number `first`; `done` steps of the stage are behind.

    The random part of some steps is drawn ahead in one vectorised call: drawing step by step
    would cost more than the steps. Also returns what was spent and whether everything was
    finite after every step: an estimate that starts afresh may hide that it was not.
    """
    ahead = _steps_ahead(run, setting.batch, keys.size)
    estimator, composition = run.iteration.estimator, run.problem.composition

    def one(carry: Carry, key: PRNGKeyArray) -> tuple[Carry, Spent, Array]:
        def draw(step: Array) -> tuple[Any, Array]:
            tickets = estimator.tickets(composition, streams.step_key(key, step), setting.batch)
            lot = streams.lot_key(key, step)
            return tickets, jax.random.uniform(lot) if run.keep_random else jnp.zeros(())

        def block(number: Array, loop: tuple[Carry, Spent, Array]) -> tuple[Carry, Spent, Array]:
            start = number * ahead
            drawn = jax.vmap(draw)(first + start + jnp.arange(ahead))

            def body(j: Array, loop: tuple[Carry, Spent, Array]) -> tuple[Carry, Spent, Array]:
                carry, spent, finite = loop
                tickets, lot = jax.tree.map(lambda a: a[j], drawn)
                stage = setting.at(done + start + j)
                batch = estimator.fetch(composition, tickets, stage.batch)
                kept = carry.kept.joined_by(carry.state, lot)
                state, info = run.iteration.step(run.problem, carry.state, batch, stage)
                spent = Spent(spent.lmo + info.lmo, spent.passes + info.passes)
                return Carry(state, kept), spent, finite & state.finite

            return jax.lax.fori_loop(0, jnp.minimum(ahead, n - start), body, loop)

        blocks = (n + ahead - 1) // ahead
        begun = (carry, Spent(jnp.int32(0), jnp.int32(0)), carry.state.finite)
        return jax.lax.fori_loop(0, blocks, block, begun)

    axes = seed_axes(run.keep_random)
    return run.over_seeds(one, (axes, 0), (axes, 0, 0))(carry, keys)


def _steps_ahead(run: Run, batch_size: int, seeds: int) -> int:
    """For how many steps to draw at once: enough to amortise, little enough to stay in cache."""
    levels = max(1, run.problem.composition.sampled_levels)
    per_step = max(1, seeds * batch_size * run.iteration.estimator.copies * levels)
    return min(MOST_AHEAD, max(1, INDICES_AHEAD // per_step))


def grow(run: Run, carry: Carry) -> Carry:
    """The carry with more room for what the direction keeps."""
    direction, random = run.iteration.direction, carry.kept.random
    random = None if random is None else direction.grow(random)
    return Carry(direction.grow(carry.state), Kept(random, carry.kept.mean))
