"""From where a run has ended to the solution that a user gets."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from wolfnest import certificate
from wolfnest.common import pytrees
from wolfnest.running.position import Position, chosen
from wolfnest.running.request import Request
from wolfnest.solution import Solution, Status
from wolfnest.state import State


def solution_of(request: Request, position: Position, status: Status) -> Solution:
    """The solution of a run that has ended for the reason `status`."""
    state = position.lost.restore(position.carry.state)
    x = _returned(request, position, state.x)
    values = _values(request, position, x, state)
    recorded = _recorded(request, values)
    return Solution(
        x=x,
        status=status if request.seeds is None else _status_of_seeds(position, status),
        trace=position.trace,
        counts=position.counts,
        state=state,
        solver=request.solver,
        reason=request.reason,
        message=_message(request, position, status, values, recorded),
        steps=position.steps,
        seconds=position.clock.seconds,
        problem=request.problem,
        values=values,
        recorded=recorded,
    )


def _returned(request: Request, position: Position, last: PyTree) -> PyTree:
    """The point that was asked for; of seeds that met the tolerance the one with which they did,
    and where it was lost to NaN, the last finite one."""
    lost, best, met = position.lost.mask, position.best, position.met
    x = last if request.output == "last" else position.point(request.output)
    if best is not None:
        x = best.x
    elif request.seeds is not None and met is not None:
        x = chosen(position.reached & ~lost, met.x, x)
    if not lost.any() or x is last:
        return x
    choose = lambda ours, other: _choose(pytrees.all_finite(ours), ours, other)
    return (choose if request.seeds is None else jax.vmap(choose))(x, last)


def _choose(ok: Any, ours: PyTree, other: PyTree) -> PyTree:
    return jax.tree.map(lambda a, b: jnp.where(ok, a, b), ours, other)


def _values(request: Request, position: Position, x: PyTree, state: State) -> dict[str, np.ndarray]:
    """The objective and the criteria at the point that is returned: those of the newest record,
    where it is the same point, else measured now."""
    criteria, row = request.criteria, position.rows[-1]
    if position.lost.mask.any() or not _same(x, position.point(request.output)):
        values = criteria.measure(x, state)
    else:
        values = {name: row[name] for name in row if criteria.is_value(name)}
    if position.best is not None and not position.lost.mask.any():
        values[criteria.names[0]] = position.best.value
    return values


def _same(x: PyTree, other: PyTree) -> bool:
    pairs = zip(jax.tree.leaves(x), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def _recorded(request: Request, values: dict[str, np.ndarray]) -> certificate.Certificate | None:
    """The certificate that the values at the returned point amount to."""
    if "frank_wolfe_gap" not in values:
        return None
    gap = values["frank_wolfe_gap"]
    return certificate.from_record(request.problem, values["objective"], gap)


def _status_of_seeds(position: Position, status: Status) -> tuple[Status, ...]:
    return tuple(
        Status.DIVERGED if lost else Status.CONVERGED if reached else status
        for lost, reached in zip(position.lost.mask, position.reached, strict=True)
    )


def _message(
    request: Request,
    position: Position,
    status: Status,
    values: dict[str, np.ndarray],
    known: certificate.Certificate | None,
) -> str:
    """Why the run ended and what the returned point reached; of several seeds, the worst."""
    name, tol, lost = request.criteria.names[0], request.tol, position.lost
    reached = f"{name} {lost.alive(values[name]).max():.3e}"
    if f"{name}_se" in values:
        reached += f" ± {lost.alive(values[f'{name}_se']).max():.1e}"
    if request.output != "last":
        reached += f" at the {request.output} point"
    parts = [f"{status}: {reached} after {position.steps} steps"]
    if known is not None:
        parts.append(str(known))
    if tol is not None and status is Status.CONVERGED and position.steps == 0:
        value = lost.alive(values["objective"]).max()
        parts.append(
            f"the start meets tol={tol:g} already, which is in units of the objective "
            f"({value:.3g} here)"
        )
    if tol is not None and status in (Status.FINISHED, Status.BUDGET):
        parts.append(f"tol={tol:g} was not reached")
    if status is Status.UNDECIDED:
        parts.append(
            f"noise hides whether tol={tol:g} is met, even on {request.criteria.samples:,} "
            "samples: set a larger tol"
        )
    if lost.mask.any():
        parts.append(lost.message)
        parts.append(
            "tracked values can leave the range of exact ones, such as a variance below 0: guard "
            "roots, logarithms and quotients in the levels"
        )
    return "; ".join(parts)
