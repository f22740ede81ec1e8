"""The grids on which methods are tuned: the paper's five values of each of two parameters, and
of N for inner Frank-Wolfe steps. What lies beyond the grids is ours."""

from __future__ import annotations

import dataclasses

from wolfnest import methods


@dataclasses.dataclass(frozen=True)
class Axis:
    """Values of one parameter, increasing, and those to go on with beyond either end.

    >>> Axis((0.1, 0.3), above=(1.0, 3.0)).ladder
    (0.1, 0.3, 1.0, 3.0)
    """

    values: tuple[float, ...]
    below: tuple[float, ...] = ()
    above: tuple[float, ...] = ()
    limit: float | None = None
    """The largest value that there can be."""
    whole: bool = False
    """Whether there is nothing to try between the values."""
    price: float = 0.0
    """By how much the next larger value must lower the score to be worth its time."""

    @property
    def ladder(self) -> tuple[float, ...]:
        return (*reversed(self.below), *self.values, *self.above)

    def cost(self, value: float) -> float:
        """What is added to the score of `value` when scores are compared.

        >>> Axis((10,), above=(50, 100), price=0.01).cost(100)
        0.02
        """
        return self.price * self.ladder.index(value) if self.price else 0.0

    def ends_at(self, value: float) -> bool:
        """Whether better values than `value` may lie beyond the ladder."""
        return value in (self.ladder[0], self.ladder[-1]) and value != self.limit

    def thinned(self, step: int) -> Axis:
        """Every `step`-th value."""
        return dataclasses.replace(self, values=self.values[::step])


# The paper's grids. η, α and τ are weights, at most 1.
_ETA = Axis((0.001, 0.005, 0.01, 0.05, 0.1), below=(0.0005, 0.0001), above=(0.5, 1.0), limit=1.0)
_RATE = Axis(_ETA.values, below=_ETA.below, above=(0.5, 1.0, 5.0, 10.0))
_ALPHA = Axis((0.01, 0.03, 0.05, 0.1, 0.3), below=(0.003, 0.001, 0.0003), above=(1.0,), limit=1.0)
# A factor of a decaying weight, which is cut at 1 and may thus be larger.
_FACTOR = Axis(_ALPHA.values, below=_ALPHA.below, above=(1.0, 3.0, 10.0))
# Parameters that the paper has no grid for: around 1, their default.
_AROUND_ONE = Axis((0.1, 0.3, 1.0, 3.0, 10.0), below=(0.03, 0.01), above=(30.0, 100.0))

# N: the grid of the other two is searched with the least. Inner steps take time and no samples,
# by which methods are tuned: without a price the largest N would win by a hair.
_INNER = Axis((10,), above=(50, 100), whole=True, price=0.01)

_RIVALS = {
    "A-TSCGD": {"lr": _RATE, "alpha": _FACTOR},
    "SCSC": {"lr": _RATE, "alpha": _ALPHA},
    "SMVR": {"lr": _RATE, "alpha": _ALPHA},
    "NLASG": {"tau": _ETA, "beta": _AROUND_ONE},
    "LiNASA+ICG": {"tau": _ETA, "beta": _AROUND_ONE},
    "Nested-SPIDER": {"lr": _RATE, "eps": _AROUND_ONE},
}


# With one level there are no inner values to track: α has no effect.
_TRACKING = ("A-TSCGD", "SCSC")


def grid(name: str, levels: int = 2) -> dict[str, Axis]:
    """The parameters of a method that are tuned. Stage-wise methods tune those of the first stage.

    >>> list(grid("PMVR-v2")), list(grid("NLASG")), list(grid("SCSC", levels=1))
    (['eta', 'alpha', 'inner'], ['tau', 'beta'], ['lr'])
    """
    if name in _RIVALS:
        axes = _RIVALS[name]
        untracked = levels == 1 and name in _TRACKING
        return {key: axis for key, axis in axes.items() if not (untracked and key == "alpha")}
    known = methods.settings(name)
    if "eta" in known and "alpha" in known:
        inner = {"inner": _INNER} if "inner" in known else {}
        return {"eta": _ETA, "alpha": _ALPHA, **inner}
    raise ValueError(
        f"there is no grid for {name}: enter one in wolfnest_reproduction.define.grids."
    )
