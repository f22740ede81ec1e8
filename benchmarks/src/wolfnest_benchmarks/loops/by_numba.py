"""The loops in Numba: explicit loops over samples and assets, every row read in place.

Both problems have the same two sampled levels, up to a sign: with `s = -1` for mean-variance and
`s = 1` for mean-deviation, level 1 is `(s r·x, x)` and the residual of level 2 at `(y, w)` is
`r·w - s y`. What lies above the mean square `q` of the residuals is `y + λ q`, or `-m + λ √(q + δ)`
of the tracked `m` and `q`, with derivatives `c_1` by `y` and `c_2` by `q`. The gradient of a sample
is then `s (c_1 - 2 s c_2 res) r_1 + 2 c_2 res r_2`.

Rows come from Numba's own generator, or, which takes a third of an iteration less, from SplitMix64
written out: a hash of the seed and the number of the draw, which the compiler vectorises.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from wolfnest_benchmarks.loops.settings import Settings

Draw = Callable[[int], np.ndarray]
Generator = Literal["own", "hash"]
HALF = np.uint64(32)


def run(
    problem: str, method: str, table: np.ndarray, steps: int, at: Settings, draw: Draw | int = 0
) -> np.ndarray:
    """The point after `steps` steps; `draw` is a seed, or a function that names the rows."""
    return _run(problem, method, table, steps, at, draw, "own")


def run_hashed(
    problem: str, method: str, table: np.ndarray, steps: int, at: Settings, draw: Draw | int = 0
) -> np.ndarray:
    """`run` with rows from SplitMix64."""
    return _run(problem, method, table, steps, at, draw, "hash")


def _run(
    problem: str,
    method: str,
    table: np.ndarray,
    steps: int,
    at: Settings,
    draw: Draw | int,
    generator: Generator,
) -> np.ndarray:
    fixed = np.empty((0, 2, at.batch), np.int64)
    if not isinstance(draw, int):
        fixed = np.array([draw(step) for step in range(-1, steps)], np.int64)
    seed = draw if isinstance(draw, int) else 0
    loop = _loop(problem == "mean-deviation", method.split("-")[0], generator)
    calls = at.inner if method.endswith("v2") else 0
    numbers = (at.eta, at.alpha, at.risk, at.delta, calls, at.beta, at.period(len(table)))
    return loop(np.ascontiguousarray(table), fixed, seed, steps, at.batch, *numbers)


@functools.cache
def _loop(deviation: bool, family: str, generator: Generator) -> Any:
    """A compiled loop; what differs between problems and families is constant in it."""
    import numba  # pyright: ignore[reportMissingImports]

    compiled = numba.njit(fastmath=True, error_model="numpy")
    sign = 1.0 if deviation else -1.0
    corrected, anchored = family != "PMM", family == "PMFS"
    hashed = generator == "hash"

    @compiled
    def draw(rows, fixed, place, days, seed):
        if fixed.shape[0]:
            rows[:] = fixed[place]
            return
        for level in range(2):
            for j in range(rows.shape[1]):
                if hashed:
                    number = (2 * place + level) * rows.shape[1] + j
                    rows[level, j] = ((split_mix(seed, number) >> HALF) * np.uint64(days)) >> HALF
                else:
                    rows[level, j] = int(np.random.random() * days)  # noqa: NPY002

    @compiled
    def split_mix(seed, number):
        """The word with this number of the stream that begins at a seed; seeds lie far apart."""
        z = (np.uint64(seed) << HALF) + np.uint64(number)
        z *= np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    @compiled
    def dot(row, x):
        total = 0.0
        for k in range(x.shape[0]):
            total += row[k] * x[k]
        return total

    @compiled
    def first(table, rows, x):
        """The batch mean of `s r·x`."""
        total = 0.0
        for j in range(rows.shape[0]):
            total += dot(table[rows[j]], x)
        return sign * total / rows.shape[0]

    @compiled
    def residuals(table, rows, y, w, found):
        """The residuals of level 2 into `found`; returns their mean square."""
        total = 0.0
        for j in range(rows.shape[0]):
            found[j] = dot(table[rows[j]], w) - sign * y
            total += found[j] * found[j]
        return total / rows.shape[0]

    @compiled
    def slopes(tracked, risk, delta):
        """`c_1` and `c_2` where `q` is tracked as `tracked`."""
        if not deviation:
            return 1.0, risk
        return -1.0, 0.5 * risk / np.sqrt(tracked + delta) if tracked > 0 else 0.0

    @compiled
    def gradient(table, rows, found, c1, c2, g):
        """The paired batch gradient into `g`, from the residuals of the batch."""
        g[:] = 0.0
        for j in range(rows.shape[1]):
            one, two = table[rows[0, j]], table[rows[1, j]]
            lower = sign * (c1 - 2 * sign * c2 * found[j])
            upper = 2 * c2 * found[j]
            for k in range(g.shape[0]):
                g[k] += lower * one[k] + upper * two[k]
        for k in range(g.shape[0]):
            g[k] /= rows.shape[1]

    @compiled
    def exact(table, y, w, risk, delta):
        """The mean of `s r·w`, the mean square of the residuals at `(y, w)`, the mean residual,
        and the means of `r` and of `res r`."""
        days, assets = table.shape
        q, middle = 0.0, 0.0
        rows, bent = np.zeros(assets), np.zeros(assets)
        for j in range(days):
            res = dot(table[j], w) - sign * y
            q += res * res
            middle += res
            for k in range(assets):
                rows[k] += table[j, k]
                bent[k] += res * table[j, k]
        return q / days, middle / days, rows / days, bent / days

    @compiled
    def whole_first(table, x):
        total = 0.0
        for j in range(table.shape[0]):
            total += dot(table[j], x)
        return sign * total / table.shape[0]

    @compiled
    def top(m, q, risk, delta):
        return -m + risk * np.sqrt(max(q, 0.0) + delta) if deviation else m + risk * q

    @compiled
    def target(x, v, calls, beta, z):
        """The vertex, or where `calls` inner Frank-Wolfe steps with line search end."""
        assets = x.shape[0]
        if calls == 0:
            z[:] = 0.0
            z[np.argmin(v)] = 1.0
            return
        z[:] = x
        for _ in range(calls):
            least, place = np.inf, 0
            down, norm = 0.0, 0.0
            for k in range(assets):
                slope = v[k] + beta * (z[k] - x[k])
                if slope < least:
                    least, place = slope, k
                down += slope * z[k]
                norm += z[k] * z[k]
            bend = beta * (norm - 2 * z[place] + 1.0)
            gamma = min(max((down - least) / bend, 0.0), 1.0) if bend > 0 else 0.0
            for k in range(assets):
                z[k] -= gamma * z[k]
            z[place] += gamma

    @compiled
    def loop(table, fixed, seed, steps, batch, eta, alpha, risk, delta, calls, beta, period):
        np.random.seed(seed)  # noqa: NPY002
        days, assets = table.shape
        keep = 1.0 - alpha
        rows = np.empty((2, batch), np.int64)
        now, old, held = np.empty(batch), np.empty(batch), np.empty(batch)
        g, g_old, g_held = np.empty(assets), np.empty(assets), np.empty(assets)
        x, z = np.full(assets, 1.0 / assets), np.empty(assets)
        before_x, before_w = x.copy(), x.copy()
        v, w = np.empty(assets), x.copy()
        snap_x, snap_w, exact_v = x.copy(), x.copy(), np.empty(assets)
        snap_y = snap_tracked = exact_y = exact_q = middle = 0.0
        mean, bent = np.zeros(assets), np.zeros(assets)
        # y, w: level 1; m, q: level 2 of mean-deviation, or q the value F itself; f: the top.
        if anchored:
            y = whole_first(table, x)
            square, middle, mean, bent = exact(table, y, w, risk, delta)
            q = square if deviation else top(y, square, risk, delta)
            c1, c2 = slopes(square, risk, delta)
            for k in range(assets):
                v[k] = sign * (c1 - 2 * sign * c2 * middle) * mean[k] + 2 * c2 * bent[k]
            exact_v[:] = v
            exact_y, exact_q, snap_y, snap_tracked = y, q, y, q
        else:
            draw(rows, fixed, 0, days, seed)
            y = first(table, rows[0], x)
            square = residuals(table, rows[1], y, w, now)
            q = square if deviation else top(y, square, risk, delta)
            c1, c2 = slopes(square, risk, delta)
            gradient(table, rows, now, c1, c2, v)
        m = y
        f = top(m, square, risk, delta)
        for step in range(steps):
            before_x[:], before_w[:] = x, w
            before_y, before_m, before_q = y, m, q
            target(x, v, calls, beta, z)
            for k in range(assets):
                x[k] += eta * (z[k] - x[k])
            draw(rows, fixed, step + 1, days, seed)
            due = anchored and (step + 2) % period == 0
            value = first(table, rows[0], x)
            if corrected:
                change = value - first(table, rows[0], before_x)
                aim = value
                if anchored:
                    aim = (
                        whole_first(table, x)
                        if due
                        else (value - first(table, rows[0], snap_x) + exact_y)
                    )
                    if due:
                        exact_y = aim
                y = keep * (y + change) + alpha * aim
                for k in range(assets):
                    w[k] = keep * (w[k] - before_x[k]) + x[k]
            else:
                y = keep * y + alpha * value
                for k in range(assets):
                    w[k] = keep * w[k] + alpha * x[k]
            square = residuals(table, rows[1], y, w, now)
            value = square if deviation else top(y, square, risk, delta)
            if corrected:
                past = residuals(table, rows[1], before_y, before_w, old)
                past = past if deviation else top(before_y, past, risk, delta)
                aim = value
                if anchored and not due:
                    there = residuals(table, rows[1], snap_y, snap_w, held)
                    there = there if deviation else top(snap_y, there, risk, delta)
                    aim = value - there + exact_q
                if due:
                    whole, middle, mean, bent = exact(table, y, w, risk, delta)
                    exact_q = aim = whole if deviation else top(y, whole, risk, delta)
                q = keep * (q + value - past) + alpha * aim
            else:
                q = keep * q + alpha * value
            if deviation:
                if corrected:
                    m = keep * (m - before_y) + y
                    f = keep * (f - top(before_m, before_q, risk, delta)) + top(m, q, risk, delta)
                else:
                    m = keep * m + alpha * y
                    f = keep * f + alpha * top(m, q, risk, delta)
            c1, c2 = slopes(q, risk, delta)
            gradient(table, rows, now, c1, c2, g)
            if not corrected:
                for k in range(assets):
                    v[k] = keep * v[k] + alpha * g[k]
                continue
            c1, c2 = slopes(before_q, risk, delta)
            gradient(table, rows, old, c1, c2, g_old)
            if not anchored:
                for k in range(assets):
                    v[k] = keep * (v[k] - g_old[k]) + g[k]
                continue
            if due:
                c1, c2 = slopes(q, risk, delta)
                for k in range(assets):
                    exact_v[k] = sign * (c1 - 2 * sign * c2 * middle) * mean[k] + 2 * c2 * bent[k]
                    v[k] = keep * (v[k] + g[k] - g_old[k]) + alpha * exact_v[k]
                snap_x[:], snap_w[:], snap_y, snap_tracked = x, w, y, q
                continue
            c1, c2 = slopes(snap_tracked, risk, delta)
            gradient(table, rows, held, c1, c2, g_held)
            for k in range(assets):
                aim = g[k] - g_held[k] + exact_v[k]
                v[k] = keep * (v[k] + g[k] - g_old[k]) + alpha * aim
        return x

    return loop
