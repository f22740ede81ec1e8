"""By what a run ends at a record: its callback, its tolerance, or no more progress."""

from __future__ import annotations

import warnings

import numpy as np

from wolfnest.running.position import Noted, Position
from wolfnest.running.request import Request
from wolfnest.solution import Status


class Stopping:
    """Looks at the newest record of a run and says whether the run ends there."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.warned = False

    def reason(self, position: Position) -> Status | None:
        """Why the run ends where it stands; None if it goes on."""
        if self.request.callback is not None:
            record = {**position.rows[-1], "state": position.carry.state}
            if self.request.callback(record):
                return Status.STOPPED
        if self.converged(position):
            return Status.CONVERGED
        done, newest = position.reached | position.lost.mask, position.rows[-1]
        if self.request.criteria.undecided(newest, self.request.tol, done):
            return Status.UNDECIDED
        return Status.STALLED if self._stalled(position) else None

    def converged(self, position: Position) -> bool:
        """Whether every seed that is still finite has met the tolerance at some record."""
        tol = self.request.tol
        if tol is None:
            return False
        self._warn_of_noise(position, tol)
        values = np.asarray(self.request.criteria.deciding(position.rows[-1]))
        new = (np.atleast_1d(values) <= tol) & ~position.reached
        if new.any():
            here = Noted(values, position.point(self.request.output))
            position.met = here if position.met is None else position.met.replaced(new, here)
            position.reached |= new
        return bool(np.all(position.lost.alive(position.reached)))

    def _stalled(self, position: Position) -> bool:
        """Whether the objective has not fallen within as many records as the request grants."""
        patience, stage = self.request.patience, self.request.stages[position.stage]
        rows = [row for row in position.rows if row["stage"] == position.stage + 1]
        if patience is None or stage.sample is not None or len(rows) <= patience:
            return False
        risen = rows[-1]["objective"] >= rows[-1 - patience]["objective"]
        return bool(np.all(position.lost.alive(risen)))

    def _warn_of_noise(self, position: Position, tol: float) -> None:
        name = self.request.criteria.names[0]
        error = position.rows[-1].get(f"{name}_se")
        if error is not None and not self.warned and np.min(error) > tol:
            self.warned = True
            warnings.warn(
                f"{name} is measured on a fixed sample with a standard error of "
                f"{np.min(error):.1e}, above tol={tol:g}: the sample grows where that hides "
                "whether tol is met, up to a limit at which the run ends undecided.",
                UserWarning,
                stacklevel=2,
            )
