"""The automatic choice of a method: the paper's advice, with settings that need no tuning."""

from __future__ import annotations

import math

from wolfnest.methods import method
from wolfnest.problem import Problem
from wolfnest.solver import Solver

BATCH = 128
# Batches below this count as small, where plain momentum is steadier than variance reduction.
LARGE_BATCH = 64


def choose(problem: Problem, steps: int, batch: int | None = None) -> tuple[Solver, str]:
    """A solver for `problem` and the reason for it, in words.

    convex and finite sum → SwPMFS; convex → SwPMVR; finite sum → PMFS; otherwise PMVR for large
    batches and PMM for small ones. With more than one level the gradient gets its own batch,
    because a shared one biases it.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> level = wn.Level(lambda x, a: (a @ x) ** 2, data=jnp.eye(3))
    >>> solver, reason = choose(wn.Problem([level], wn.sets.Simplex(3)), steps=100)
    >>> solver.name, reason
    ('PMFS-v1', 'PMFS-v1: not declared convex, and every level is a finite sum or deterministic')
    """
    composition = problem.composition
    exact = composition.endless is None
    kind = (
        "every level is a finite sum or deterministic"
        if exact
        else f"level {composition.endless} is an endless sampler"
    )
    m = composition.largest or 1
    if batch is None:
        # √m is the batch of the large-batch theorems for finite sums.
        batch = max(16, min(1024, math.isqrt(m - 1) + 1)) if exact else BATCH
    shared = len(composition) == 1
    common = {"batch": batch, "gradient_batch": "shared" if shared else "separate"}
    strong = problem.strong_convexity
    if problem.convex:
        why = "declared convex" if strong is None else "declared strongly convex"
        family, version = ("SwPMFS" if exact else "SwPMVR"), ("v1" if strong is None else "v2")
        name = f"{family}-{version}"
        v2 = {} if strong is None else {"strong_convexity": float(strong), "inner": 20}
        return method(name, **common, **v2), f"{name}: {why}, and {kind}"
    # The horizon sets the step, with the exponent of Theorem 2.
    eta = steps ** (-2 / 3)
    why = "not declared convex"
    if exact:
        return method("PMFS-v1", eta=eta, alpha=0.3, **common), f"PMFS-v1: {why}, and {kind}"
    name, size = ("PMVR-v1", "large") if batch >= LARGE_BATCH else ("PMM-v1", "small")
    # Momentum lags behind by η/α, so its α falls more slowly than η.
    alpha = eta if name == "PMVR-v1" else steps**-0.5
    reason = f"{name}: {why}, {kind}, and batches of {batch} are {size}"
    return method(name, eta=eta, alpha=alpha, **common), reason
