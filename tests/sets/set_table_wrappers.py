"""Wrappers of sets for the common tests."""

from __future__ import annotations

import itertools

import numpy as np
from set_table import Case, basis, l1, mix_of, nuclear, over, polytope

import wolfnest.sets as sets


def scaled(n: int, factor: float) -> Case:
    far = (-np.sign(factor) * basis(n), -np.sign(factor) * basis(n, n - 1))
    return polytope(lambda c: sets.Scaled(sets.Simplex(n, c), factor), factor * np.eye(n), far)


def shifted() -> Case:
    """Around a point of a pytree: a square and a triangle."""
    by = {"square": np.array([5.0, -1.0]), "triangle": np.array([0.0, 2.0, -3.0])}
    square, triangle = itertools.product([-1, 1], repeat=2), np.eye(3)
    pairs = itertools.product(square, triangle)
    vertices = np.array([np.concatenate(p) for p in pairs]) + np.concatenate(list(by.values()))

    def make(c):
        inner = sets.Product({"square": sets.LInfBall(2, c), "triangle": sets.Simplex(3, c)})
        return sets.Shifted(inner, {name: c * value for name, value in by.items()})

    far = (np.array([1.0, 1, -1, 0, 0]), np.array([-1.0, -1, 0, 0, -1]))
    return polytope(make, vertices, far)


def image() -> Case:
    matrix = np.array([[1.0, 0, 2, -1], [0, 1, 1, 3], [2, 2, 0, 1]])
    vertices = np.concatenate([matrix.T, -matrix.T])
    return Case(
        lambda c: sets.LinearImage(matrix, sets.L1Ball(4, c)),
        over(vertices),
        mix_of(vertices),
        (basis(3), -basis(3)),
        projects=False,
        exact_diameter=False,
    )


def rounded(n: int, radius: float) -> Case:
    """A simplex and a ball: corners, edges and curved parts."""

    def sample(rng):
        x = rng.standard_normal(n)
        return rng.dirichlet(np.ones(n)) + radius * rng.uniform() * x / np.linalg.norm(x)

    return Case(
        lambda c: sets.MinkowskiSum((sets.Simplex(n, c), sets.L2Ball(n, c * radius))),
        lambda d: float(np.min(d) - radius * np.linalg.norm(d)),
        sample,
        (basis(n) - basis(n, 1), basis(n, 1) - basis(n)),
        projects=False,  # and here the sum of the diameters is exact
    )


def turnover_ball(weights, radius: float) -> Case:
    weights = np.asarray(weights)
    n = weights.size
    vertices = weights + radius * np.concatenate([np.eye(n), -np.eye(n)])
    return polytope(
        lambda c: sets.TurnoverBall(c * weights, c * radius), vertices, (basis(n), -basis(n))
    )


def cached() -> Case:
    inner = nuclear(2, 3, 1.5)
    return Case(lambda c: sets.Cached(inner.make(c), 3), inner.support, inner.sample, inner.witness)


def approximate(n: int) -> Case:
    """Far below the accuracy of the common tests; its own tests are rougher."""

    def sample(rng):
        x = rng.standard_normal(n)
        return rng.uniform() * x / np.linalg.norm(x)

    return Case(
        lambda c: sets.Approximate(sets.L2Ball(n, c), 1e-14),
        lambda d: -float(np.linalg.norm(d)),
        sample,
        (basis(n), -basis(n)),
    )


def reshaped() -> Case:
    inner = l1(6, 2.0)
    make = lambda c: sets.Reshaped(inner.make(c), (2, 3))
    return Case(make, inner.support, inner.sample, inner.witness)


def stacked(count: int, axis: int) -> Case:
    """One point of a nuclear ball after the other, along an axis in the middle or at the front."""
    inner = nuclear(2, 3, 1.5)
    shape = [2, 3]
    shape.insert(axis, count)
    slices = lambda d: np.moveaxis(d.reshape(shape), axis, 0).reshape(count, -1)
    joined = lambda rows: np.moveaxis(np.reshape(rows, (count, 2, 3)), 0, axis).ravel()
    return Case(
        lambda c: sets.Stacked(inner.make(c), count, axis),
        lambda d: sum(map(inner.support, slices(d))),
        lambda rng: joined([inner.sample(rng) for _ in range(count)]),
        tuple(joined([d] * count) for d in inner.witness),
    )


CASES_WRAPPERS: dict[str, Case] = {
    "scaled, reflected": scaled(3, -2.0),
    "shifted, pytree": shifted(),
    "linear image": image(),
    "minkowski sum": rounded(3, 0.5),
    "turnover ball": turnover_ball([0.5, 0.2, 0.3], 0.25),
    "reshaped": reshaped(),
    "stacked, rows": stacked(2, 0),
    "stacked, in the middle": stacked(3, 1),
    "cached": cached(),
    "approximate": approximate(3),
}
