"""From where a run has ended to the solution that a user gets."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import PyTree

from wolfnest import certificate
from wolfnest.common import pytrees
from wolfnest.running.position import Position
from wolfnest.running.request import Request
from wolfnest.solution import Solution, Status


def solution_of(request: Request, position: Position, status: Status) -> Solution:
    """The solution of a run that has ended for the reason `status`."""
    state = position.lost.restore(position.carry.state)
    recorded = _recorded(request, position)
    return Solution(
        x=_output(request, position, state.x),
        status=status if request.seeds is None else _status_of_seeds(position, status),
        trace=position.trace,
        counts=position.counts,
        state=state,
        solver=request.solver,
        reason=request.reason,
        message=_message(request, position, status, recorded),
        steps=position.steps,
        seconds=position.clock.seconds,
        problem=request.problem,
        recorded=recorded,
    )


def _recorded(request: Request, position: Position) -> certificate.Certificate | None:
    """The certificate that the last record amounts to, if that is one of the returned point."""
    row = position.rows[-1]
    elsewhere = request.output != "last" or position.lost.mask.any()
    if elsewhere or "frank_wolfe_gap" not in row:
        return None
    return certificate.from_record(request.problem, row["objective"], row["frank_wolfe_gap"])


def _status_of_seeds(position: Position, status: Status) -> tuple[Status, ...]:
    return tuple(
        Status.DIVERGED if lost else Status.CONVERGED if reached else status
        for lost, reached in zip(position.lost.mask, position.reached, strict=True)
    )


def _output(request: Request, position: Position, last: PyTree) -> PyTree:
    """The point that was asked for; where that was lost to NaN, the last finite one."""
    kept = position.carry.kept
    if position.best is not None:
        x = position.best.x
    elif request.output == "random":
        x = kept.random.x
    elif request.output == "average":
        x = kept.mean
    else:
        return last
    choose = lambda ours, other: _choose(pytrees.all_finite(ours), ours, other)
    return (choose if request.seeds is None else jax.vmap(choose))(x, last)


def _choose(ok: Any, ours: PyTree, other: PyTree) -> PyTree:
    return jax.tree.map(lambda a, b: jnp.where(ok, a, b), ours, other)


def _message(
    request: Request, position: Position, status: Status, known: certificate.Certificate | None
) -> str:
    """Why the run ended and what it reached; of several seeds, the worst."""
    name, row, tol = request.criteria.names[0], position.rows[-1], request.tol
    lost, best = position.lost, position.best
    values = row[name] if best is None else best.value
    reached = f"{name} {lost.alive(values).max():.3e}"
    if f"{name}_se" in row:
        reached += f" ± {lost.alive(row[f'{name}_se']).max():.1e}"
    parts = [f"{status}: {reached} after {position.steps} steps"]
    if known is not None:
        parts.append(str(known))
    if tol is not None and status is Status.CONVERGED and position.steps == 0:
        value = lost.alive(row["objective"]).max()
        parts.append(
            f"the start meets tol={tol:g} already, which is in units of the objective "
            f"({value:.3g} here)"
        )
    if tol is not None and status in (Status.FINISHED, Status.BUDGET):
        parts.append(f"tol={tol:g} was not reached")
    if lost.mask.any():
        parts.append(lost.message)
        parts.append(
            "tracked values can leave the range of exact ones, such as a variance below 0: guard "
            "roots, logarithms and quotients in the levels"
        )
    return "; ".join(parts)
