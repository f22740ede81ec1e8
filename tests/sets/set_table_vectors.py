"""Sets of vectors for the common tests: vertices listed by brute force, norms written out."""

from __future__ import annotations

import itertools

import numpy as np
from set_table import Case, basis, polytope

import wolfnest.sets as sets


def signed(n: int, size: int) -> np.ndarray:
    """All vectors with `size` entries ±1, and zeros."""
    rows = [np.zeros((1, n))]
    for at in itertools.combinations(range(n), size):
        for signs in itertools.product([-1, 1], repeat=size):
            rows.append(np.sum([s * basis(n, i) for s, i in zip(signs, at, strict=True)], 0)[None])
    return np.concatenate(rows[1:] if size else rows)


def chosen(n: int, sizes) -> np.ndarray:
    """All 0–1 vectors with as many ones as one of `sizes`."""
    rows = np.array(list(itertools.product([0, 1], repeat=n)))
    return rows[np.isin(rows.sum(1), list(sizes))]


def cube(n: int, radius: float) -> Case:
    vertices, ones = radius * chosen(n, range(n + 1)), np.ones(n)
    return polytope(lambda c: sets.Cube(n, c * radius), vertices, (ones, -ones))


def unit_simplex(n: int, radius: float) -> Case:
    vertices = radius * np.concatenate([np.zeros((1, n)), np.eye(n)])
    far = (-basis(n, n - 1), -basis(n)) if n > 1 else (basis(n), -basis(n))
    return polytope(lambda c: sets.UnitSimplex(n, c * radius), vertices, far)


def capped(n: int, cap, radius: float, exact: bool) -> Case:
    caps = np.broadcast_to(np.asarray(cap, float), n)
    vertices = []
    for order in itertools.permutations(range(n)):
        x, left = np.zeros(n), radius
        for i in order:
            x[i] = min(caps[i], left)
            left -= x[i]
        vertices.append(x)
    known = polytope(None, vertices, (np.arange(n) * 1.0, -np.arange(n)))
    make = lambda c: sets.CappedSimplex(n, c * np.asarray(cap), c * radius)
    return Case(make, known.support, known.sample, known.witness, exact_diameter=exact)


def hypersimplex(n: int, k: int, radius: float) -> Case:
    ramp = np.arange(n) * 1.0
    make = lambda c: sets.Hypersimplex(n, k, c * radius)
    return polytope(make, radius * chosen(n, [k]), (ramp, -ramp))


def unit_hypersimplex(n: int, k: int, radius: float) -> Case:
    ramp = np.arange(n) - k + 0.5
    make = lambda c: sets.UnitHypersimplex(n, k, c * radius)
    return polytope(make, radius * chosen(n, range(k + 1)), (ramp, -ramp))


def lp_norm(x: np.ndarray, p: float) -> float:
    return float(np.linalg.norm(x, p))


def lp(n: int, p: float, radius: float) -> Case:
    q = np.inf if p == 1 else 1.0 if p == np.inf else p / (p - 1)
    far = np.ones(n) if p > 2 else basis(n)

    def sample(rng):
        x = rng.standard_normal(n)
        return radius * rng.uniform() ** 0.1 * x / lp_norm(x, p)

    support = lambda d: -radius * lp_norm(d, q)
    return Case(lambda c: sets.LpBall(n, p, c * radius), support, sample, (far, -far))


def ellipsoid(centre, semi_axes, turned: bool) -> Case:
    centre, lengths = np.asarray(centre), np.asarray(semi_axes)
    n = lengths.size
    axes = (
        np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0] if turned else np.eye(n)
    )
    shape = (axes * lengths**2) @ axes.T
    long = axes[:, np.argmax(lengths)]

    def make(c):
        if turned:
            return sets.Ellipsoid(c * centre, shape=c**2 * shape)
        return sets.Ellipsoid(c * centre, semi_axes=c * lengths)

    def sample(rng):
        x = rng.standard_normal(n)
        return centre + axes @ (lengths * rng.uniform() ** 0.1 * x / np.linalg.norm(x))

    support = lambda d: float(centre @ d - np.sqrt(max(d @ shape @ d, 0.0)))
    return Case(make, support, sample, (long, -long))


def k_sparse(n: int, k: int, radius: float) -> Case:
    ramp = np.arange(1.0, n + 1)
    return polytope(lambda c: sets.KSparse(n, k, c * radius), radius * signed(n, k), (ramp, -ramp))


def k_norm(n: int, k: int, radius: float) -> Case:
    vertices = radius * np.concatenate([signed(n, 1), signed(n, n) / k])
    far = np.ones(n) if n**0.5 > k else basis(n)
    return polytope(lambda c: sets.KNormBall(n, k, c * radius), vertices, (far, -far))


def owl(weights, radius: float, most: int) -> Case:
    """`most` is the number of entries of the longest vertex."""
    n, total = len(weights), np.cumsum(weights)
    vertices = radius * np.concatenate([signed(n, j) / total[j - 1] for j in range(1, n + 1)])
    far = (np.arange(n) < most) * 1.0
    make = lambda c: sets.OWLBall(np.asarray(weights), c * radius)
    return polytope(make, vertices, (far, -far))


def permutahedron(values) -> Case:
    ramp = np.arange(len(values)) * 1.0
    vertices = list(itertools.permutations(values))
    return polytope(lambda c: sets.Permutahedron(c * np.asarray(values)), vertices, (ramp, -ramp))


def groups(labels, radius: float) -> Case:
    labels = np.asarray(labels)
    kinds, n = np.unique(labels), labels.size
    norms = lambda x: np.array([np.linalg.norm(x[labels == g]) for g in kinds])

    def sample(rng):
        x = rng.standard_normal(n) * rng.dirichlet(np.ones(n))
        return radius * rng.uniform() ** 0.1 * x / norms(x).sum()

    support = lambda d: -radius * float(norms(d).max())
    make = lambda c: sets.GroupL1Ball(labels, c * radius)
    return Case(make, support, sample, (basis(n), -basis(n)))


def hull(points) -> Case:
    points = np.asarray(points)
    flat = points.reshape(len(points), -1)
    gaps = flat[:, None] - flat[None]
    i, j = np.unravel_index(np.argmax(np.sum(gaps**2, -1)), gaps.shape[:2])
    known = polytope(None, flat, (gaps[i, j], gaps[j, i]))
    make = lambda c: sets.ConvexHull(c * points)
    return Case(make, known.support, known.sample, known.witness, projects=False)


def variation(n: int, radius: float) -> Case:
    steps = np.triu(np.ones((n - 1, n)), 1)
    steps = radius * (steps - steps.mean(1, keepdims=True))
    middle = steps[n // 2 - 1]
    known = polytope(None, np.concatenate([steps, -steps]), (middle, -middle))
    make = lambda c: sets.TotalVariationBall(n, c * radius)
    return Case(make, known.support, known.sample, known.witness, projects=False)


CASES_VECTORS: dict[str, Case] = {
    "cube": cube(4, 1.0),
    "unit simplex": unit_simplex(4, 1.5),
    "unit simplex, one entry": unit_simplex(1, 2.0),
    "capped simplex": capped(5, 0.4, 1.0, exact=False),
    "capped simplex, halves": capped(4, 0.5, 1.0, exact=True),
    "capped simplex, own caps": capped(5, [0.0, 1.0, 0.3, 5.0, 0.7], 2.0, exact=False),
    "hypersimplex": hypersimplex(5, 3, 2.0),
    "unit hypersimplex": unit_hypersimplex(5, 2, 0.5),
    "lp, 1": lp(3, 1.0, 2.0),
    "lp, 1.5": lp(4, 1.5, 2.0),
    "lp, 7": lp(4, 7.0, 0.5),
    "ellipsoid": ellipsoid([1.0, -2.0, 0.0], [2.0, 0.1, 1.0], turned=False),
    "ellipsoid, turned": ellipsoid([1.0, 0.0, -3.0, 2.0], [0.5, 3.0, 1.0, 1.0], turned=True),
    "k-sparse": k_sparse(5, 2, 1.5),
    "k-norm": k_norm(5, 2, 2.0),
    "owl": owl([1.0, 0.6, 0.2, 0.0], 1.5, 4),
    "permutahedron": permutahedron([0.5, -1.0, 2.0, 2.0]),
    "group l1": groups([7, 2, 2, 7, 0], 2.0),
    "hull": hull(np.random.default_rng(1).standard_normal((7, 2, 2))),
    "total variation": variation(5, 2.0),
}
