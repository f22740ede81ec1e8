"""The sets that run through every common test, each with its mathematics written out in NumPy."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

import wolfnest.sets as sets

jax.config.update("jax_enable_x64", True)


@dataclass(frozen=True)
class Case:
    """A set, and what is known about it without it; flat vectors stand for points."""

    make: Callable[[float], Any]  # the set, with its size multiplied by a number
    support: Callable[[np.ndarray], float]  # min <s, d> over the set
    sample: Callable[[np.random.Generator], np.ndarray]  # a random point of the set
    witness: tuple[np.ndarray, np.ndarray]  # directions whose lmo are a diameter apart
    projects: bool = True  # whether the set has a projection
    exact_diameter: bool = True  # False: `diameter` is an upper bound, `witness` any two directions

    @functools.cached_property
    def set(self):
        return self.make(1.0)

    @functools.cached_property
    def like(self):
        return jax.tree.map(np.asarray, self.set.start())

    @functools.cached_property
    def size(self) -> int:
        return flat(self.like).size

    @functools.cached_property
    def extent(self) -> float:
        return float(self.set.diameter) + float(np.linalg.norm(flat(self.like)))

    def tree(self, vector, dtype=np.float64):
        """A flat vector as a point; in NumPy, since every shape of a JAX operation compiles."""
        leaves, structure = jax.tree.flatten(self.like)
        ends = np.cumsum([leaf.size for leaf in leaves])[:-1]
        parts = zip(np.split(np.asarray(vector, dtype), ends), leaves, strict=True)
        return structure.unflatten([part.reshape(leaf.shape) for part, leaf in parts])


def flat(tree) -> np.ndarray:
    return np.concatenate([np.asarray(leaf, np.float64).ravel() for leaf in jax.tree.leaves(tree)])


def basis(n: int, i: int = 0) -> np.ndarray:
    return np.eye(n)[i]


def over(vertices) -> Callable[[np.ndarray], float]:
    """The minimum over a list of all vertices."""
    vertices = np.asarray(vertices)
    return lambda d: float(np.min(vertices @ d))


def mix_of(vertices) -> Callable[[np.random.Generator], np.ndarray]:
    vertices = np.asarray(vertices)
    return lambda rng: rng.dirichlet(np.full(len(vertices), 0.5)) @ vertices


def polytope(make, vertices, witness) -> Case:
    return Case(make, over(vertices), mix_of(vertices), witness)


def simplex(n: int, radius: float) -> Case:
    far = (-basis(n), -basis(n, n - 1))
    return polytope(lambda c: sets.Simplex(n, c * radius), radius * np.eye(n), far)


def l1(n: int, radius: float) -> Case:
    vertices = radius * np.concatenate([np.eye(n), -np.eye(n)])
    return polytope(lambda c: sets.L1Ball(n, c * radius), vertices, (basis(n), -basis(n)))


def linf(n: int, radius: float) -> Case:
    vertices = radius * np.array(list(itertools.product([-1, 1], repeat=n)))
    return polytope(lambda c: sets.LInfBall(n, c * radius), vertices, (np.ones(n), -np.ones(n)))


def l2(n: int, radius: float) -> Case:
    def sample(rng):
        x = rng.standard_normal(n)
        return radius * rng.uniform() * x / np.linalg.norm(x)

    return Case(
        lambda c: sets.L2Ball(n, c * radius),
        lambda d: -radius * float(np.linalg.norm(d)),
        sample,
        (basis(n), -basis(n)),
    )


def box(lower, upper) -> Case:
    low, high = np.asarray(lower), np.asarray(upper)
    ends = zip(low.ravel(), high.ravel(), strict=True)
    ones = np.ones(low.size)
    return polytope(
        lambda c: sets.Box(c * low, c * high), list(itertools.product(*ends)), (ones, -ones)
    )


def nuclear(m: int, n: int, radius: float) -> Case:
    def sample(rng):
        s, u, v = (
            rng.dirichlet(np.ones(3)),
            rng.standard_normal((3, m)),
            rng.standard_normal((3, n)),
        )
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        return radius * ((u * s[:, None]).T @ v).ravel()

    return Case(
        lambda c: sets.NuclearBall((m, n), c * radius),
        lambda d: -radius * float(np.linalg.svd(d.reshape(m, n), compute_uv=False)[0]),
        sample,
        (basis(m * n), -basis(m * n)),
    )


def spectrahedron(n: int, radius: float) -> Case:
    def sample(rng):
        x = rng.standard_normal((n, rng.integers(1, n + 1)))
        return radius * (x @ x.T).ravel() / np.sum(x * x)

    def support(d):
        d = d.reshape(n, n)
        return radius * float(np.linalg.eigvalsh((d + d.T) / 2)[0])

    far = (-basis(n * n), -basis(n * n, n * n - 1))
    return Case(lambda c: sets.Spectrahedron(n, c * radius), support, sample, far)


def product(make, parts: list[Case]) -> Case:
    """`make` puts the sets into a pytree; `parts` are in the order of its leaves."""
    ends = np.cumsum([0] + [part.size for part in parts])

    def support(d):
        blocks = itertools.pairwise(ends)
        return sum(p.support(d[a:b]) for p, (a, b) in zip(parts, blocks, strict=True))

    return Case(
        lambda c: sets.Product(make(*[part.make(c) for part in parts])),
        support,
        lambda rng: np.concatenate([part.sample(rng) for part in parts]),
        tuple(np.concatenate([part.witness[i] for part in parts]) for i in (0, 1)),
    )


def own(n: int) -> Case:
    """A user's oracle, for the simplex that the library has as well."""

    def make(c):
        inner = sets.Simplex(n, c)
        return sets.FromOracle(
            inner.lmo,
            inner.start(),
            project=inner.project,
            contains=inner.contains,
            diameter=inner.diameter,
        )

    known = simplex(n, 1.0)
    return Case(make, known.support, known.sample, known.witness)


CASES: dict[str, Case] = {
    "simplex": simplex(5, 1.0),
    "simplex, radius 2.5": simplex(4, 2.5),
    "simplex, one point": simplex(1, 2.0),
    "l1": l1(4, 1.0),
    "l1, radius 3": l1(3, 3.0),
    "l2": l2(3, 0.5),
    "linf": linf(4, 2.0),
    "box": box([-1.0, 0.0, 2.0], [1.0, 0.5, 2.0]),
    "box, matrix": box([[-1.0, -2.0], [0.0, -3.0]], [[1.0, 0.0], [4.0, 3.0]]),
    "nuclear, wide": nuclear(3, 4, 2.0),
    "nuclear, tall": nuclear(5, 2, 1.0),
    "spectrahedron": spectrahedron(4, 3.0),
    "product, nested": product(
        lambda a, b, c: {"a": a, "b": (b, [c])}, [l1(2, 1.0), simplex(3, 2.0), nuclear(2, 2, 1.0)]
    ),
    "own oracle": own(4),
}
