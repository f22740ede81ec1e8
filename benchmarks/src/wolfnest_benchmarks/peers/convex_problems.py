"""The problems on which methods are compared by their gaps, all convex and in float64.

Every instance has its objective twice: in JAX, for the methods that are compiled, and in NumPy, for
the others and for judging all points.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

import wolfnest as wn


@dataclasses.dataclass(frozen=True)
class Instance:
    """Minimise `loss(*data, x)` over `domain`.

    `value_and_gradient` is the same objective in NumPy; `size` bounds the set: its radius, or the
    cap of an entry; `smoothness` is the Lipschitz constant of the gradient.
    """

    name: str
    title: str
    loss: Callable[..., jax.Array]
    data: tuple[np.ndarray, ...]
    domain: wn.sets.AbstractSet
    size: float
    smoothness: float
    value_and_gradient: Callable[[np.ndarray], tuple[float, np.ndarray]]

    def problem(self) -> wn.Problem:
        """One deterministic level; the data are its arrays."""
        level = wn.Level(jax.tree_util.Partial(self.loss, *map(jnp.asarray, self.data)))
        return wn.Problem([level], self.domain, convex=True)

    def start(self) -> np.ndarray:
        return np.asarray(self.domain.start(jnp.float64))

    def value(self, x: np.ndarray) -> float:
        return self.value_and_gradient(x)[0]

    def lowest(self, g: np.ndarray) -> float:
        """`min <g, s>` over the set."""
        if isinstance(self.domain, wn.sets.L1Ball):
            return -self.size * float(np.abs(g).max())
        if isinstance(self.domain, wn.sets.NuclearBall):
            return -self.size * float(np.linalg.norm(g, 2))
        full, cheapest = int(1 / self.size + 1e-9), np.sort(g)
        rest = (1 - full * self.size) * cheapest[full] if full < g.size else 0.0
        return float(self.size * cheapest[:full].sum() + rest)

    def gap(self, x: np.ndarray) -> float:
        """`max <∇F(x), x - s>` over the set: at least `F(x) - min F`."""
        gradient = self.value_and_gradient(x)[1]
        return float(np.vdot(gradient, x)) - self.lowest(gradient)


def logistic(samples: int, features: int) -> Instance:
    """Labels from every 25th of the features; the ball is half as large as the truth is."""
    rng = np.random.default_rng(0)
    a, truth = rng.standard_normal((samples, features)), np.zeros(features)
    truth[::25] = rng.choice([-1.0, 1.0], truth[::25].size)
    signs = np.where(rng.random(samples) < 1 / (1 + np.exp(-(a @ truth))), 1.0, -1.0)
    radius = float(np.abs(truth).sum()) / 2

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        margin = signs * (a @ x)
        share = np.exp(-np.logaddexp(0.0, margin))  # 1 / (1 + e^margin)
        return float(np.logaddexp(0.0, -margin).mean()), -((signs * share) @ a) / samples

    return Instance(
        "logistic",
        f"logistic regression on an L1 ball ({samples:,} × {features:,})",
        lambda a, signs, x: jnp.mean(jnp.logaddexp(0.0, -signs * (a @ x))),
        (a, signs),
        wn.sets.L1Ball(features, radius),
        radius,
        _largest_square(a) / (4 * samples),
        value_and_gradient,
    )


def squares(samples: int, features: int) -> Instance:
    """Few samples, many features; every 200th matters, and the ball is a little too small."""
    rng = np.random.default_rng(1)
    a, truth = rng.standard_normal((samples, features)), np.zeros(features)
    truth[::200] = rng.standard_normal(truth[::200].size)
    b = a @ truth + 0.5 * rng.standard_normal(samples)
    radius = 0.8 * float(np.abs(truth).sum())

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        rest = a @ x - b
        return float(rest @ rest) / (2 * samples), (rest @ a) / samples

    return Instance(
        "squares",
        f"least squares on an L1 ball ({samples:,} × {features:,})",
        lambda a, b, x: jnp.mean((a @ x - b) ** 2) / 2,
        (a, b),
        wn.sets.L1Ball(features, radius),
        radius,
        _largest_square(a) / samples,
        value_and_gradient,
    )


def completion(rows: int, columns: int, rank: int = 5) -> Instance:
    """A fifth of the entries of a matrix of low rank, with noise."""
    rng = np.random.default_rng(2)
    truth = rng.standard_normal((rows, rank)) @ rng.standard_normal((rank, columns))
    mask = (rng.random((rows, columns)) < 0.2).astype(float)
    known = mask * (truth + 0.1 * rng.standard_normal((rows, columns)))
    radius, count = 0.8 * float(np.linalg.norm(truth, "nuc")), float(mask.sum())

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        rest = mask * x - known
        return float(np.vdot(rest, rest)) / (2 * count), rest / count

    return Instance(
        "completion",
        f"matrix completion on a nuclear ball ({rows:,} × {columns:,}, a fifth known)",
        lambda mask, known, x: jnp.sum((mask * x - known) ** 2) / (2 * jnp.sum(mask)),
        (mask, known),
        wn.sets.NuclearBall((rows, columns), radius),
        radius,
        1 / count,
        value_and_gradient,
    )


def minimum_variance(assets: int, days: int) -> Instance:
    """Synthetic returns of heavy tails; no asset has more than ten times an equal share."""
    table = wn.datasets.factor_model(days, assets, seed=3).values
    covariance, cap = np.cov(np.asarray(table, np.float64), rowvar=False), 10.0 / assets

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        image = covariance @ x
        return float(x @ image) / 2, image

    return Instance(
        "variance",
        f"minimum variance on a capped simplex ({assets:,} assets, cap {cap:g})",
        lambda covariance, x: x @ (covariance @ x) / 2,
        (covariance,),
        wn.sets.CappedSimplex(assets, cap),
        cap,
        float(np.linalg.eigvalsh(covariance)[-1]),
        value_and_gradient,
    )


def instances(small: bool = False) -> list[Instance]:
    """All four; `small` ones are for tests."""
    if small:
        return [logistic(80, 40), squares(30, 400), completion(20, 15, 1), minimum_variance(30, 90)]
    return [
        logistic(1_000, 400),
        squares(300, 10_000),
        completion(100, 80),
        minimum_variance(300, 2_500),
    ]


def _largest_square(a: np.ndarray) -> float:
    """The largest eigenvalue of `A Aᵀ`, or of `AᵀA` where that is smaller."""
    return float(np.linalg.eigvalsh(a @ a.T if a.shape[0] < a.shape[1] else a.T @ a)[-1])
