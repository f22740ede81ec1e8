"""Where the randomness of a run comes from: every draw is a function of the run's key, a stream and
a number, never of what was drawn before. A run can be cut anywhere without changing a bit of it."""

from __future__ import annotations

from typing import Any

import jax
from jaxtyping import PRNGKeyArray

# The first estimates; the batches of steps; estimates that start anew with a stage; the choice of a
# random iterate; the keys of several seeds; the samples of the data that stages see.
INIT, STEPS, STAGES, LOTS, SEEDS, SAMPLES = range(6)


def seed_keys(key: PRNGKeyArray, seeds: int | None) -> PRNGKeyArray:
    """The key of a run, or one key for each of several."""
    return key if seeds is None else jax.random.split(jax.random.fold_in(key, SEEDS), seeds)


def start_key(key: PRNGKeyArray) -> PRNGKeyArray:
    """The key of the batch of the first estimates."""
    return jax.random.fold_in(key, INIT)


def step_key(key: PRNGKeyArray, step: Any) -> PRNGKeyArray:
    """The key of the batch of a step; steps are counted through all stages."""
    return jax.random.fold_in(jax.random.fold_in(key, STEPS), step)


def lot_key(key: PRNGKeyArray, step: Any) -> PRNGKeyArray:
    """The key of the lot that decides whether a step's iterate is the random one."""
    return jax.random.fold_in(jax.random.fold_in(key, LOTS), step)


def stage_key(key: PRNGKeyArray, stage: Any) -> PRNGKeyArray:
    """The key of the batch from which a stage restarts."""
    return jax.random.fold_in(jax.random.fold_in(key, STAGES), stage)


def sample_key(key: PRNGKeyArray, stage: Any) -> PRNGKeyArray:
    """The key of the sample of the data that a stage sees; the same for all seeds."""
    return jax.random.fold_in(jax.random.fold_in(key, SAMPLES), stage)
