"""The automatic choice of a method, with settings that need no tuning: the paper's advice, but for
finite sums over polytopes, where exact steps on growing samples are quicker: projected ones if the
set can be projected onto, else pairwise ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from wolfnest import sets
from wolfnest.directions.base import without_projection
from wolfnest.methods import method
from wolfnest.objective.problem import Problem
from wolfnest.solver import Solver

BATCH = 128
BATCH_BYTES = 1 << 28
# Batches below this count as small, where plain momentum is steadier than variance reduction.
LARGE_BATCH = 64
# Finite-sum methods need a budget of samples for at least so many passes over the data.
PASSES = 5
# A line search may take so many passes that a budget of samples is kept for most of them.
MANY_PASSES = 100
# Batches are chosen so that a budget of samples pays for at least so many steps.
STEPS = 100
# Sets with endless many vertices: pairwise steps rarely meet one again.
CURVED = (
    *(sets.L2Ball, sets.LpBall, sets.Ellipsoid, sets.GroupL1Ball),
    *(sets.NuclearBall, sets.SpectralBall),
    *(sets.Spectrahedron, sets.UnitSpectrahedron, sets.Fantope),
)
# Sets whose projection asks a solver, or a function of the user's: nothing is known of its price.
UNKNOWN = (sets.FromCVXPY, sets.FromOracle)
# Projected steps have one rate for all entries: none may have so many times the room of another.
EVEN = 10.0


def choose(
    problem: Problem,
    steps: int | None,
    batch: int | None = None,
    samples: int | None = None,
    lmo: int | None = None,
) -> tuple[Solver, str]:
    """A solver for `problem` and the reason for it, in words.

    finite sum and a polytope → GrowSPG, or GrowPFW if it has no projection; convex and finite sum →
    SwPMFS; convex → SwPMVR; finite sum → PMFS; otherwise PMVR for large batches and PMM for small
    ones. A budget of `samples` that pays for a few passes over the data only rules out the methods
    for finite sums, which make some, and those two need more. Without a number of steps
    (`steps=None`) there is no horizon to fit a step size to, and the stage-wise forms are taken
    throughout. With more than one level the gradient gets its own batch, because a shared one
    biases it.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> level = wn.Level(lambda x, a: (a @ x) ** 2, data=jnp.eye(3))
    >>> solver, reason = choose(wn.Problem([level], wn.sets.L2Ball(3)), steps=100)
    >>> solver.name, reason
    ('PMFS-v1', 'PMFS-v1: not declared convex, and every level is a finite sum or deterministic')
    """
    composition = problem.composition
    exact = composition.endless is None
    few = exact and samples is not None and samples < PASSES * composition.rows
    exact = exact and not few
    free = samples is None or samples >= MANY_PASSES * composition.rows
    if exact and free and not _parts(problem.domain, lambda part: isinstance(part, CURVED)):
        words = "every level is a finite sum or deterministic, and the set has corners"
        # A budget of oracle calls is meant for a method that makes some.
        if lmo is None and _projects(problem.domain):
            return method("GrowSPG"), f"GrowSPG: {words} and a projection"
        # Line searches take the objective to be convex along a ray; adaptive steps descend anyhow.
        step = "secant" if problem.convex else "adaptive"
        return method("GrowPFW", step=step), f"GrowPFW: {words}"
    batch = _batch(problem, exact, samples) if batch is None else batch
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
        endless = f"level {composition.endless} is an endless sampler"
        budget = f"the budget of samples pays for fewer than {PASSES} passes over the data"
        reasons.append(budget if few else endless)
        if not problem.convex:
            size = "large" if family == "PMVR" else "small"
            reasons.append(f"batches of {batch} are {size}")
    if problem.convex:
        settings = {}
        if strong is not None:
            version, settings = "v2", {"strong_convexity": float(strong), "inner": 20}
        name = f"Sw{family}-{version}"
    elif steps is None:
        # Theorem 2's exponent. Exact snapshots leave so little noise that η may fall as 1/T_s.
        name, settings = f"Sw{family}-v1", {} if family == "PMFS" else {"decay": 2 / 3}
        reasons.append("no number of steps to fit a step size to")
    else:
        # The horizon sets the step, with the exponent of Theorem 2. Momentum lags behind by η/α,
        # so its α falls more slowly than η.
        eta = steps ** (-2 / 3)
        alpha = {"PMFS": 0.3, "PMVR": eta, "PMM": steps**-0.5}[family]
        name, settings = f"{family}-v1", {"eta": eta, "alpha": alpha}
    told = ", ".join(reasons[:-1]) + f", and {reasons[-1]}"
    return method(name, **common, **settings), f"{name}: {told}"


def _batch(problem: Problem, exact: bool, samples: int | None) -> int:
    """√m, the batch of the large-batch theorems, for finite sums; else what fits in memory, and
    what leaves a budget of samples for some steps."""
    composition = problem.composition
    if exact:
        return max(16, min(1024, math.isqrt((composition.largest or 1) - 1) + 1))
    most = min(BATCH, BATCH_BYTES // composition.sample_bytes)
    if samples is not None:
        # Values and gradient have a batch each, at every level.
        most = min(most, samples // (2 * max(1, composition.sampled_levels) * STEPS))
    return max(1, most)


def _projects(domain: sets.AbstractSet) -> bool:
    """Whether projected steps are the quicker ones: the price of the projection is known to be low,
    and the entries, blocks of a product as well, have about the same room."""
    if _parts(domain, _unknown) or without_projection(domain) is not None:
        return False
    rooms = [box.upper - box.lower for box in _parts(domain, lambda p: isinstance(p, sets.Box))]
    for product in _parts(domain, lambda part: isinstance(part, sets.Product)):
        rooms.append(np.array([float(block.diameter) for block in product.parts]))
    return all(
        np.max(room) <= EVEN * np.min(room, where=room > 0, initial=np.inf) for room in rooms
    )


def _unknown(part: Any) -> bool:
    own = isinstance(part, sets.AbstractSet) and not type(part).__module__.startswith("wolfnest.")
    return own or isinstance(part, UNKNOWN)


def _parts(domain: Any, wanted: Callable[[Any], bool]) -> list[Any]:
    """The sets of a kind that a set is, or is made of."""
    return [part for part in jax.tree.leaves(domain, is_leaf=wanted) if wanted(part)]
