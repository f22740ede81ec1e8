"""Sets of matrices given by all of their singular values or eigenvalues, in NumPy."""

from __future__ import annotations

import numpy as np
from set_table import Case, basis

import wolfnest.sets as sets


def eigenvalues(d: np.ndarray) -> np.ndarray:
    n = round(d.size**0.5)
    d = d.reshape(n, n)
    return np.linalg.eigvalsh((d + d.T) / 2)


def spectral(m: int, n: int, radius: float) -> Case:
    def sample(rng):
        x = rng.standard_normal((m, n))
        return radius * rng.uniform() * x.ravel() / np.linalg.norm(x, 2)

    return Case(
        lambda c: sets.SpectralBall((m, n), c * radius),
        lambda d: -radius * float(np.sum(np.linalg.svd(d.reshape(m, n), compute_uv=False))),
        sample,
        (np.eye(m, n).ravel(), -np.eye(m, n).ravel()),
    )


def unit_spectrahedron(n: int, radius: float) -> Case:
    def sample(rng):
        x = rng.standard_normal((n, rng.integers(1, n + 1)))
        return radius * rng.uniform() * (x @ x.T).ravel() / np.sum(x * x)

    return Case(
        lambda c: sets.UnitSpectrahedron(n, c * radius),
        lambda d: radius * min(float(eigenvalues(d)[0]), 0.0),
        sample,
        (-basis(n * n), -basis(n * n, n * n - 1) if n > 1 else basis(1)),
    )


def fantope(n: int, k: int, radius: float) -> Case:
    def sample(rng):
        subspaces = [np.linalg.qr(rng.standard_normal((n, k)))[0] for _ in range(3)]
        weights = rng.dirichlet(np.ones(3))
        return radius * sum(w * (q @ q.T) for w, q in zip(weights, subspaces, strict=True)).ravel()

    ramp = np.diag(np.arange(n) + 1.0).ravel()
    return Case(
        lambda c: sets.Fantope(n, k, c * radius),
        lambda d: radius * float(np.sum(eigenvalues(d)[:k])),
        sample,
        (ramp, -ramp),
    )


CASES_MATRICES: dict[str, Case] = {
    "spectral ball, wide": spectral(2, 4, 2.0),
    "spectral ball, square": spectral(3, 3, 1.0),
    "unit spectrahedron": unit_spectrahedron(3, 2.0),
    "unit spectrahedron, one entry": unit_spectrahedron(1, 1.0),
    "fantope": fantope(4, 2, 1.0),
    "fantope, radius 3": fantope(3, 2, 3.0),
}
