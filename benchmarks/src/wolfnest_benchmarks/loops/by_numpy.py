"""The loops in NumPy: whole batches at a time.

Level 1 is tracked by `y = E r·x` and `w = x`, and `r·w - y` is the residual of a sample of level 2.
That one is tracked by `q`: the mean square of the residuals for mean-deviation, the value F itself
for mean-variance. With slope c of the square, the gradient of a sample is `(-1 - 2 c res) r_1 +
2 c res r_2`. Mean-deviation has a third level above it, tracked by `m = y` and
`f = -m + λ √(max(q, 0) + δ)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wolfnest_benchmarks.loops.settings import Draw, Settings


def run(
    problem: str, method: str, table: np.ndarray, steps: int, at: Settings, draw: Draw | int = 0
) -> np.ndarray:
    """The point after `steps` steps; `draw` is a seed, or a function that names the rows."""
    days, assets = table.shape
    if isinstance(draw, int):
        rng = np.random.default_rng(draw)
        draw = lambda step: rng.integers(days, size=(2, at.batch))
    family, _, version = method.partition("-")
    corrected, anchored, deviation = family != "PMM", family == "PMFS", problem == "mean-deviation"
    target, value, slope, top = _parts(deviation, version, at)
    follow, track = _recursions(corrected, anchored, at.alpha)
    period = at.period(days)

    x = w = np.full(assets, 1 / assets)
    r1, r2 = (table, table) if anchored else table[draw(-1)]
    y = (r1 @ x).mean()
    now = r2 @ w - y
    q = value(y, now)
    v = (_exact_gradient if anchored else _gradient)(slope(q), now, r1, r2)
    m, f = y, top(y, q)
    snap_x, snap_y, snap_w, snap_q = x, y, w, q
    exact_y, exact_q, exact_v = y, q, v
    past = held = then = aim = whole = None
    for step in range(steps):
        before_x, before_y, before_w, before_q, before_m = x, y, w, q, m
        x = x + at.eta * (target(x, v) - x)
        r1, r2 = table[draw(step)]
        due = anchored and (step + 2) % period == 0
        # Level 1.
        here = (r1 @ x).mean()
        if corrected:
            then = (r1 @ before_x).mean()
        if due:
            aim = exact_y = (table @ x).mean()
        elif anchored:
            aim = here - (r1 @ snap_x).mean() + exact_y
        y, w = track(y, here, then, aim), follow(w, x, before_x)
        # Level 2.
        now = r2 @ w - y
        here = value(y, now)
        if corrected:
            past = r2 @ before_w - before_y
            then = value(before_y, past)
        if due:
            whole = table @ w - y
            aim = exact_q = value(y, whole)
        elif anchored:
            held = r2 @ snap_w - snap_y
            aim = here - value(snap_y, held) + exact_q
        q = track(q, here, then, aim)
        # Level 3.
        if deviation:
            m = follow(m, y, before_y)
            f = follow(f, top(m, q), top(before_m, before_q) if corrected else None)
        # The gradient.
        new = _gradient(slope(q), now, r1, r2)
        if corrected:
            then = _gradient(slope(before_q), past, r1, r2)
        if due:
            aim = exact_v = _exact_gradient(slope(q), whole, table, table)
            snap_x, snap_y, snap_w, snap_q = x, y, w, q
        elif anchored:
            aim = new - _gradient(slope(snap_q), held, r1, r2) + exact_v
        v = track(v, new, then, aim)
    return x


def _parts(deviation: bool, version: str, at: Settings) -> tuple[Callable[..., Any], ...]:
    """Where to move; the batch value of level 2 with residuals at `y`; twice its slope by their
    mean square; level 3."""

    def vertex(x: Any, v: Any) -> Any:
        z = np.zeros_like(x)
        z[np.argmin(v)] = 1.0
        return z

    def inner(x: Any, v: Any) -> Any:
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

    def top(m: Any, q: Any) -> Any:
        return -m + at.risk * np.sqrt(max(q, 0.0) + at.delta)

    target = inner if version == "v2" else vertex
    if deviation:
        slope = lambda q: at.risk / np.sqrt(q + at.delta) if q > 0 else 0.0
        return target, lambda y, residual: np.mean(residual**2), slope, top
    value = lambda y, residual: at.risk * np.mean(residual**2) - y
    return target, value, lambda q: 2 * at.risk, top


def _recursions(
    corrected: bool, anchored: bool, alpha: float
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """How a value that is known exactly is followed, and how one from a batch is tracked, whose
    value at the snapshot with the exact one there makes `aim`."""
    keep = 1 - alpha
    momentum = lambda old, now, then, aim=None: keep * old + alpha * now
    storm = lambda old, now, then, aim=None: keep * (old - then) + now
    snapshot = lambda old, now, then, aim: keep * (old + now - then) + alpha * aim
    follow = storm if corrected else momentum
    return follow, snapshot if anchored else follow


def _gradient(c: Any, residual: Any, r1: Any, r2: Any) -> Any:
    """The paired batch gradient."""
    bend = c * residual
    return ((-1 - bend) @ r1 + bend @ r2) / len(r1)


def _exact_gradient(c: Any, residual: Any, r1: Any, r2: Any) -> Any:
    """The product of the full Jacobians."""
    bend = c * residual
    return (-1 - bend.mean()) * r1.mean(0) + bend @ r2 / len(r2)
