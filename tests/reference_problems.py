"""Small non-linear problems written twice: levels for the library, flat twins for the reference.

The Jacobians of the twins are derived by hand; `test_equations.py` checks them by differences.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

import reference as ref
import wolfnest as wn


@dataclass(frozen=True)
class Twin:
    """A level for the library (fn) and for the reference (value, jacobian), on the same data."""

    fn: Callable
    value: Callable
    jacobian: Callable
    data: tuple | None = None


@dataclass(frozen=True)
class Case:
    """A problem for both sides. `rtol` is the agreement asked for."""

    twins: tuple
    domain: Any
    twin_domain: ref.Domain
    x1: Any
    rtol: float = 1e-10

    @property
    def problem(self):
        levels = [
            wn.Level(twin.fn) if twin.data is None else wn.Level(twin.fn, data=twin.data)
            for twin in self.twins
        ]
        return wn.Problem(levels, self.domain)

    @property
    def levels(self):
        return [ref.Level(twin.value, twin.jacobian, twin.data) for twin in self.twins]

    def draw(self, rng, n):
        """n samples of every level, with replacement."""
        return tuple(
            None if twin.data is None else rows(twin.data, rng.integers(len(twin.data[0]), size=n))
            for twin in self.twins
        )


def rows(data, index):
    return tuple(a[index] for a in data)


def flat(tree):
    """A pytree as one vector, leaves in order."""
    return np.asarray(ravel_pytree(tree)[0])


# Levels. Each takes a generator and sizes and returns a Twin.


def tanh_layer(rng, m, d, p):
    """y -> tanh(W y + b), from R^d to R^p."""
    return Twin(
        fn=lambda y, xi: jnp.tanh(xi[0] @ y + xi[1]),
        value=lambda y, xi: np.tanh(xi[0] @ y + xi[1]),
        jacobian=lambda y, xi: xi[0].T * (1 - np.tanh(xi[0] @ y + xi[1]) ** 2),
        data=(rng.normal(size=(m, p, d)), rng.normal(size=(m, p))),
    )


def softplus_loss(rng, m, d):
    """y -> Σ_k log(1 + exp(a_k·y)) + (c·y)²/2, a scalar."""

    def jacobian(y, xi):
        a, c = xi
        return (a.T @ (1 / (1 + np.exp(-a @ y))) + c * (c @ y))[:, None]

    return Twin(
        fn=lambda y, xi: jnp.sum(jax.nn.softplus(xi[0] @ y)) + 0.5 * (xi[1] @ y) ** 2,
        value=lambda y, xi: np.sum(np.log1p(np.exp(xi[0] @ y))) + 0.5 * (xi[1] @ y) ** 2,
        jacobian=jacobian,
        data=(rng.normal(size=(m, 2, d)), rng.normal(size=(m, d))),
    )


def quadratic_loss(rng, m, d):
    """y -> Σ q y²/2 + c·y, a scalar."""
    return Twin(
        fn=lambda y, xi: 0.5 * jnp.sum(xi[0] * y**2) + xi[1] @ y,
        value=lambda y, xi: 0.5 * np.sum(xi[0] * y**2) + xi[1] @ y,
        jacobian=lambda y, xi: (xi[0] * y + xi[1])[:, None],
        data=(rng.normal(size=(m, d)) + 1.0, rng.normal(size=(m, d))),
    )


def mean_pair(rng, m, d):
    """x -> (r·x, x), a pair: level 1 of the portfolio problems."""
    return Twin(
        fn=lambda x, xi: (xi[0] @ x, x),
        value=lambda x, xi: np.concatenate([[xi[0] @ x], x]),
        jacobian=lambda x, xi: np.column_stack([xi[0], np.eye(d)]),
        data=(rng.normal(size=(m, d)) + 0.3,),
    )


def square_loss(rng, m, d):
    """(y1, y2) -> -y1 + (r·y2 - y1)², a scalar: level 2 of mean-variance."""

    def jacobian(y, xi):
        error = xi[0] @ y[1:] - y[0]
        return np.concatenate([[-1 - 2 * error], 2 * error * xi[0]])[:, None]

    return Twin(
        fn=lambda y, xi: -y[0] + (xi[0] @ y[1] - y[0]) ** 2,
        value=lambda y, xi: -y[0] + (xi[0] @ y[1:] - y[0]) ** 2,
        jacobian=jacobian,
        data=(rng.normal(size=(m, d)) + 0.3,),
    )


def square_dict(rng, m, d):
    """(y1, y2) -> {"mean": y1, "square": (r·y2 - y1)²}: level 2 of mean-deviation."""

    def jacobian(y, xi):
        error = xi[0] @ y[1:] - y[0]
        square = np.concatenate([[-2 * error], 2 * error * xi[0]])
        return np.column_stack([np.eye(1 + d)[0], square])

    return Twin(
        fn=lambda y, xi: {"square": (xi[0] @ y[1] - y[0]) ** 2, "mean": y[0]},
        value=lambda y, xi: np.array([y[0], (xi[0] @ y[1:] - y[0]) ** 2]),
        jacobian=jacobian,
        data=(rng.normal(size=(m, d)) + 0.3,),
    )


def root_of_dict():
    """{"mean", "square"} -> -mean + √(square² + 0.1), no samples: smooth for any tracked value."""
    return Twin(
        fn=lambda z: -z["mean"] + jnp.sqrt(z["square"] ** 2 + 0.1),
        value=lambda z, _: -z[0] + np.sqrt(z[1] ** 2 + 0.1),
        jacobian=lambda z, _: np.array([[-1.0], [z[1] / np.sqrt(z[1] ** 2 + 0.1)]]),
    )


def smooth_map(rng, d, p):
    """y -> M tanh(y) + y[0]², no samples, from R^d to R^p."""
    matrix = rng.normal(size=(p, d))
    return Twin(
        fn=lambda y: jnp.asarray(matrix) @ jnp.tanh(y) + y[0] ** 2,
        value=lambda y, _: matrix @ np.tanh(y) + y[0] ** 2,
        jacobian=lambda y, _: (
            (matrix * (1 - np.tanh(y) ** 2)).T + 2 * y[0] * np.outer(np.eye(d)[0], np.ones(p))
        ),
    )


def dict_input_layer(rng, m, p):
    """{"a": R^p, "b": R^q} -> tanh(w ⊙ a) · Σ b², from a dict to R^p."""

    def value(y, xi):
        return np.tanh(xi[0] * y[:p]) * np.sum(y[p:] ** 2)

    def jacobian(y, xi):
        a, b = y[:p], y[p:]
        t = np.tanh(xi[0] * a)
        return np.vstack([np.diag((1 - t**2) * xi[0] * np.sum(b**2)), np.outer(2 * b, t)])

    return Twin(
        fn=lambda y, xi: jnp.tanh(xi[0] * y["a"]) * jnp.sum(y["b"] ** 2),
        value=value,
        jacobian=jacobian,
        data=(rng.normal(size=(m, p)),),
    )


def matrix_layer(rng, m, shape):
    """X -> tanh(a·X), from matrices to R^columns."""

    def jacobian(x, xi):
        slope = 1 - np.tanh(xi[0] @ x.reshape(shape)) ** 2
        dense = np.zeros((*shape, shape[1]))
        for k in range(shape[1]):
            dense[:, k, k] = xi[0] * slope[k]
        return dense.reshape(-1, shape[1])

    return Twin(
        fn=lambda x, xi: jnp.tanh(xi[0] @ x),
        value=lambda x, xi: np.tanh(xi[0] @ x.reshape(shape)),
        jacobian=jacobian,
        data=(rng.normal(size=(m, shape[0])),),
    )


def single_index_loss(rng, m, shape):
    """X -> (y - <A, X>²)², a scalar: the matrix single-index model."""

    def jacobian(x, xi):
        inner = xi[0].ravel() @ x
        return (-4 * (xi[1] - inner**2) * inner * xi[0].ravel())[:, None]

    return Twin(
        fn=lambda x, xi: (xi[1] - jnp.sum(xi[0] * x) ** 2) ** 2,
        value=lambda x, xi: (xi[1] - (xi[0].ravel() @ x) ** 2) ** 2,
        jacobian=jacobian,
        data=(np.eye(*shape) + 0.3 * rng.normal(size=(m, *shape)), rng.uniform(size=m)),
    )


# Cases by name: K = 1, 2, 3, 4, every kind of level and set, data lengths that differ.


NAMES = (
    "K1", "K2-pair", "K2-first-without-samples", "K3-dict-last-without-samples",
    "K3-middle-without-samples", "K4", "K2-product", "K1-matrix", "K2-matrix",
)  # fmt: skip


@cache
def make_cases():
    rng = np.random.default_rng(0)
    d, small, large = 5, (4, 3), (24, 20)
    uniform = np.full(d, 1 / d)
    lower, upper = -rng.uniform(0.5, 1, size=d), rng.uniform(0.5, 1, size=d)
    simplex = (wn.sets.Simplex(d), ref.simplex())
    pair_of_sets = {"a": wn.sets.L1Ball(3, 1.5), "b": wn.sets.Simplex(2)}
    pair_point = {"a": np.array([0.3, -0.2, 0.4]), "b": np.array([0.6, 0.4])}
    return {
        "K1": Case((softplus_loss(rng, 7, d),), *simplex, uniform),
        "K2-pair": Case((mean_pair(rng, 6, d), square_loss(rng, 9, d)), *simplex, uniform),
        "K2-first-without-samples": Case(
            (smooth_map(rng, d, 3), softplus_loss(rng, 6, 3)),
            wn.sets.L2Ball(d, 1.2), ref.l2_ball(1.2), 0.3 * upper,
        ),
        "K3-dict-last-without-samples": Case(
            (mean_pair(rng, 8, d), square_dict(rng, 5, d), root_of_dict()), *simplex, uniform
        ),
        "K3-middle-without-samples": Case(
            (tanh_layer(rng, 5, d, 4), smooth_map(rng, 4, 3), quadratic_loss(rng, 8, 3)),
            wn.sets.L1Ball(d, 1.5), ref.l1_ball(1.5), 0.2 * lower,
        ),
        "K4": Case(
            (tanh_layer(rng, 4, d, 4), tanh_layer(rng, 7, 4, 3), tanh_layer(rng, 5, 3, 4),
             softplus_loss(rng, 6, 4)),
            wn.sets.Box(lower, upper), ref.box(lower, upper), 0.5 * upper,
        ),
        "K2-product": Case(
            (dict_input_layer(rng, 6, 3), quadratic_loss(rng, 5, 3)),
            wn.sets.Product(pair_of_sets),
            ref.product([ref.l1_ball(1.5), ref.simplex()], [3, 2]), pair_point,
        ),
        "K1-matrix": Case(  # too large for the oracle to span the space at once
            (single_index_loss(rng, 7, large),),
            wn.sets.NuclearBall(large, 1.5), ref.nuclear_ball(large, 1.5),
            0.01 * rng.normal(size=large) + np.eye(*large) / large[1], rtol=3e-5,
        ),
        "K2-matrix": Case(
            (matrix_layer(rng, 6, small), quadratic_loss(rng, 8, small[1])),
            wn.sets.NuclearBall(small, 1.5), ref.nuclear_ball(small, 1.5),
            0.1 * rng.normal(size=small), rtol=1e-8,
        ),
    }  # fmt: skip
