"""The grids on which methods are tuned: the paper's five values of each of two parameters.

Where the best value lies at an edge, the grid grows there by one value at a time.
"""

from __future__ import annotations

import dataclasses

from wolfnest import methods


@dataclasses.dataclass(frozen=True)
class Axis:
    """Values of one parameter, increasing, and those to go on with beyond either end.

    >>> Axis((0.1, 0.3), above=(1.0, 3.0)).beyond((0.1, 0.3, 1.0), 1.0)
    3.0
    """

    values: tuple[float, ...]
    below: tuple[float, ...] = ()
    above: tuple[float, ...] = ()
    limit: float | None = None
    """The largest value that there can be."""

    def beyond(self, values: tuple[float, ...], best: float) -> float | None:
        """The value to try next if `best` is an end of the increasing `values`; None if it is not,
        or if there is no such value."""
        ladder = (*reversed(self.below), *self.values, *self.above)
        if best == values[0] and values[0] > ladder[0]:
            return ladder[ladder.index(values[0]) - 1]
        if best == values[-1] and values[-1] < ladder[-1]:
            return ladder[ladder.index(values[-1]) + 1]
        return None

    def thinned(self, step: int) -> Axis:
        """Every `step`-th value."""
        return dataclasses.replace(self, values=self.values[::step])


# The paper's grids; what lies beyond is ours. η, α and τ are weights, at most 1.
_ETA = Axis((0.001, 0.005, 0.01, 0.05, 0.1), below=(0.0005, 0.0001), above=(0.5, 1.0), limit=1.0)
_RATE = Axis(_ETA.values, below=_ETA.below, above=(0.5, 1.0, 5.0, 10.0))
_ALPHA = Axis((0.01, 0.03, 0.05, 0.1, 0.3), below=(0.003, 0.001, 0.0003), above=(1.0,), limit=1.0)
# A factor of a decaying weight, which is cut at 1 and may thus be larger.
_FACTOR = Axis(_ALPHA.values, below=_ALPHA.below, above=(1.0, 3.0, 10.0))
# Parameters that the paper has no grid for: around 1, their default.
_AROUND_ONE = Axis((0.1, 0.3, 1.0, 3.0, 10.0), below=(0.03, 0.01), above=(30.0, 100.0))

_RIVALS = {
    "A-TSCGD": {"lr": _RATE, "alpha": _FACTOR},
    "SCSC": {"lr": _RATE, "alpha": _ALPHA},
    "SMVR": {"lr": _RATE, "alpha": _ALPHA},
    "NLASG": {"tau": _ETA, "beta": _AROUND_ONE},
    "LiNASA+ICG": {"tau": _ETA, "beta": _AROUND_ONE},
    "Nested-SPIDER": {"lr": _RATE, "eps": _AROUND_ONE},
}


def grid(name: str) -> dict[str, Axis]:
    """The two parameters of a method that are tuned. Stage-wise methods tune those of the first
    stage.

    >>> list(grid("PMVR-v2")), list(grid("NLASG"))
    (['eta', 'alpha'], ['tau', 'beta'])
    """
    if name in _RIVALS:
        return _RIVALS[name]
    if "eta" in methods.settings(name) and "alpha" in methods.settings(name):
        return {"eta": _ETA, "alpha": _ALPHA}
    raise ValueError(f"there is no grid for {name}: enter one in wolfnest.experiments.grids.")
