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

NumPyObjective = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclasses.dataclass(frozen=True)
class Instance:
    """Minimise `loss(*data, x)` over `domain`.

    - `value_and_gradient` is the same objective in NumPy, and `lowest(g)` is `min <g, s>` over the
      set;
    - `size` bounds the set: its radius, or the cap of an entry;
    - `smoothness` is the Lipschitz constant of the gradient.
    """

    name: str
    title: str
    loss: Callable[..., jax.Array]
    data: tuple[np.ndarray, ...]
    domain: wn.sets.AbstractSet
    size: float
    smoothness: float
    value_and_gradient: NumPyObjective
    lowest: Callable[[np.ndarray], float]

    def problem(self) -> wn.Problem:
        """One deterministic level; the data are its arrays."""
        level = wn.Level(jax.tree_util.Partial(self.loss, *map(jnp.asarray, self.data)))
        return wn.Problem([level], self.domain, convex=True)

    def start(self) -> np.ndarray:
        return np.asarray(self.domain.start(jnp.float64))

    def value(self, x: np.ndarray) -> float:
        return self.value_and_gradient(x)[0]

    def gap(self, x: np.ndarray) -> float:
        """`max <∇F(x), x - s>` over the set: at least `F(x) - min F`."""
        gradient = self.value_and_gradient(x)[1]
        return float(np.vdot(gradient, x)) - self.lowest(gradient)


# ---- the problems ----------------------------------------------------------------------------


def logistic(samples: int, features: int) -> Instance:
    """Labels from every 25th of the features; the ball is half as large as the truth is."""
    rng = np.random.default_rng(0)
    a, truth = rng.standard_normal((samples, features)), np.zeros(features)
    truth[::25] = rng.choice([-1.0, 1.0], truth[::25].size)
    signs = np.where(rng.random(samples) < 1 / (1 + np.exp(-(a @ truth))), 1.0, -1.0)

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        margin = signs * (a @ x)
        share = np.exp(-np.logaddexp(0.0, margin))  # 1 / (1 + e^margin)
        return float(np.logaddexp(0.0, -margin).mean()), -((signs * share) @ a) / samples

    radius, bend = float(np.abs(truth).sum()) / 2, _largest_square(a) / (4 * samples)
    name = "logistic", "logistic regression"
    loss = lambda a, signs, x: jnp.mean(jnp.logaddexp(0.0, -signs * (a @ x)))
    return _in_l1_ball(name, loss, (a, signs), radius, bend, value_and_gradient)


def squares(samples: int, features: int) -> Instance:
    """Few samples, many features; every 200th matters, and the ball is a little too small."""
    rng = np.random.default_rng(1)
    a, truth = rng.standard_normal((samples, features)), np.zeros(features)
    truth[::200] = rng.standard_normal(truth[::200].size)
    b = a @ truth + 0.5 * rng.standard_normal(samples)

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        rest = a @ x - b
        return float(rest @ rest) / (2 * samples), (rest @ a) / samples

    radius, bend = 0.8 * float(np.abs(truth).sum()), _largest_square(a) / samples
    name = "squares", "least squares"
    loss = lambda a, b, x: jnp.mean((a @ x - b) ** 2) / 2
    return _in_l1_ball(name, loss, (a, b), radius, bend, value_and_gradient)


def _in_l1_ball(
    name: tuple[str, str],
    loss: Callable[..., jax.Array],
    data: tuple[np.ndarray, np.ndarray],
    radius: float,
    smoothness: float,
    value_and_gradient: NumPyObjective,
) -> Instance:
    samples, features = data[0].shape
    return Instance(
        name=name[0],
        title=f"{name[1]} on an L1 ball ({samples:,} × {features:,})",
        loss=loss,
        data=data,
        domain=wn.sets.L1Ball(features, radius),
        size=radius,
        smoothness=smoothness,
        value_and_gradient=value_and_gradient,
        lowest=lambda g: -radius * float(np.abs(g).max()),
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
        name="completion",
        title=f"matrix completion on a nuclear ball ({rows:,} × {columns:,}, a fifth known)",
        loss=lambda mask, known, x: jnp.sum((mask * x - known) ** 2) / (2 * jnp.sum(mask)),
        data=(mask, known),
        domain=wn.sets.NuclearBall((rows, columns), radius),
        size=radius,
        smoothness=1 / count,
        value_and_gradient=value_and_gradient,
        lowest=lambda g: -radius * float(np.linalg.norm(g, 2)),
    )


def minimum_variance(assets: int, days: int) -> Instance:
    """Synthetic returns of heavy tails; no asset has more than ten times an equal share."""
    table = wn.datasets.factor_model(days, assets, seed=3).values
    covariance, cap = np.cov(np.asarray(table, np.float64), rowvar=False), 10.0 / assets

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        image = covariance @ x
        return float(x @ image) / 2, image

    def lowest(g: np.ndarray) -> float:
        full, cheapest = int(1 / cap + 1e-9), np.sort(g)
        rest = (1 - full * cap) * cheapest[full] if full < g.size else 0.0
        return float(cap * cheapest[:full].sum() + rest)

    return Instance(
        name="variance",
        title=f"minimum variance on a capped simplex ({assets:,} assets, cap {cap:g})",
        loss=lambda covariance, x: x @ (covariance @ x) / 2,
        data=(covariance,),
        domain=wn.sets.CappedSimplex(assets, cap),
        size=cap,
        smoothness=float(np.linalg.eigvalsh(covariance)[-1]),
        value_and_gradient=value_and_gradient,
        lowest=lowest,
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
