"""A stage: a stretch of a run with one setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from wolfnest.common import checks
from wolfnest.schedules.per_step import AbstractPerStep


def weight(name: str, value: Any, steps: int | None = None) -> Any:
    """η or α: a number in (0, 1], or one per step."""
    if checks.is_traced(value):
        return value
    if isinstance(value, AbstractPerStep) and steps == value.steps:
        weight(name, [value[0], value[-1]], 2)  # it falls or rises all along
        return value
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        numbers = np.asarray(np.nan)
    if numbers.ndim > 1 or (numbers.ndim == 1 and numbers.shape != (steps,)):
        expected = "a number" if steps is None else f"a number or one per step ({steps})"
        raise ValueError(f"{name} must be {expected}, got an array of shape {numbers.shape}.")
    bad = ~((numbers > 0) & (numbers <= 1))
    if bad.any():
        got = value if numbers.ndim == 0 else f"{numbers[bad][0]} at step {int(np.argmax(bad)) + 1}"
        raise ValueError(f"{name} must lie in (0, 1], got {got}.")
    return numbers


class Stage(eqx.Module):
    """A stretch of a run with one setting: `steps` moves of size η with estimator weight α.

    `eta` and `alpha` are numbers, or one number per step: an array, or a function of the step
    (`wolfnest.schedules.per_step`). `batch` is the number of
    samples per level, `inner` the oracle calls of an inner Frank-Wolfe step, which ends earlier
    once its gap is at most `tol` (None: as the direction has it). `restart=B0` re-initialises the
    estimates from `B0` samples when the stage begins. With `sample=n` the stage sees the problem
    on `n` fixed samples of every level (`problem.sample`), which are its exact data.

    >>> Stage(steps=100, eta=0.01, alpha=0.1, batch=128)
    Stage(steps=100, eta=0.01, alpha=0.1, batch=128)
    """

    steps: int = eqx.field(static=True)
    eta: Float[Array, "*steps"] | AbstractPerStep
    alpha: Float[Array, "*steps"] | AbstractPerStep
    batch: int = eqx.field(static=True)
    inner: int = eqx.field(static=True)
    restart: int | None = eqx.field(static=True)
    tol: Any
    sample: int | None = eqx.field(static=True)

    def __init__(
        self,
        steps: int,
        eta: Any,
        alpha: Any,
        batch: int,
        inner: int = 1,
        restart: int | None = None,
        tol: Any = None,
        sample: int | None = None,
    ) -> None:
        self.steps = checks.whole("steps", steps)
        self.eta = weight("eta", eta, self.steps)
        self.alpha = weight("alpha", alpha, self.steps)
        self.batch = checks.whole("batch", batch, most=checks.MOST)
        self.inner = checks.whole("inner", inner, most=checks.MOST)
        self.restart = (
            None if restart is None else checks.whole("restart", restart, most=checks.MOST)
        )
        self.tol = None if tol is None else checks.non_negative("tol", tol)
        self.sample = None if sample is None else checks.whole("sample", sample, most=checks.MOST)

    def cut(self, steps: int) -> Stage:
        """The first `steps` steps of this stage, or all of it if it is shorter."""
        steps = min(steps, self.steps)
        return self._with(steps, lambda a: _first(a, steps))

    def at(self, step: Any) -> Stage:
        """The stage as its step number `step` (from 0) sees it, with scalar η and α.

        >>> Stage(3, eta=[0.5, 0.3, 0.2], alpha=0.1, batch=8).at(1)
        Stage(steps=1, eta=0.3, alpha=0.1, batch=8)
        """
        return self._with(1, lambda a: a if _ndim(a) == 0 else a[step])

    def _with(self, steps: int, pick: Callable[[Any], Any]) -> Stage:
        eta, alpha = pick(self.eta), pick(self.alpha)
        rest = (self.batch, self.inner, self.restart, self.tol, self.sample)
        return Stage(steps, eta, alpha, *rest)

    def __repr__(self) -> str:
        parts = [f"steps={self.steps}", f"eta={_short(self.eta)}", f"alpha={_short(self.alpha)}"]
        parts.append(f"batch={self.batch}")
        if self.inner != 1:
            parts.append(f"inner={self.inner}")
        if self.restart is not None:
            parts.append(f"restart={self.restart}")
        if self.tol is not None:
            parts.append(f"tol={_short(self.tol)}")
        if self.sample is not None:
            parts.append(f"sample={self.sample}")
        return f"Stage({', '.join(parts)})"


def _ndim(value: Any) -> int:
    return 1 if isinstance(value, AbstractPerStep) else jnp.ndim(value)


def _first(value: Any, steps: int) -> Any:
    if isinstance(value, AbstractPerStep):
        return value.cut(steps)
    return value if jnp.ndim(value) == 0 else value[:steps]


def _short(value: Any) -> str:
    if checks.is_traced(value):
        return "traced"
    if _ndim(value) == 0:
        return f"{float(value):.3g}"
    return f"[{float(value[0]):.3g} … {float(value[-1]):.3g}]"
