"""Budget sets of portfolio work for the common tests: linear programs, solved by HiGHS."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog
from set_table import Case

import wolfnest.sets as sets


@dataclass(frozen=True)
class Program:
    """`{z : upper z ≤ most, equal z = sums, 0 ≤ z ≤ caps}`, of which `x = long z + shift`."""

    upper: np.ndarray
    most: np.ndarray
    equal: np.ndarray
    sums: np.ndarray
    caps: np.ndarray
    to_x: np.ndarray
    shift: Any = 0.0

    def best(self, d: np.ndarray) -> np.ndarray | None:
        """The minimiser of `<x, d>`; None if there is no feasible point."""
        bounds = np.stack([np.zeros_like(self.caps), self.caps], axis=1)
        cost = self.to_x.T @ d
        found = linprog(cost, self.upper, self.most, self.equal, self.sums, bounds=bounds)
        assert found.status in (0, 2), found.message
        return None if found.status == 2 else self.to_x @ found.x + self.shift

    def support(self, d: np.ndarray) -> float:
        """HiGHS does not scale its input."""
        size = np.max(np.abs(d)) or 1.0
        return size * float(self.best(d / size) @ (d / size))

    @functools.cached_property
    def vertices(self) -> np.ndarray:
        rng = np.random.default_rng(7)
        return np.array([self.best(d) for d in rng.standard_normal((25, len(self.to_x)))])

    def sample(self, rng) -> np.ndarray:
        return rng.dirichlet(np.full(25, 0.3)) @ self.vertices


def grouped(labels, group_caps, caps, radius) -> Program:
    """Labels count from 0, and are -1 for assets in no group."""
    labels, n = np.asarray(labels), len(labels)
    member = (labels == np.arange(len(group_caps))[:, None]).astype(float)
    caps = np.broadcast_to(np.asarray(caps, float), n)
    return Program(member, group_caps, np.ones((1, n)), np.array([radius]), caps, np.eye(n))


def long_short(n, gross, net, lower=-np.inf, upper=np.inf, shift=0.0) -> Program:
    """In long and short positions: `x = z[:n] - z[n:]`."""
    to_x = np.hstack([np.eye(n), -np.eye(n)])
    low, high = (np.broadcast_to(np.asarray(b, float), n) for b in (lower, upper))
    above, below = np.isfinite(high), np.isfinite(low)
    rows = np.vstack([np.ones((1, 2 * n)), to_x[above], -to_x[below]])
    most = np.concatenate([[gross], high[above], -low[below]])
    free = np.full(2 * n, np.inf)
    return Program(rows, most, np.sum(to_x, 0, keepdims=True), np.array([net]), free, to_x, shift)


def turnover_simplex(weights, turnover, cap=np.inf) -> Program:
    weights = np.asarray(weights)
    return long_short(weights.size, turnover, 0.0, -weights, cap - weights, weights)


def case(make, program: Program, witness, exact_diameter: bool = False) -> Case:
    return Case(
        make,
        program.support,
        program.sample,
        tuple(np.asarray(d, float) for d in witness),
        projects=make(1.0).__class__ is not sets.GroupCapped,
        exact_diameter=exact_diameter,
    )


LABELS, GROUP_CAPS, CAPS = (0, 1, 0, -1, 1), np.array([0.5, 0.4]), np.array([0.3, 0.4, 0.4, 0.3, 1])
LOWER, UPPER = np.array([-0.2, -0.5, 0.1, -0.3]), np.array([0.9, 0.4, 0.6, -0.1])
WEIGHTS = np.array([0.4, 0.1, 0.3, 0.2])

CASES_BUDGETS: dict[str, Case] = {
    "group caps": case(
        lambda c: sets.GroupCapped(LABELS, c * GROUP_CAPS, c * CAPS, c),
        grouped(LABELS, GROUP_CAPS, CAPS, 1.0),
        ([-1, 0, 0, -1, 0], [0, -1, -1, 0, 0]),
    ),
    "130/30": case(
        lambda c: sets.LongShort(3, 1.6 * c, c),
        long_short(3, 1.6, 1.0),
        ([-1, 1, 0], [1, -1, 0]),
        exact_diameter=True,
    ),
    "long and short, bounded": case(
        lambda c: sets.LongShort(4, 1.8 * c, 0.5 * c, c * LOWER, c * UPPER),
        long_short(4, 1.8, 0.5, LOWER, UPPER),
        ([-1, 1, 0, 0], [1, -1, 0, 0]),
    ),
    "turnover simplex": case(
        lambda c: sets.TurnoverSimplex(c * WEIGHTS, 0.5 * c, 0.45 * c),
        turnover_simplex(WEIGHTS, 0.5, 0.45),
        ([-1, 1, 0, 0], [1, -1, 0, 0]),
    ),
}
