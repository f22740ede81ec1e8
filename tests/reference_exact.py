"""Frank-Wolfe methods in plain NumPy: loops, and active sets that are dictionaries.

Written from the papers, without a look at the library. A rule gets `F`, its gradient, the point,
the way and its longest step; a direction is a function that changes a dictionary of weights.
"""

import dataclasses
import itertools

import numpy as np
from scipy.optimize import brentq


@dataclasses.dataclass(frozen=True)
class Objective:
    value: object
    gradient: object
    lmo: object


def spectral_iterates(f, project, x, steps, memory=8):
    """Birgin, Martínez and Raydan 2000, with the minimiser of a parabola for steps that rise too
    far; the first step goes to the oracle's vertex."""
    points, values, last = [], [], None
    for _ in range(steps):
        g = f.gradient(x)
        values.append(f.value(x))
        if last is None:
            way = f.lmo(g) - x
        else:
            s, y = x - last[0], g - last[1]
            way = project(x - (s @ s) / (s @ y) * g) - x
        slope, gamma = g @ way, 1.0
        while f.value(x + gamma * way) > max(values[-memory:]) + 1e-4 * gamma * slope:
            rise = f.value(x + gamma * way) - values[-1]
            best = -slope * gamma**2 / (2 * (rise - gamma * slope))
            gamma = min(max(best, gamma / 10), gamma / 2)
        last = (x, g)
        x = x + gamma * way
        points.append(x)
    return np.array(points)


# ---- step sizes ------------------------------------------------------------------------------


def short(smoothness):
    def rule(f, x, way, most, t, memory):
        slope = f.gradient(x) @ way
        return max(0.0, min(-slope / (smoothness * (way @ way)), most)), memory

    return rule


def agnostic(f, x, way, most, t, memory):
    return min(2 / (t + 2), most), memory


def monotone(f, x, way, most, t, memory):
    gamma = min(2 / (t + 2), most)
    while f.value(x + gamma * way) > f.value(x):
        gamma /= 2
    return gamma, memory


def search(f, x, way, most, t, memory):
    """Exact, up to the precision of a bracketing root finder."""
    slope = lambda gamma: f.gradient(x + gamma * way) @ way
    if slope(0.0) >= 0 or slope(most) <= 0:
        return (most if slope(0.0) < 0 else 0.0), memory
    return brentq(slope, 0.0, most, xtol=1e-15, rtol=1e-14), memory


def adaptive(f, x, way, most, t, memory):
    slope, square = f.gradient(x) @ way, way @ way
    if slope >= 0:
        return 0.0, memory
    guess = -slope / (most * square) if memory is None else 0.9 * memory
    while True:
        gamma = min(-slope / (guess * square), most)
        model = gamma * slope + gamma**2 / 2 * guess * square
        if f.value(x + gamma * way) - f.value(x) <= model:
            return gamma, guess
        guess *= 2


# ---- directions ------------------------------------------------------------------------------


def key(point):
    return tuple(np.round(point, 9) + 0.0)


def point_of(active):
    return sum(weight * np.array(atom) for atom, weight in active.items())


def shift(active, scale, gains):
    """`(1 + scale)·weights`, and more or less for some atoms; what is empty goes."""
    active = {atom: (1 + scale) * weight for atom, weight in active.items()}
    for atom, gain in gains.items():
        active[atom] = active.get(atom, 0.0) + gain
    return {atom: weight for atom, weight in active.items() if weight > 1e-12}


def worst_and_best(active, g):
    scores = {atom: g @ np.array(atom) for atom in active}
    return max(scores, key=scores.get), min(scores, key=scores.get)


def frank_wolfe_step(f, x, g, active, pick):
    s = f.lmo(g)
    gamma = pick(s - x, 1.0)
    return shift(active, -gamma, {key(s): gamma})


def away_step(f, x, g, active, pick):
    s, (a, _) = f.lmo(g), worst_and_best(active, g)
    weight = active[a]
    if g @ (x - s) >= g @ (np.array(a) - x) or weight >= 1 - 1e-12:
        return frank_wolfe_step(f, x, g, active, pick)
    gamma = pick(x - np.array(a), weight / (1 - weight))
    return shift(active, gamma, {a: -gamma})


def pairwise_step(f, x, g, active, pick):
    s, (a, _) = f.lmo(g), worst_and_best(active, g)
    gamma = pick(s - np.array(a), active[a])
    return shift(active, 0.0, {key(s): gamma, a: -gamma})


def blended_step(f, x, g, active, pick):
    s, (a, b) = f.lmo(g), worst_and_best(active, g)
    way = np.array(b) - np.array(a)
    if -(g @ way) < g @ (x - s):
        return frank_wolfe_step(f, x, g, active, pick)
    gamma = pick(way, active[a])
    return shift(active, 0.0, {b: gamma, a: -gamma})


class Lazy:
    """Keeps what it met; `calls` counts the oracle's."""

    def __init__(self, factor):
        self.factor, self.met, self.bound, self.calls = factor, [], np.inf, 0

    def __call__(self, f, x, g, active, pick):
        self.met = self.met or [x]
        s = min(self.met, key=lambda atom: g @ atom)
        if g @ (x - s) < self.bound / self.factor:
            s = f.lmo(g)
            self.calls += 1
            self.bound = min(self.bound, g @ (x - s))
            if not any((s == atom).all() for atom in self.met):
                self.met.append(s)
        gamma = pick(s - x, 1.0)
        return shift(active, -gamma, {key(s): gamma})


def block_step(f, x, g, active, pick, t, lmos, cuts):
    block = t % len(lmos)
    z, place = x.copy(), slice(cuts[block], cuts[block + 1])
    z[place] = lmos[block](g[place])
    return x + pick(z - x, 1.0) * (z - x)


def iterates(f, x, step, rule, steps):
    """The points after every step."""
    active, memory, found = {key(x): 1.0}, None, []
    # The first atom is the start itself, unrounded.
    first, exact_start = key(x), np.array(x)
    for t in range(steps):

        def pick(way, most, x=x, t=t):
            nonlocal memory
            gamma, memory = rule(f, x, way, most, t, memory)
            return gamma

        active = step(f, x, f.gradient(x), active, pick)
        if isinstance(active, dict):
            x = point_of(active)
            if first in active:
                x = x + active[first] * (exact_start - np.array(first))
        else:
            x = active
        found.append(x)
    return np.array(found)


# ---- oracles ---------------------------------------------------------------------------------


def simplex(g):
    return np.eye(len(g))[np.argmin(g)]


def l1_ball(g):
    i = np.argmax(np.abs(g))
    return -np.sign(g[i]) * np.eye(len(g))[i]


def permutations(n):
    return np.array([np.eye(n)[list(p)].ravel() for p in itertools.permutations(range(n))])
