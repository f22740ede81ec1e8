"""Assignments, transport plans, graphs and general polytopes, with all vertices where few."""

from __future__ import annotations

import itertools
from dataclasses import replace

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array
from set_table import Case, polytope

import wolfnest.sets as sets


def by_lp(**constraints):
    """The minimum over a polytope by an interior point method, not by the simplex method."""

    def support(d):
        scale = np.max(np.abs(d)) or 1.0
        found = linprog(d / scale, method="highs-ipm", **constraints)
        return scale * found.fun

    return support


def bounded(case: Case) -> Case:
    """A set without a projection, and with an upper bound as its diameter."""
    return replace(case, projects=False, exact_diameter=False)


def birkhoff(n: int, radius: float) -> Case:
    vertices = radius * np.array([np.eye(n)[list(p)] for p in itertools.permutations(range(n))])
    far = (-np.eye(n).ravel(), -np.roll(np.eye(n), 1, axis=0).ravel())
    case = polytope(
        lambda c: sets.Birkhoff(n, c * radius), vertices.reshape(len(vertices), -1), far
    )
    return replace(case, projects=False)


def matching(n: int, m: int, radius: float) -> Case:
    squares = np.eye(n * m).reshape(-1, n, m)
    subsets = itertools.product([0, 1], repeat=n * m)
    matrices = [np.tensordot(chosen, squares, 1) for chosen in subsets]
    fits = [x.sum(axis=0).max() <= 1 and x.sum(axis=1).max() <= 1 for x in matrices]
    vertices = radius * np.array(matrices)[fits].reshape(-1, n * m)
    far = (-np.eye(n, m).ravel(), -np.roll(np.eye(n, m), 1, axis=1).ravel())
    case = polytope(lambda c: sets.BipartiteMatching(n, m, c * radius), vertices, far)
    return replace(case, projects=False)


def transport(rows, columns) -> Case:
    r, c = np.asarray(rows), np.asarray(columns)
    n, m = r.size, c.size
    sums = np.concatenate(
        [np.kron(np.eye(n), np.ones((1, m))), np.kron(np.ones((1, n)), np.eye(m))]
    )
    support = by_lp(A_eq=sums, b_eq=np.concatenate([r, c]))

    def sample(rng):
        """Mass moved from row to column in a random order, as long as there is some."""
        plans = np.zeros((3, n, m))
        for plan in plans:
            left, free = r.copy(), c.copy()
            for i, j in rng.permutation(list(itertools.product(range(n), range(m)))):
                plan[i, j] = min(left[i], free[j])
                left[i] -= plan[i, j]
                free[j] -= plan[i, j]
        return rng.dirichlet(np.ones(3)) @ plans.reshape(3, -1)

    ramp = np.outer(np.arange(n), np.arange(m)).ravel() * 1.0
    return bounded(Case(lambda s: sets.Transport(s * r, s * c), support, sample, (ramp, -ramp)))


def paths(edges, source, sink):
    """All paths, one edge after the other, as 0-1 vectors."""
    if source == sink:
        return [np.zeros(len(edges))]
    return [
        rest + np.eye(len(edges))[e]
        for e, (tail, head) in enumerate(edges)
        if tail == source
        for rest in paths(edges, head, sink)
    ]


def flow(edges, source, sink, radius: float) -> Case:
    ramp = np.arange(len(edges)) - 1.0
    case = polytope(
        lambda c: sets.FlowPolytope(edges, source, sink, c * radius),
        radius * np.array(paths(edges, source, sink)),
        (ramp, -ramp),
    )
    return bounded(case)


def is_tree(n, edges, chosen) -> bool:
    """Whether the incidence matrix of `n - 1` edges has full rank."""
    incidence = np.zeros((n, len(edges)))
    for e, (one, other) in enumerate(edges):
        incidence[one, e], incidence[other, e] = 1, -1
    return np.linalg.matrix_rank(incidence[:, list(chosen)]) == n - 1


def tree(n, edges, radius: float) -> Case:
    subsets = itertools.combinations(range(len(edges)), n - 1)
    chosen = [list(s) for s in subsets if is_tree(n, edges, s)]
    vertices = [radius * np.sum(np.eye(len(edges))[s], axis=0) for s in chosen]
    ramp = np.arange(len(edges)) * 1.0
    case = polytope(lambda c: sets.SpanningTree(n, edges, c * radius), vertices, (ramp, -ramp))
    return bounded(case)


def general(a, b, upper) -> Case:
    """Entries between 0 and `upper` that add up to 1, with `a x ≤ b` on top."""
    a, b, upper = np.array(a), np.array(b), np.array(upper)
    ones = np.ones((1, upper.size))
    bounds = np.stack([0 * upper, upper], axis=1)
    constraints = {"A_ub": a, "b_ub": b, "A_eq": ones, "b_eq": [1.0], "bounds": bounds}

    def sample(rng):
        corners = [
            linprog(rng.standard_normal(upper.size), method="highs-ds", **constraints).x
            for _ in range(3)
        ]
        return rng.dirichlet(np.ones(3)) @ corners

    return bounded(
        Case(
            lambda c: sets.Polytope(coo_array(a), c * b, C=ones, d=[c], lower=0.0, upper=c * upper),
            by_lp(**constraints),
            sample,
            (np.arange(upper.size) - 1.0, 1.0 - np.arange(upper.size)),
        )
    )


def pyramid(n: int) -> Case:
    """The L1 ball, by inequalities alone: nothing bounds a single entry."""
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=n)))
    vertices = np.concatenate([np.eye(n), -np.eye(n)])
    far = (np.eye(n)[0], -np.eye(n)[0])
    case = polytope(lambda c: sets.Polytope(signs, c * np.ones(2**n)), vertices, far)
    return bounded(case)


def cap(n: int, radius: float) -> Case:
    """A ball cut in half, `{‖x‖ ≤ 1, x_1 ≥ 0}`."""
    x = cp.Variable(n)
    constraints = [cp.norm(x) <= 1, x[0] >= 0]

    def support(d):
        # Either the ball's own point is in the half, or the best one is on the flat side.
        kept = np.concatenate([np.minimum(d[:1], 0), d[1:]])
        scale = np.max(np.abs(kept)) or 1.0
        return -radius * scale * float(np.linalg.norm(kept / scale))

    def sample(rng):
        y = rng.standard_normal(n)
        y = radius * rng.uniform() * y / np.linalg.norm(y)
        y[0] = abs(y[0])
        return y

    make = lambda c: sets.FromCVXPY(x, constraints, c * radius)
    return Case(make, support, sample, (np.eye(n)[1], -np.eye(n)[1]), exact_diameter=False)


# Nodes with odd names, a parallel edge, a dead end and an edge into the source.
ROADS = [(7, 3), (7, 3), (3, 9), (7, 9), (3, 11), (9, 11), (3, 20), (1, 7), (9, 4), (4, 11)]
WHEEL = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (4, 1), (2, 1)]

CASES_COMBINATORIAL: dict[str, Case] = {
    "birkhoff": birkhoff(3, 1.0),
    "birkhoff, radius 2": birkhoff(4, 2.0),
    "matching": matching(2, 3, 1.0),
    "transport": transport([0.5, 1.0, 0.5], [0.2, 1.8]),
    "flow": flow(ROADS, 7, 11, 2.0),
    "spanning tree": tree(5, WHEEL, 1.0),
    "polytope": general(
        [[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, -1.0, 2.0]], [0.7, 0.4], [0.5, 0.6, 1, 1]
    ),
    "polytope, no bounds": pyramid(3),
    "cvxpy": cap(4, 2.0),
}
