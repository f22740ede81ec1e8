"""Small problems that several test files share; the same numbers in every process."""

import jax
import jax.numpy as jnp
import numpy as np

import wolfnest as wn

DIM, ROWS = 5, 60


def returns(rows=ROWS, dtype=np.float64, seed=0):
    """A table of returns: one row per day, one column per asset."""
    rng = np.random.default_rng(seed)
    table = 0.4 * rng.normal(size=(rows, DIM)) + np.linspace(0.1, 0.6, DIM)
    return table.astype(dtype)


def mean_and_point(x, r):
    return r @ x, x


def mean_variance(y, r):
    return -y[0] + (r @ y[1] - y[0]) ** 2


def mean_and_square(y, r):
    return y[0], (r @ y[1] - y[0]) ** 2


def mean_deviation(z):
    return -z[0] + jnp.sqrt(z[1] ** 2 + 0.1)


def matrix_loss(x, xi):
    a, y = xi
    return (y - jnp.sum(a * x) ** 2) ** 2


def squared_residual(x, xi):
    a, b = xi
    return 0.5 * (a @ x - b) ** 2


def bowl(x):
    return jnp.sum((x - 0.3) ** 2 * jnp.arange(1, DIM + 1, dtype=x.dtype))


def normal_rows(dtype, key, n):
    noise = jax.random.normal(key, (n, DIM), dtype)
    return 0.4 * noise + jnp.linspace(0.1, 0.6, DIM, dtype=dtype)


def draw_normal_rows(key, n):
    return normal_rows(jnp.float64, key, n)


def draw_normal_rows_single(key, n):
    return normal_rows(jnp.float32, key, n)


def portfolio(dtype=np.float64, *, rows=ROWS, seed=0, radius=1.0, convex=True):
    """K = 2, convex, two finite sums: mean-variance over the simplex."""
    table = returns(rows, dtype, seed)
    levels = [wn.Level(mean_and_point, data=table), wn.Level(mean_variance, data=table[::2])]
    return wn.Problem(levels, wn.sets.Simplex(DIM, radius), convex=convex)


def deviation(dtype=np.float64, *, seed=0):
    """K = 3, not declared convex, the last level without samples."""
    table = returns(ROWS, dtype, seed)
    levels = [
        wn.Level(mean_and_point, data=table),
        wn.Level(mean_and_square, data=table[:41]),
        wn.Level(mean_deviation),
    ]
    return wn.Problem(levels, wn.sets.Simplex(DIM))


def matrix(dtype=np.float64, *, seed=0):
    """K = 1, not convex, on the nuclear ball: the matrix single-index model."""
    rng = np.random.default_rng(seed)
    shape = (4, 3)
    a = (np.eye(*shape) + 0.3 * rng.normal(size=(ROWS, *shape))).astype(dtype)
    y = rng.uniform(size=ROWS).astype(dtype)
    return wn.Problem([wn.Level(matrix_loss, data=(a, y))], wn.sets.NuclearBall(shape, 1.5))


def regression(dtype=np.float64, *, seed=0):
    """K = 1, convex: least squares over the L1 ball."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(ROWS, DIM)).astype(dtype)
    b = (a @ np.array([0.6, -0.3, 0.0, 0.2, 0.0]) + 0.1 * rng.normal(size=ROWS)).astype(dtype)
    levels = [wn.Level(squared_residual, data=(a, b))]
    return wn.Problem(levels, wn.sets.L1Ball(DIM), convex=True)


def endless(dtype=np.float64, *, convex=False):
    """K = 2, both levels known only through a sampler."""
    draw = draw_normal_rows if dtype == np.float64 else draw_normal_rows_single
    levels = [wn.Level(mean_and_point, sample=draw), wn.Level(mean_variance, sample=draw)]
    return wn.Problem(levels, wn.sets.Simplex(DIM), convex=convex)


def deterministic(dtype=np.float64, *, convex=True):
    """K = 1, no samples at all. (The dtype is that of JAX's default float.)"""
    return wn.Problem([wn.Level(bowl)], wn.sets.Simplex(DIM), convex=convex)


ALL = {
    "portfolio": portfolio,
    "deviation": deviation,
    "matrix": matrix,
    "endless": endless,
}


# Solvers that the tests of the loop run through: every family, one stage and several.


def staged(name, **settings):
    """Stages of 8, 16, 32, … steps."""
    return wn.method(name, **{"eta": 0.3, "alpha": 0.3, "batch": 4, "length": 8} | settings)


def plain(name, **settings):
    return wn.method(name, **{"eta": 0.05, "alpha": 0.2, "batch": 4} | settings)


def same(left, right):
    """Are two pytrees of arrays equal in structure, dtypes and every bit?"""
    if jax.tree.structure(left) != jax.tree.structure(right):
        return False
    pairs = zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True)
    arrays = ((np.asarray(a), np.asarray(b)) for a, b in pairs)
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in arrays)


def columns(trace):
    """The columns of a trace that must not depend on the clock."""
    return {name: column for name, column in trace.items() if name != "time"}
