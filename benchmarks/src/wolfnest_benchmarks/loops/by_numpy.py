"""The loops in NumPy: whole batches at a time, written out for each of the two problems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wolfnest_benchmarks.loops.settings import Settings

Draw = Callable[[int], np.ndarray]  # the rows of a step, (2, batch); step -1 is the start


def run(
    problem: str, method: str, table: np.ndarray, steps: int, at: Settings, draw: Draw | int = 0
) -> np.ndarray:
    """The point after `steps` steps; `draw` is a seed, or a function that names the rows."""
    if isinstance(draw, int):
        rng, days = np.random.default_rng(draw), len(table)
        draw = lambda step: rng.integers(days, size=(2, at.batch))
    posed = {"mean-variance": MeanVariance, "mean-deviation": MeanDeviation}[problem](at)
    loop = {"PMVR": storm, "PMM": momentum, "PMFS": snapshot}[method.split("-")[0]]
    return loop(posed, inner if method.endswith("v2") else vertex, table, steps, at, draw)


# ---- problems: how values are tracked, and gradients of the residuals found on the way ------


class MeanVariance:
    """Values are `(y, w, F)`: `y = -E r·x`, `w = x`, `F = y + λ E(r·w + y)²`."""

    def __init__(self, at: Settings) -> None:
        self.risk, self.alpha, self.keep = at.risk, at.alpha, 1 - at.alpha

    def residual(self, u: tuple, r2: Any) -> Any:
        return r2 @ u[1] + u[0]

    def outer(self, y: Any, residual: Any) -> Any:
        return y + self.risk * np.mean(residual**2)

    def values(self, x: Any, r1: Any, r2: Any) -> tuple:
        y = -(r1 @ x).mean()
        now = self.residual((y, x), r2)
        return (y, x, self.outer(y, now)), now

    def storm(self, u: tuple, x: Any, old: Any, r1: Any, r2: Any) -> tuple:
        keep = self.keep
        y = keep * (u[0] + (r1 @ old).mean()) - (r1 @ x).mean()
        w = keep * (u[1] - old) + x
        now, then = self.residual((y, w), r2), self.residual(u, r2)
        return (y, w, keep * (u[2] - self.outer(u[0], then)) + self.outer(y, now)), now, then

    def momentum(self, u: tuple, x: Any, r1: Any, r2: Any) -> tuple:
        keep, alpha = self.keep, self.alpha
        y = keep * u[0] - alpha * (r1 @ x).mean()
        w = keep * u[1] + alpha * x
        now = self.residual((y, w), r2)
        return (y, w, keep * u[2] + alpha * self.outer(y, now)), now

    def snapshot(self, u: tuple, x: Any, old: Any, r1: Any, r2: Any, snap: Any) -> tuple:
        at, held, exact = snap  # the point and the values there, and the exact ones
        keep, alpha = self.keep, self.alpha
        here = -(r1 @ x).mean()
        y = keep * (u[0] + here + (r1 @ old).mean()) + alpha * (here + (r1 @ at).mean() + exact[0])
        w = keep * (u[1] - old) + x
        now, then, there = (self.residual(each, r2) for each in ((y, w), u, held))
        value = self.outer(y, now)
        f = keep * (u[2] + value - self.outer(u[0], then))
        f = f + alpha * (value - self.outer(held[0], there) + exact[2])
        return (y, w, f), now, then, there

    def renewed(self, u: tuple, x: Any, old: Any, r1: Any, r2: Any, table: Any) -> tuple:
        keep, alpha = self.keep, self.alpha
        true = -(table @ x).mean()
        y = keep * (u[0] - (r1 @ x).mean() + (r1 @ old).mean()) + alpha * true
        w = keep * (u[1] - old) + x
        now, then, whole = self.residual((y, w), r2), self.residual(u, r2), table @ w + y
        above = self.outer(y, whole)
        f = keep * (u[2] + self.outer(y, now) - self.outer(u[0], then)) + alpha * above
        return (y, w, f), now, then, (true, x, above), whole

    def gradient(self, u: tuple, residual: Any, r1: Any, r2: Any) -> Any:
        slope = 1 + 2 * self.risk * residual
        return (-(slope @ r1) + 2 * self.risk * (residual @ r2)) / len(r1)

    def exact_gradient(self, u: tuple, residual: Any, table: Any) -> Any:
        slope = 1 + 2 * self.risk * residual.mean()
        return -slope * table.mean(0) + 2 * self.risk * (residual @ table) / len(table)


class MeanDeviation:
    """Values are `(y, w, m, s, F)`: `y = E r·x`, `w = x`, `m = y`, `s = E(r·w - y)²`,
    `F = -m + λ √(max(s, 0) + δ)`."""

    def __init__(self, at: Settings) -> None:
        self.risk, self.delta = at.risk, at.delta
        self.alpha, self.keep = at.alpha, 1 - at.alpha

    def residual(self, u: tuple, r2: Any) -> Any:
        return r2 @ u[1] - u[0]

    def top(self, m: Any, s: Any) -> Any:
        return -m + self.risk * np.sqrt(max(s, 0.0) + self.delta)

    def values(self, x: Any, r1: Any, r2: Any) -> tuple:
        y = (r1 @ x).mean()
        now = self.residual((y, x), r2)
        s = np.mean(now**2)
        return (y, x, y, s, self.top(y, s)), now

    def storm(self, u: tuple, x: Any, old: Any, r1: Any, r2: Any) -> tuple:
        keep = self.keep
        y = keep * (u[0] - (r1 @ old).mean()) + (r1 @ x).mean()
        w = keep * (u[1] - old) + x
        m = keep * (u[2] - u[0]) + y
        now, then = self.residual((y, w), r2), self.residual(u, r2)
        s = keep * (u[3] - np.mean(then**2)) + np.mean(now**2)
        f = keep * (u[4] - self.top(u[2], u[3])) + self.top(m, s)
        return (y, w, m, s, f), now, then

    def momentum(self, u: tuple, x: Any, r1: Any, r2: Any) -> tuple:
        keep, alpha = self.keep, self.alpha
        y = keep * u[0] + alpha * (r1 @ x).mean()
        w = keep * u[1] + alpha * x
        m = keep * u[2] + alpha * y
        now = self.residual((y, w), r2)
        s = keep * u[3] + alpha * np.mean(now**2)
        return (y, w, m, s, keep * u[4] + alpha * self.top(m, s)), now

    def snapshot(self, u: tuple, x: Any, old: Any, r1: Any, r2: Any, snap: Any) -> tuple:
        at, held, exact = snap
        keep, alpha = self.keep, self.alpha
        here = (r1 @ x).mean()
        y = keep * (u[0] + here - (r1 @ old).mean()) + alpha * (here - (r1 @ at).mean() + exact[0])
        w = keep * (u[1] - old) + x
        m = keep * (u[2] - u[0]) + y
        now, then, there = (self.residual(each, r2) for each in ((y, w), u, held))
        value = np.mean(now**2)
        s = keep * (u[3] + value - np.mean(then**2))
        s = s + alpha * (value - np.mean(there**2) + exact[3])
        f = keep * (u[4] - self.top(u[2], u[3])) + self.top(m, s)
        return (y, w, m, s, f), now, then, there

    def renewed(self, u: tuple, x: Any, old: Any, r1: Any, r2: Any, table: Any) -> tuple:
        keep, alpha = self.keep, self.alpha
        true = (table @ x).mean()
        y = keep * (u[0] + (r1 @ x).mean() - (r1 @ old).mean()) + alpha * true
        w = keep * (u[1] - old) + x
        m = keep * (u[2] - u[0]) + y
        now, then, whole = self.residual((y, w), r2), self.residual(u, r2), table @ w - y
        above = np.mean(whole**2)
        s = keep * (u[3] + np.mean(now**2) - np.mean(then**2)) + alpha * above
        top = self.top(m, s)
        values = y, w, m, s, keep * (u[4] - self.top(u[2], u[3])) + top
        return values, now, then, (true, x, y, above, top), whole

    def gradient(self, u: tuple, residual: Any, r1: Any, r2: Any) -> Any:
        bend = 2 * self._slope(u[3]) * residual
        return ((-1 - bend) @ r1 + bend @ r2) / len(r1)

    def exact_gradient(self, u: tuple, residual: Any, table: Any) -> Any:
        bend = 2 * self._slope(u[3]) * residual
        return (-1 - bend.mean()) * table.mean(0) + bend @ table / len(table)

    def _slope(self, s: Any) -> Any:
        return 0.5 * self.risk / np.sqrt(s + self.delta) if s > 0 else 0.0


# ---- where to move ---------------------------------------------------------------------------


def vertex(x: Any, v: Any, at: Settings) -> Any:
    z = np.zeros_like(x)
    z[np.argmin(v)] = 1.0
    return z


def inner(x: Any, v: Any, at: Settings) -> Any:
    """N steps of Frank-Wolfe on `<v, w - x> + β/2 ||w - x||²` with exact line search."""
    w = x
    for _ in range(at.inner):
        slope = v + at.beta * (w - x)
        along = -w
        along[np.argmin(slope)] += 1.0
        bend = at.beta * (along @ along)
        gamma = min(max(-(slope @ along) / bend, 0.0), 1.0) if bend > 0 else 0.0
        w = w + gamma * along
    return w


# ---- the loops -------------------------------------------------------------------------------


def storm(posed: Any, target: Any, table: Any, steps: int, at: Settings, draw: Draw) -> Any:
    """PMVR: `new = now + (1-α) (old - before)`."""
    x = np.full(table.shape[1], 1 / table.shape[1])
    r1, r2 = table[draw(-1)]
    u, now = posed.values(x, r1, r2)
    v = posed.gradient(u, now, r1, r2)
    for step in range(steps):
        old, before = x, u
        x = x + at.eta * (target(x, v, at) - x)
        r1, r2 = table[draw(step)]
        u, now, then = posed.storm(before, x, old, r1, r2)
        past = posed.gradient(before, then, r1, r2)
        v = (1 - at.alpha) * (v - past) + posed.gradient(u, now, r1, r2)
    return x


def momentum(posed: Any, target: Any, table: Any, steps: int, at: Settings, draw: Draw) -> Any:
    """PMM: `new = (1-α) old + α now`."""
    x = np.full(table.shape[1], 1 / table.shape[1])
    r1, r2 = table[draw(-1)]
    u, now = posed.values(x, r1, r2)
    v = posed.gradient(u, now, r1, r2)
    for step in range(steps):
        x = x + at.eta * (target(x, v, at) - x)
        r1, r2 = table[draw(step)]
        u, now = posed.momentum(u, x, r1, r2)
        v = (1 - at.alpha) * v + at.alpha * posed.gradient(u, now, r1, r2)
    return x


def snapshot(posed: Any, target: Any, table: Any, steps: int, at: Settings, draw: Draw) -> Any:
    """PMFS: STORM with the target `now - at_snapshot + exact_at_snapshot`."""
    keep, period = 1 - at.alpha, at.period(len(table))
    x = np.full(table.shape[1], 1 / table.shape[1])
    u, whole = posed.values(x, table, table)
    v = exact_v = posed.exact_gradient(u, whole, table)
    snap = x, u, u
    for step in range(steps):
        old, before = x, u
        x = x + at.eta * (target(x, v, at) - x)
        r1, r2 = table[draw(step)]
        if (step + 2) % period == 0:
            u, now, then, exact, whole = posed.renewed(before, x, old, r1, r2, table)
            snap, exact_v = (x, u, exact), posed.exact_gradient(u, whole, table)
            new = posed.gradient(u, now, r1, r2)
            aim = exact_v
        else:
            u, now, then, there = posed.snapshot(before, x, old, r1, r2, snap)
            new = posed.gradient(u, now, r1, r2)
            aim = new - posed.gradient(snap[1], there, r1, r2) + exact_v
        v = keep * (v + new - posed.gradient(before, then, r1, r2)) + at.alpha * aim
    return x
