"""`solve`: checks what the user asked for and runs the loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
from jaxtyping import PRNGKeyArray, PyTree

from wolfnest import metrics
from wolfnest.common import checks
from wolfnest.estimators import Exact
from wolfnest.methods import choice
from wolfnest.objective.problem import Problem, as_key
from wolfnest.running.budget import MOST_STEPS, Budget
from wolfnest.running.checkpoint import Checkpoint
from wolfnest.running.costs import affordable_steps
from wolfnest.running.journal import Journal
from wolfnest.running.loop import Loop
from wolfnest.running.outcome import solution_of
from wolfnest.running.progress import progress_for
from wolfnest.running.recording import Criteria, Criterion
from wolfnest.running.request import Output, Request
from wolfnest.solution import DivergedError, Solution
from wolfnest.solver import Solver

DEFAULT_STEPS = 1_000
# Steps between records of a run that a tolerance or a budget ends; a record costs an exact pass,
# which is what a step of an exact method costs at least.
EVERY, EVERY_EXACT = 500, 10
# Records without progress after which exact steps that nothing else ends are ended.
PATIENCE = 20
# Where nothing is to end a run of exact steps: the share of the first gap at which it ends.
ENOUGH = {2: 1e-2, 4: 1e-4, 8: 1e-6}  # by bytes of a number


def solve(
    problem: Problem,
    solver: Solver | None = None,
    x0: PyTree | None = None,
    *,
    steps: int | None = None,
    key: PRNGKeyArray | int = 0,
    seeds: int | None = None,
    tol: float | None = None,
    criterion: Criterion | tuple[Criterion, ...] = "frank_wolfe_gap",
    budget: Budget | Mapping[str, float] | None = None,
    record_every: int | None = None,
    output: Output = "last",
    progress: bool | None = None,
    callback: Callable[[Mapping[str, Any]], Any] | None = None,
    checkpoint: Checkpoint | str | Path | None = None,
    throw: bool = True,
) -> Solution:
    """Minimise a nested stochastic objective over a set.

    - `solver`: what `wn.method` or `wn.Solver` returns; None chooses one and says why
      (`solution.reason`).
    - `x0`: a feasible point; None starts from the set's own.
    - `steps`: number of moves. Default: 1,000, or up to a million where `tol` or `budget` is
      to end the run.
    - `key`: an int or a JAX key. The same key gives the same result, bit for bit.
    - `seeds=n`: n independent runs at once; results get a leading axis.
    - `tol`: stop once the (first) criterion is at most this, in its own units, looked at whenever
      it is recorded. Seeds run on together until each of them was there, and return the points
      with which they were. Where the standard error of an endless problem's criterion is above
      `tol` and hides whether that is met, the evaluation sample is doubled, up to 16 times the
      first; then the run ends with status "undecided".
    - `criterion`: "frank_wolfe_gap", "gradient_mapping" (with β = 1, whatever the method's own),
      "objective", "estimator_error", a function of (problem, x), or a tuple of these.
    - `budget`: a dict with limits for "samples", "lmo" or "seconds" (of wall time; compilation
      does not count, and at least one step is made).
    - `record_every`: steps between records. Default: about 50 records, or every 500 steps (10 of
      methods on exact gradients) where `tol` or `budget` is to end the run.
    - `output`: "last", "random" (uniform over the last stage, as the theorems state it),
      "average" (of the last stage) or "best" (by the recorded criterion). Status, message,
      certificate and the trace's criteria speak of that point ("best" traces the points visited).
    - `progress`: a live table; None shows it on terminals only, for runs longer than 2 seconds.
    - `callback`: called with every record, a dict of the trace's columns and the `state`; a true
      result stops the run.
    - `checkpoint`: a directory, or a `wn.Checkpoint`; an interrupted run continues from it.
    - `throw`: raise `wn.DivergedError` when the run leaves the finite numbers.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> distance = wn.Level(lambda x, target: jnp.sum((x - target) ** 2), data=jnp.eye(3))
    >>> problem = wn.Problem([distance], wn.sets.Simplex(3), convex=True)
    >>> solution = wn.solve(problem, wn.method("PMFS-v1", eta=0.01, batch=2), steps=300)
    >>> solution.status, solution.counts.lmo
    (<Status.FINISHED: 'finished'>, 300)
    """
    if not isinstance(problem, Problem):
        raise ValueError(f"problem must be a wn.Problem, got {type(problem).__name__}.")
    if checks.is_traced((problem, x0, key)):
        raise ValueError(
            "solve runs a loop of its own and cannot be traced: call it outside jit and vmap, use "
            "seeds=n for several runs, or jit solver.step."
        )
    limits, composition, start = Budget.of(budget), problem.composition, problem.point(x0)
    open_ended = tol is not None or limits.limited
    total = checks.whole(
        "steps", _default_steps(open_ended) if steps is None else steps, most=checks.MOST
    )
    reason = "given"
    if solver is None:
        horizon = None if open_ended and steps is None else total
        solver, reason = choice.choose(problem, horizon, samples=limits.samples, lmo=limits.lmo)
        free = steps is None and not open_ended and criterion == "frank_wolfe_gap"
        if free and isinstance(solver.estimator, Exact):
            tol, total = _enough(problem, start), MOST_STEPS
            reason += f"; it ends at a Frank-Wolfe gap of {tol:.1e}, since nothing else was said"
    if not isinstance(solver, Solver):
        raise ValueError(
            f"solver must be a wn.Solver, such as wn.method('PMVR-v1') returns, got {solver!r}."
        )
    unsupported = solver.supports(problem)
    if unsupported:
        raise ValueError(f"{solver.name} cannot run on this problem: {unsupported}.")
    stages = solver.schedule.stages(total, composition.largest)
    if steps is None and limits.samples is not None:
        # Schedules that depend on the number of steps get what the budget affords, and one more
        # step, which it does not: the budget still ends the run.
        total = min(total, affordable_steps(solver, composition, limits.samples, total) + 1)
        stages = solver.schedule.stages(total, composition.largest)
    checks.choice("output", output, ("last", "random", "average", "best"))
    seeds = None if seeds is None else checks.whole("seeds", seeds)
    request = Request(
        problem=problem,
        solver=solver,
        reason=reason,
        x0=start,
        stages=stages,
        key=as_key(key),
        seeds=seeds,
        criteria=Criteria(problem, criterion, seeds),
        record_every=_record_every(record_every, steps, total, solver),
        sparse=record_every is None,
        patience=_patience(solver, steps, limits),
        tol=None if tol is None else checks.finite("tol", tol),
        limits=limits,
        output=output,
        callback=callback,
    )
    loop, journal = Loop(request), Journal.of(checkpoint)
    deciding, planned = request.criteria.names[0], loop.expected_steps
    with progress_for(progress, planned, deciding, title=solver.name) as shown:
        status = loop.run(shown, journal)
        solution = solution_of(request, loop.position, status)
        diverged = loop.position.lost.mask.any()
        shown.finish(solution.message if diverged else status)
    if throw and diverged:
        raise DivergedError(solution.message, solution)
    return solution


def _patience(solver: Solver, steps: int | None, limits: Budget) -> int | None:
    """Records without progress that are granted where only a tolerance ends a run."""
    exact = isinstance(solver.estimator, Exact)
    return PATIENCE if exact and steps is None and not limits.limited else None


def _enough(problem: Problem, x0: PyTree) -> float:
    """A gap that is good enough for most: a share of the first one."""
    return ENOUGH[jnp.dtype(problem.dtype).itemsize] * float(metrics.frank_wolfe_gap(problem, x0))


def _record_every(record_every: int | None, steps: int | None, total: int, solver: Solver) -> int:
    if record_every is not None:
        return checks.whole("record_every", record_every)
    longest = EVERY_EXACT if isinstance(solver.estimator, Exact) else EVERY
    return max(1, total // 50) if steps is not None else max(1, min(longest, total // 50))


def _default_steps(open_ended: bool) -> int:
    return MOST_STEPS if open_ended else DEFAULT_STEPS
