"""A problem: the levels `f_1 … f_K` and the set they are minimised over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray, PyTree

from wolfnest.common import checks
from wolfnest.objective.composition import Batch, Composition
from wolfnest.objective.fitting_levels import fit_levels
from wolfnest.objective.fitting_points import fit_point, fit_shape
from wolfnest.objective.level import Level
from wolfnest.sets.base import AbstractSet


class Problem(eqx.Module):
    """Minimise `F = f_K ∘ … ∘ f_1` over `domain`.

    `levels` are given from the inside out, `f_1` first. Say `convex=True` (or give the modulus
    `strong_convexity`) where you know it: the automatic choice of a method uses it.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> returns = jnp.array([[0.1, 0.3], [0.2, -0.1], [0.0, 0.4]])
    >>> mean = wn.Level(lambda x, r: (r @ x, x), data=returns)
    >>> risk = wn.Level(lambda y, r: (r @ y[1] - y[0]) ** 2 - y[0], data=returns)
    >>> problem = wn.Problem([mean, risk], wn.sets.Simplex(2), convex=True)
    >>> problem
    Problem(2 levels: finite-sum(3) → finite-sum(3), over Simplex, convex, float32)
    >>> float(problem.value(jnp.array([0.5, 0.5]))).__round__(4)
    -0.145
    """

    composition: Composition
    domain: AbstractSet
    convex: bool = eqx.field(static=True)
    strong_convexity: Any
    dtype: Any = eqx.field(static=True)

    def __init__(
        self,
        levels: Sequence[Level],
        domain: AbstractSet,
        *,
        convex: bool = False,
        strong_convexity: float | None = None,
    ) -> None:
        if not isinstance(domain, AbstractSet):
            raise ValueError(
                f"domain must be a set of wn.sets, got {domain!r}. "
                "Your own oracle becomes one with wn.sets.FromOracle(lmo, start)."
            )
        fitted, self.dtype = fit_levels(levels, domain)
        self.composition = Composition(fitted)
        self.domain = domain
        if strong_convexity is not None:
            strong_convexity = checks.positive("strong_convexity", strong_convexity)  # type: ignore[assignment]
        self.convex = bool(convex) or strong_convexity is not None
        self.strong_convexity = strong_convexity

    @property
    def levels(self) -> tuple[Level, ...]:
        return self.composition.levels

    def start(self) -> PyTree:
        """The set's own feasible point, in the problem's dtype."""
        return self.domain.start(self.dtype)

    def point(self, x0: PyTree | None) -> PyTree:
        """`x0` checked and converted; the set's own point for None."""
        return self.start() if x0 is None else fit_point(x0, self.domain, self.dtype)

    def shaped(self, x: PyTree) -> PyTree:
        """`x`, anywhere, as floating arrays of the shapes that the set's points have."""
        x = fit_shape(x, self.domain, self.dtype)
        return jax.tree.map(lambda a: a.astype(jnp.result_type(a.dtype, self.dtype)), x)

    def draw(self, key: PRNGKeyArray | int, n: int) -> Batch:
        """A batch of `n` independent samples per level."""
        return self.composition.draw(as_key(key), checks.whole("n", n))

    def value(self, x: PyTree) -> Array:
        """`F(x)`, exactly."""
        self._require_exact("value")
        return _exact_value(self, self.shaped(x))

    def gradient(self, x: PyTree) -> PyTree:
        """`∇F(x)`, exactly."""
        self._require_exact("gradient")
        return _exact_value_and_gradient(self, self.shaped(x))[1]

    def value_and_gradient(self, x: PyTree) -> tuple[Array, PyTree]:
        """`F(x)` and `∇F(x)` for one pass of values and one of pull-backs."""
        self._require_exact("value and gradient")
        return _exact_value_and_gradient(self, self.shaped(x))

    def freeze(self, n: int, key: PRNGKeyArray | int = 0) -> Problem:
        """This problem with every endless level replaced by `n` fixed samples of it."""
        return self._on(self.draw(key, n), lambda level: level.kind == "endless")

    def sample(self, n: int, key: PRNGKeyArray | int = 0) -> Problem:
        """This problem on `n` fixed samples of every level; a level with no more data keeps them.

        >>> import jax.numpy as jnp, wolfnest as wn
        >>> level = wn.Level(lambda x, a: (a @ x) ** 2, data=jnp.ones((1000, 3)))
        >>> wn.Problem([level], wn.sets.Simplex(3)).sample(50)
        Problem(1 level: finite-sum(50), over Simplex, float32)
        """
        longer = lambda level: level.kind == "endless" or (level.size or 0) > n
        return self._on(self.draw(key, n), longer)

    def _on(self, batch: Batch, chosen: Callable[[Level], bool]) -> Problem:
        """This problem with a batch as the data of the chosen levels."""
        levels = tuple(
            Level(level.fn, data=samples) if chosen(level) else level
            for level, samples in zip(self.levels, batch, strict=True)
        )
        return eqx.tree_at(lambda problem: problem.composition.levels, self, levels)

    def _require_exact(self, what: str) -> None:
        endless = self.composition.endless
        if endless is not None:
            raise ValueError(
                f"no exact {what}: level {endless} is known only through its sampler. Use "
                "problem.freeze(n) for a fixed sample, or wn.metrics, which reports the error."
            )

    def __repr__(self) -> str:
        kinds = [
            level.kind + (f"({level.size})" if level.size is not None else "")
            for level in self.levels
        ]
        shape = " → ".join(kinds)
        convexity = "strongly convex" if self.strong_convexity is not None else "convex"
        parts = [
            f"{len(kinds)} level{'s' * (len(kinds) > 1)}: {shape}",
            f"over {type(self.domain).__name__}",
            *([convexity] if self.convex else []),
            jnp.dtype(self.dtype).name,
        ]
        return f"Problem({', '.join(parts)})"


def as_key(key: PRNGKeyArray | int) -> PRNGKeyArray:
    """A JAX key from an int, an old-style key array or a key."""
    if isinstance(key, int):
        return jax.random.key(key)
    if not isinstance(key, jax.Array | np.ndarray | np.integer):
        raise ValueError(f"key must be an int or a JAX key, got {key!r}.")
    key = jnp.asarray(key)
    if jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
        return key
    if jnp.issubdtype(key.dtype, jnp.integer) and key.ndim == 0:
        return jax.random.key(key)
    return jax.random.wrap_key_data(key)


@eqx.filter_jit
def _exact_value(problem: Problem, x: PyTree) -> Array:
    return problem.composition.exact_values(x)[-1]


@eqx.filter_jit
def _exact_value_and_gradient(problem: Problem, x: PyTree) -> tuple[Array, PyTree]:
    values = problem.composition.exact_values(x)
    return values[-1], problem.composition.exact_gradient((x, *values[:-1]))
