"""From a loop that has ended to the solution that a user gets."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PyTree

from wolfnest import certificate
from wolfnest.common import pytrees
from wolfnest.running.loop import Loop
from wolfnest.solution import Solution, Status


def solution_of(loop: Loop, status: Status, reason: str) -> Solution:
    state, recorded = loop.lost.restore(loop.carry.state), _recorded(loop)
    return Solution(
        x=_output(loop, state.x),
        status=status if loop.seeds is None else _status_of_seeds(loop, status),
        trace=loop.recorder.trace(),
        counts=loop.counts,
        state=state,
        solver=loop.solver,
        reason=reason,
        message=_message(loop, status, recorded),
        steps=loop.steps,
        seconds=loop.seconds,
        problem=loop.request.problem,
        recorded=recorded,
    )


def _recorded(loop: Loop) -> certificate.Certificate | None:
    """The certificate that the last record amounts to, if that is one of the returned point."""
    row = loop.recorder.rows[-1]
    elsewhere = loop.request.output != "last" or loop.lost.mask.any()
    if elsewhere or "frank_wolfe_gap" not in row:
        return None
    return certificate.from_record(loop.request.problem, row["objective"], row["frank_wolfe_gap"])


def _status_of_seeds(loop: Loop, status: Status) -> tuple[Status, ...]:
    return tuple(
        Status.DIVERGED if lost else Status.CONVERGED if reached else status
        for lost, reached in zip(loop.lost.mask, loop.reached, strict=True)
    )


def _output(loop: Loop, last: PyTree) -> PyTree:
    """The point that was asked for; where that was lost to NaN, the last finite one."""
    kept, rule = loop.carry.kept, loop.request.output
    if rule == "last":
        return last
    if rule == "random":
        x = kept.random.x
    elif rule == "average":
        x = kept.mean
    else:
        x = loop.best[1]
    choose = lambda ours, other: _choose(pytrees.all_finite(ours), ours, other)
    return (choose if loop.seeds is None else jax.vmap(choose))(x, last)


def _choose(ok: Any, ours: PyTree, other: PyTree) -> PyTree:
    return jax.tree.map(lambda a, b: jnp.where(ok, a, b), ours, other)


def _message(loop: Loop, status: Status, known: certificate.Certificate | None) -> str:
    """Why the run ended and what it reached; of several seeds, the worst."""
    name, row = loop.recorder.names[0], loop.recorder.rows[-1]
    values = loop.best[0] if loop.request.output == "best" else row[name]
    reached = f"{name} {loop.alive(values).max():.3e}"
    if f"{name}_se" in row:
        reached += f" ± {loop.alive(row[f'{name}_se']).max():.1e}"
    parts = [f"{status}: {reached} after {loop.steps} steps"]
    if known is not None:
        parts.append(str(known))
    tol = loop.request.tol
    if tol is not None and status is Status.CONVERGED and loop.steps == 0:
        value = loop.alive(row["objective"]).max()
        parts.append(
            f"the start meets tol={tol:g} already, which is in units of the objective "
            f"({value:.3g} here)"
        )
    if tol is not None and status in (Status.FINISHED, Status.BUDGET):
        parts.append(f"tol={tol:g} was not reached")
    if loop.lost.mask.any():
        parts.append(loop.lost.message)
        parts.append(
            "tracked values can leave the range of exact ones, such as a variance below 0: guard "
            "roots, logarithms and quotients in the levels"
        )
    return "; ".join(parts)
