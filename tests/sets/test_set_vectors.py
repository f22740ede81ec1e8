"""Sets of vectors at dimension 50, against linear programs and norms in NumPy."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog

from wolfnest.sets import (
    CappedSimplex,
    ConvexHull,
    Ellipsoid,
    GroupL1Ball,
    Hypersimplex,
    KNormBall,
    KSparse,
    LpBall,
    OWLBall,
    Permutahedron,
    TotalVariationBall,
    UnitHypersimplex,
    UnitSimplex,
)

jax.config.update("jax_enable_x64", True)

N = 50
RNG = np.random.default_rng(0)
CAPS = RNG.uniform(0, 0.1, N)
VALUES = np.round(RNG.standard_normal(N), 1)
LABELS = RNG.integers(0, 9, N)
POINTS = RNG.standard_normal((80, N))
ROOT = RNG.standard_normal((N, N)) / 5
CENTRE = RNG.standard_normal(N)
WEIGHTS = np.repeat((1.0, 0.7, 0.2), (10, 15, 25))

lmo = jax.jit(lambda c, d: c.lmo(d))
project = jax.jit(lambda c, x: c.project(x))
contains = jax.jit(lambda c, x: c.contains(x, 1e-10))


def least(d, bounds, rows=None, most=None, total=None):
    """`min <x, d>` by HiGHS, where `d` belongs to the first variables and the others are free of
    cost."""
    d = np.concatenate([d, np.zeros(len(bounds) - len(d))])
    equal = {} if total is None else {"A_eq": [(np.arange(d.size) < N) * 1.0], "b_eq": [total]}
    return linprog(d, rows, most, bounds=bounds, **equal).fun


def sum_below(d, cap, total):
    return least(d, [(0, c) for c in np.broadcast_to(cap, N)], [np.ones(N)], [total])


def largest_sums(d, parts, radius):
    """`Σ_j c_j · (sum of the k_j largest |x_i|) ≤ radius`; such a sum is the least
    `k t + Σ s_i` with `s ≥ 0` and `t + s_i ≥ |x_i|`."""
    rows, most, budget = [], [], [np.zeros(N)]
    for j, (weight, k) in enumerate(parts):
        gaps = [np.zeros((N, N + 1)) for _ in parts]
        gaps[j] = np.hstack([-np.ones((N, 1)), -np.eye(N)])
        rows += [np.hstack([sign * np.eye(N), *gaps]) for sign in (1, -1)]
        most += [0.0] * (2 * N)
        budget += [np.array([weight * k]), np.full(N, weight)]
    rows.append(np.concatenate(budget)[None])
    bounds = [(None, None)] * N + ([(None, None)] + [(0, None)] * N) * len(parts)
    return least(d, bounds, np.vstack(rows), [*most, radius])


def bounded_variation(d, radius):
    steps = np.diff(np.eye(N), axis=0)
    rows = [np.hstack([sign * steps, -np.eye(N - 1)]) for sign in (1, -1)]
    rows.append(np.append(np.zeros(N), np.ones(N - 1))[None])
    bounds = [(None, None)] * N + [(0, None)] * (N - 1)
    return least(d, bounds, np.vstack(rows), [0.0] * (2 * N - 2) + [radius], total=0)


def assigned(d):
    cost = np.outer(d, VALUES)
    return cost[linear_sum_assignment(cost)].sum()


def lp_norm(x, p):
    largest = np.max(np.abs(x))
    return largest * np.sum((np.abs(x) / largest) ** p) ** (1 / p)


def of_groups(d):
    return [np.linalg.norm(d[g == LABELS]) for g in range(9)]


# Every set with its least value, found by other means.
LARGE = {
    "unit simplex": (UnitSimplex(N, 2.0), lambda d: sum_below(d, np.inf, 2.0)),
    "capped simplex": (
        CappedSimplex(N, CAPS, 1.3),
        lambda d: least(d, [(0, c) for c in CAPS], total=1.3),
    ),
    "hypersimplex": (
        Hypersimplex(N, 7, 2.0),
        lambda d: least(d, [(0, 2)] * N, total=14),
    ),
    "unit hypersimplex": (UnitHypersimplex(N, 30, 2.0), lambda d: sum_below(d, 2, 60)),
    "k-sparse": (KSparse(N, 7, 2.0), lambda d: sum_below(-np.abs(d), 2, 14)),
    "k-norm, 3": (KNormBall(N, 3, 2.0), lambda d: largest_sums(d, [(1, 3)], 2.0)),
    "k-norm, 45": (KNormBall(N, 45, 2.0), lambda d: largest_sums(d, [(1, 45)], 2.0)),
    "owl": (
        OWLBall(WEIGHTS, 3.0),
        lambda d: largest_sums(d, [(0.3, 10), (0.5, 25), (0.2, 50)], 3.0),
    ),
    "permutahedron": (Permutahedron(VALUES), assigned),
    "group l1": (GroupL1Ball(LABELS, 2.0), lambda d: -2 * max(of_groups(d))),
    "hull": (ConvexHull(POINTS), lambda d: np.min(POINTS @ d)),
    "total variation": (TotalVariationBall(N, 2.0), lambda d: bounded_variation(d, 2.0)),
    "lp, 1.01": (LpBall(N, 1.01, 2.0), lambda d: -2 * lp_norm(d, 101)),
    "lp, 100": (LpBall(N, 100, 2.0), lambda d: -2 * lp_norm(d, 100 / 99)),
    "ellipsoid": (
        Ellipsoid(CENTRE, shape=ROOT @ ROOT.T),
        lambda d: CENTRE @ d - np.linalg.norm(ROOT.T @ d),
    ),
}
WITHOUT_PROJECTION = ("hull", "total variation")


@pytest.mark.parametrize("name", LARGE)
def test_oracle_at_moderate_dimension(name):
    rng = np.random.default_rng(1)
    c, support = LARGE[name]
    for d in (rng.standard_normal(N), np.round(rng.standard_normal(N)), rng.standard_normal(N) - 2):
        s = np.asarray(lmo(c, d))
        assert contains(c, s)
        assert s @ d == pytest.approx(support(d), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in LARGE if name not in WITHOUT_PROJECTION])
def test_projection_at_moderate_dimension(name):
    """`<x - p, s>` is largest at `s = p`."""
    rng = np.random.default_rng(1)
    c, support = LARGE[name]
    for x in (rng.standard_normal(N), 10 * np.round(rng.standard_normal(N)), 1e6 * CENTRE):
        p = np.asarray(project(c, x))
        assert contains(c, p)
        away = (x - p) / np.linalg.norm(x - p)
        assert away @ p == pytest.approx(-support(-away), rel=1e-7, abs=1e-8)
