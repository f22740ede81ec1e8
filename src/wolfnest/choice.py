"""The automatic choice of a method: the paper's advice, with settings that need no tuning."""

from __future__ import annotations

import math

from wolfnest.methods import method
from wolfnest.problem import Problem
from wolfnest.solver import Solver

BATCH = 128
BATCH_BYTES = 1 << 28
# Batches below this count as small, where plain momentum is steadier than variance reduction.
LARGE_BATCH = 64


def choose(problem: Problem, steps: int | None, batch: int | None = None) -> tuple[Solver, str]:
    """A solver for `problem` and the reason for it, in words.

    convex and finite sum → SwPMFS; convex → SwPMVR; finite sum → PMFS; otherwise PMVR for large
    batches and PMM for small ones. Without a number of steps (`steps=None`) there is no horizon
    to fit a step size to, and the stage-wise forms are taken throughout. With more than one level
    the gradient gets its own batch, because a shared one biases it.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> level = wn.Level(lambda x, a: (a @ x) ** 2, data=jnp.eye(3))
    >>> solver, reason = choose(wn.Problem([level], wn.sets.Simplex(3)), steps=100)
    >>> solver.name, reason
    ('PMFS-v1', 'PMFS-v1: not declared convex, and every level is a finite sum or deterministic')
    """
    composition = problem.composition
    exact = composition.endless is None
    batch = _batch(problem, exact) if batch is None else batch
    common = {
        "batch": batch,
        "gradient_batch": "shared" if len(composition) == 1 else "separate",
    }
    strong, version = problem.strong_convexity, "v1"
    reasons = ["not declared convex"]
    if problem.convex:
        reasons = ["declared convex" if strong is None else "declared strongly convex"]
    if exact:
        family = "PMFS"
        reasons.append("every level is a finite sum or deterministic")
    else:
        # The advice for convex problems names PMVR whatever the batch.
        family = "PMVR" if batch >= LARGE_BATCH or problem.convex else "PMM"
        reasons.append(f"level {composition.endless} is an endless sampler")
        if not problem.convex:
            size = "large" if family == "PMVR" else "small"
            reasons.append(f"batches of {batch} are {size}")
    if problem.convex:
        settings = {}
        if strong is not None:
            version, settings = "v2", {"strong_convexity": float(strong), "inner": 20}
        name = f"Sw{family}-{version}"
    elif steps is None:
        name, settings = f"Sw{family}-v1", {"decay": 2 / 3}
        reasons.append("no number of steps to fit a step size to")
    else:
        # The horizon sets the step, with the exponent of Theorem 2. Momentum lags behind by η/α,
        # so its α falls more slowly than η.
        eta = steps ** (-2 / 3)
        alpha = {"PMFS": 0.3, "PMVR": eta, "PMM": steps**-0.5}[family]
        name, settings = f"{family}-v1", {"eta": eta, "alpha": alpha}
    told = ", ".join(reasons[:-1]) + f", and {reasons[-1]}"
    return method(name, **common, **settings), f"{name}: {told}"


def _batch(problem: Problem, exact: bool) -> int:
    """√m, the batch of the large-batch theorems, for finite sums; else what fits in memory."""
    if exact:
        return max(16, min(1024, math.isqrt((problem.composition.largest or 1) - 1) + 1))
    return max(1, min(BATCH, BATCH_BYTES // problem.composition.sample_bytes))
