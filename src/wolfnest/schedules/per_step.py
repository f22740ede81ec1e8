"""Numbers that change from step to step, as functions of the step: a run of 10^8 steps takes no
more memory than one of a hundred."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any

import equinox as eqx
import numpy as np


class AbstractPerStep(eqx.Module):
    """One number for each of `steps` steps, computed when it is asked for.

    >>> halves = Reciprocal(3, numerator=2, offset=1)
    >>> np.asarray(halves), halves[0], halves.between(1, 3)
    (array([1.        , 0.66666667, 0.5       ]), np.float64(1.0), array([0.66666667, 0.5       ]))
    """

    steps: eqx.AbstractVar[int]

    @abc.abstractmethod
    def values(self, t: np.ndarray) -> np.ndarray:
        """The numbers of the steps `t`, counted from 1."""

    def between(self, first: int, end: int) -> np.ndarray:
        """The numbers of some steps, counted from 0."""
        return self.values(np.arange(first + 1, end + 1))

    def cut(self, steps: int) -> AbstractPerStep:
        """The first steps alone."""
        return dataclasses.replace(self, steps=steps)

    @property
    def ndim(self) -> int:
        return 1

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.steps,)

    def __getitem__(self, step: int) -> Any:
        step = range(self.steps)[step]
        return self.between(step, step + 1)[0]

    def __len__(self) -> int:
        return self.steps

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.between(0, self.steps), dtype)


class Decay(AbstractPerStep):
    """`min(1, scale · (t + shift)^-decay)`.

    >>> np.asarray(Decay(3, scale=1.5, decay=1.0))
    array([1.  , 0.75, 0.5 ])
    """

    steps: int
    scale: Any = eqx.field(default=1.0, kw_only=True)
    decay: float = eqx.field(kw_only=True)
    shift: float = eqx.field(default=0.0, kw_only=True)

    def values(self, t: np.ndarray) -> np.ndarray:
        return np.minimum(1, self.scale * (t + self.shift) ** -self.decay)


class Reciprocal(AbstractPerStep):
    """`numerator / (offset + t)`."""

    steps: int
    numerator: float = eqx.field(default=1.0, kw_only=True)
    offset: int = eqx.field(default=0, kw_only=True)

    def values(self, t: np.ndarray) -> np.ndarray:
        return self.numerator / (self.offset + t)
