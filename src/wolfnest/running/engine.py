"""The compiled parts of a run. `solve` decides what to run; this file runs it.

Randomness is a function of the key and the step number alone, and the loop has a dynamic
length: where a run is cut into calls never changes a bit of its result.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray, PyTree

from wolfnest import solver
from wolfnest.common import pytrees
from wolfnest.directions import AbstractDirection
from wolfnest.estimators.base import AbstractEstimator
from wolfnest.objective.composition import Batch
from wolfnest.objective.problem import Problem
from wolfnest.schedules.stage import Stage
from wolfnest.state import State
from wolfnest.stepsizes import AbstractStepSize, Scheduled

# Streams of randomness that a run's key is split into, and the stream that the keys of several
# seeds are split from.
INIT, STEPS, STAGES, LOTS, SEEDS, SAMPLES = range(6)
# Limits of what is drawn ahead: row numbers, and steps. A call draws for whole blocks of steps:
# longer ones would gain 3 %, and cost more in runs that are cut into short calls.
INDICES_AHEAD = 1 << 16
MOST_AHEAD = 32

_traced = 0


def traces() -> int:
    """How often functions of this file were traced: a call that changes this number compiled."""
    return _traced


def _noted(fn: Callable) -> Callable:
    @functools.wraps(fn)
    def noted(*args: Any, **kwargs: Any) -> Any:
        global _traced
        _traced += 1
        return fn(*args, **kwargs)

    return noted


def _compiled(fn: Callable) -> Callable:
    return eqx.filter_jit(_noted(fn))


class Kept(eqx.Module):
    """What is kept of the points of the stage so far, None where it is not asked for.

    `random` is the state of an iteration chosen uniformly (by reservoir sampling, so that it is
    valid whenever the run stops), `mean` the average point.
    """

    random: Any
    mean: PyTree


class Carry(eqx.Module):
    """What a run carries from call to call."""

    state: State
    kept: Kept


class Run(eqx.Module):
    """The parts of a solver and a problem that the compiled functions need.

    `seeded` runs have a leading seed axis everywhere; `keep_random` and `keep_mean` say which
    fields of `Kept` are maintained.
    """

    estimator: AbstractEstimator
    direction: AbstractDirection
    problem: Problem
    seeded: bool = eqx.field(static=True)
    keep_random: bool = eqx.field(static=True)
    keep_mean: bool = eqx.field(static=True)
    step_size: AbstractStepSize = Scheduled()


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
    def of(cls, stage: Stage) -> Setting:
        tol = None if stage.tol is None else jnp.asarray(stage.tol)
        return cls(_padded(stage.eta), _padded(stage.alpha), tol, stage.batch, stage.inner)

    def at(self, step: Array) -> Stage:
        """The stage as one step sees it, with scalar η and α."""
        pick = lambda values: values if values.ndim == 0 else values[step]
        return Stage(1, pick(self.eta), pick(self.alpha), self.batch, self.inner, tol=self.tol)


def _padded(values: Any) -> Array:
    """Values of all steps, drawn out to a power of two: stages of similar length share code."""
    values = jnp.asarray(values)
    if values.ndim == 0:
        return values
    length = 1 << (values.size - 1).bit_length()
    return jnp.pad(values, (0, length - values.size), mode="edge")


def seed_keys(key: PRNGKeyArray, seeds: int | None) -> PRNGKeyArray:
    """The key of a run, or one key for each of several."""
    return key if seeds is None else jax.random.split(jax.random.fold_in(key, SEEDS), seeds)


def step_key(key: PRNGKeyArray, step: Any) -> PRNGKeyArray:
    """The key from which the batch of a step is drawn; steps are counted through all stages."""
    return jax.random.fold_in(jax.random.fold_in(key, STEPS), step)


def gradient_batch_at(run: Run, keys: PRNGKeyArray, step: int, seed: int, batch_size: int) -> Batch:
    """The gradient batch that one seed draws in one step."""
    composition = run.problem.composition
    key = step_key(keys[seed] if run.seeded else keys, step)
    return run.estimator.split(composition, run.estimator.draw(composition, key, batch_size))[1]


def _steps_ahead(run: Run, batch_size: int, seeds: int) -> int:
    """For how many steps to draw at once: enough to amortise, little enough to stay in cache."""
    levels = max(1, run.problem.composition.sampled_levels)
    per_step = max(1, seeds * batch_size * run.estimator.copies * levels)
    return min(MOST_AHEAD, max(1, INDICES_AHEAD // per_step))


def _over_seeds(run: Run, fn: Any, in_axes: tuple, out_axes: Any) -> Any:
    """`fn` for all seeds at once; what is the same for all of them stays unbatched, so that a
    snapshot is a branch taken by all seeds together and not a selection."""
    return jax.vmap(fn, in_axes=in_axes, out_axes=out_axes) if run.seeded else fn


def _carry_axes(run: Run) -> Any:
    """Everything has a seed axis but the iteration numbers."""
    state = State(0, 0, 0, None, None, 0, 0, 0, 0, 0, 0)  # type: ignore[arg-type]
    return Carry(state, Kept(state if run.keep_random else None, 0))


@_compiled
def sampled(problem: Problem, key: PRNGKeyArray, stage: Any, n: int) -> Problem:
    """The problem that a stage with `sample=n` sees."""
    return problem.sample(n, jax.random.fold_in(jax.random.fold_in(key, SAMPLES), stage))


@_compiled
def begin(run: Run, x0: PyTree, keys: PRNGKeyArray, batch_size: int) -> tuple[Carry, Array]:
    """The carry at iteration 1, and whether it is finite."""

    def one(key: PRNGKeyArray) -> tuple[Carry, Array]:
        composition = run.problem.composition
        batch = None
        if not run.estimator.exact_start:
            batch = run.estimator.draw(composition, jax.random.fold_in(key, INIT), batch_size)
        state = solver.init(run.estimator, run.direction, run.step_size, run.problem, x0, batch)
        return Carry(state, _first_kept(run, state)), _finite(state)

    return _over_seeds(run, one, (0,), (_carry_axes(run), 0))(keys)


@_compiled
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
        if restart is not None and not run.estimator.exact_start:
            stream = jax.random.fold_in(jax.random.fold_in(key, STAGES), number)
            batch = run.estimator.draw(run.problem.composition, stream, restart)
        state = solver.begin_stage(run.estimator, run.problem, state, restart, batch)
        return Carry(state, _first_kept(run, state)), _finite(state)

    axes = _carry_axes(run)
    return _over_seeds(run, one, (axes, 0), (axes, 0))(carry, keys)


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

    def one(carry: Carry, key: PRNGKeyArray) -> tuple[Carry, Spent, Array]:
        def draw(step: Array) -> tuple[Any, Array]:
            composition = run.problem.composition
            tickets = run.estimator.tickets(composition, step_key(key, step), setting.batch)
            lot = jax.random.fold_in(jax.random.fold_in(key, LOTS), step)
            return tickets, jax.random.uniform(lot) if run.keep_random else jnp.zeros(())

        def block(number: Array, loop: tuple[Carry, Spent, Array]) -> tuple[Carry, Spent, Array]:
            start = number * ahead
            drawn = jax.vmap(draw)(first + start + jnp.arange(ahead))

            def body(j: Array, loop: tuple[Carry, Spent, Array]) -> tuple[Carry, Spent, Array]:
                carry, spent, finite = loop
                tickets, lot = jax.tree.map(lambda a: a[j], drawn)
                stage = setting.at(done + start + j)
                batch = run.estimator.fetch(run.problem.composition, tickets, stage.batch)
                kept = _keep(run, carry, lot)
                parts = (run.estimator, run.direction, run.step_size, run.problem)
                state, info = solver.step(*parts, carry.state, batch, stage)
                spent = Spent(spent.lmo + info.lmo, spent.passes + info.passes)
                return Carry(state, kept), spent, finite & _finite(state)

            return jax.lax.fori_loop(0, jnp.minimum(ahead, n - start), body, loop)

        blocks = (n + ahead - 1) // ahead
        begun = (carry, Spent(jnp.int32(0), jnp.int32(0)), _finite(carry.state))
        return jax.lax.fori_loop(0, blocks, block, begun)

    axes = _carry_axes(run)
    return _over_seeds(run, one, (axes, 0), (axes, 0, 0))(carry, keys)


def grow(run: Run, carry: Carry) -> Carry:
    """The carry with more room for what the direction keeps."""
    random = None if carry.kept.random is None else run.direction.grow(carry.kept.random)
    return Carry(run.direction.grow(carry.state), Kept(random, carry.kept.mean))


def _finite(state: State) -> Array:
    return pytrees.all_finite((state.x, state.u, state.v))


def _first_kept(run: Run, state: State) -> Kept:
    return Kept(state if run.keep_random else None, state.x if run.keep_mean else None)


def _keep(run: Run, carry: Carry, lot: Array) -> Kept:
    """Take the present state, before its move, into what is kept of the stage."""
    state, kept = carry.state, carry.kept
    random, mean = kept.random, kept.mean
    if run.keep_random:
        pick = lambda new, old: jnp.where(lot * state.t < 1, new, old)
        picked = jax.tree.map(pick, state, random)
        random = dataclasses.replace(picked, t=state.t, k=state.k)
    if run.keep_mean:
        mean = pytrees.move(mean, state.x, 1.0 / state.t)
    return Kept(random, mean)
