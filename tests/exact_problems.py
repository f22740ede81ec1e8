"""Problems for the methods on exact gradients, for the library and in NumPy."""

import functools

import jax.numpy as jnp
import numpy as np

import problems
import reference_exact as ref
import wolfnest as wn

BIRKHOFF = ref.permutations(4)


RISK = 4.0


def mean_and_risk(y, r):
    return -y[0] + RISK * (r @ y[1] - y[0]) ** 2


def nested():
    """K = 2: mean-variance over the simplex; the minimiser lies inside a face."""
    table = problems.returns()
    half = table[::2]
    levels = [wn.Level(problems.mean_and_point, data=table), wn.Level(mean_and_risk, data=half)]
    mu = table.mean(0)
    value = lambda x: -mu @ x + RISK * np.mean((half @ x - mu @ x) ** 2)
    gradient = lambda x: -mu + 2 * RISK * (half @ x - mu @ x) @ (half - mu) / len(half)
    problem = wn.Problem(levels, wn.sets.Simplex(problems.DIM), convex=True)
    return problem, ref.Objective(value, gradient, ref.simplex)


def squares():
    """K = 1: least squares over the L1 ball."""
    problem = problems.regression()
    a, b = (np.asarray(part) for part in problem.levels[0].data)
    value = lambda x: np.mean((a @ x - b) ** 2) / 2
    gradient = lambda x: a.T @ (a @ x - b) / len(b)
    return problem, ref.Objective(value, gradient, ref.l1_ball)


def nearest_vertex(d):
    vertices = jnp.asarray(BIRKHOFF, d.dtype)
    return vertices[jnp.argmin(vertices @ d)]


# A doubly stochastic matrix inside a face, and a matrix whose nearest one it is.
FACE = 0.41 * BIRKHOFF[0] + 0.27 * BIRKHOFF[5] + 0.19 * BIRKHOFF[9] + 0.13 * BIRKHOFF[16]
OUTSIDE = FACE - (FACE == 0) * np.random.default_rng(0).uniform(0.1, 0.3, FACE.shape)


STIFF = 10.0


def distance(x):
    return STIFF / 2 * jnp.sum((x - jnp.asarray(OUTSIDE, x.dtype)) ** 2)


def birkhoff():
    """K = 1, no samples: the nearest doubly stochastic matrix, which lies inside a face."""
    domain = wn.sets.FromOracle(nearest_vertex, BIRKHOFF[23])
    problem = wn.Problem([wn.Level(distance)], domain, convex=True)
    value = lambda x: STIFF / 2 * np.sum((x - OUTSIDE) ** 2)
    lmo = lambda g: BIRKHOFF[np.argmin(BIRKHOFF @ g)]
    return problem, ref.Objective(value, lambda x: STIFF * (x - OUTSIDE), lmo)


def nearest_plan(x):
    return distance(x.ravel())


def assignment():
    """The same with the set of the library, from its middle."""
    return wn.Problem([wn.Level(nearest_plan)], wn.sets.Birkhoff(4), convex=True), None


CENTRE = np.array([0.5, 0.3, 0.2, 0.0, 0.0, 0.0]) - np.array([0, 0, 0, 0.1, 0.2, 0.3])
SCALES = np.array([1.0, 3.0, 9.0, 2.0, 1.0, 4.0])


def bowl(x):
    return 0.5 * jnp.sum(jnp.asarray(SCALES, x.dtype) * (x - jnp.asarray(CENTRE, x.dtype)) ** 2)


def face_of_simplex():
    """A strongly convex quadratic whose minimiser lies inside a face of the simplex."""
    problem = wn.Problem([wn.Level(bowl)], wn.sets.Simplex(6), strong_convexity=1.0)
    value = lambda x: 0.5 * SCALES @ (x - CENTRE) ** 2
    return problem, ref.Objective(value, lambda x: SCALES * (x - CENTRE), ref.simplex)


def coupled(x):
    return 0.5 * jnp.sum((x["a"] - x["b"][:3] + 0.3) ** 2) + jnp.sum(
        (x["b"] - jnp.array([0.4, -0.3, 0.1, 0.2])) ** 2
    )


def product():
    """A simplex and an L1 ball, coupled."""
    domain = wn.sets.Product({"a": wn.sets.Simplex(3), "b": wn.sets.L1Ball(4)})
    problem = wn.Problem([wn.Level(coupled)], domain, convex=True)
    goal = np.array([0.4, -0.3, 0.1, 0.2])

    def value(x):
        return 0.5 * np.sum((x[:3] - x[3:6] + 0.3) ** 2) + np.sum((x[3:] - goal) ** 2)

    def gradient(x):
        pull = x[:3] - x[3:6] + 0.3
        return np.concatenate([pull, 2 * (x[3:] - goal) - np.append(pull, 0.0)])

    return problem, ref.Objective(value, gradient, None)


ALL = {
    "nested": functools.cache(nested),
    "squares": functools.cache(squares),
    "birkhoff": functools.cache(birkhoff),
    "assignment": functools.cache(assignment),
    "face": functools.cache(face_of_simplex),
    "product": functools.cache(product),
}
