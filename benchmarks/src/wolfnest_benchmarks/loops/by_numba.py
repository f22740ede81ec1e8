"""The loops in Numba: explicit loops over samples and assets, every row read in place.

What is tracked at the levels is what `by_numpy` says. Rows come from Numba's own generator, or,
which takes a third of an iteration less, from SplitMix64 written out: a hash of the seed and the
number of the draw, which the compiler vectorises.
"""

from __future__ import annotations

import functools
from typing import Any, Literal

import numpy as np

from wolfnest_benchmarks.loops.settings import Draw, Settings

Generator = Literal["own", "hash"]
HALF = np.uint64(32)


def run(
    problem: str,
    method: str,
    table: np.ndarray,
    steps: int,
    at: Settings,
    draw: Draw | int = 0,
    generator: Generator = "own",
) -> np.ndarray:
    """The point after `steps` steps; `draw` is a seed, or a function that names the rows."""
    fixed, seed = np.empty((0, 2, at.batch), np.int64), 0
    if isinstance(draw, int):
        seed = draw
    else:
        fixed = np.array([draw(step) for step in range(-1, steps)], np.int64)
    family, _, version = method.partition("-")
    loop, calls = (
        _loop(problem == "mean-deviation", family, generator),
        at.inner * (version == "v2"),
    )
    numbers = (at.eta, at.alpha, at.risk, at.delta, calls, at.beta, at.period(len(table)))
    return loop(np.ascontiguousarray(table), fixed, seed, steps, at.batch, *numbers)


@functools.cache
def _loop(deviation: bool, family: str, generator: Generator) -> Any:
    """A compiled loop; what differs between problems and families is constant in it."""
    import numba  # pyright: ignore[reportMissingImports]

    compiled = numba.njit(fastmath=True, error_model="numpy")
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
        """The batch mean of `r·x`."""
        total = 0.0
        for j in range(rows.shape[0]):
            total += dot(table[rows[j]], x)
        return total / rows.shape[0]

    @compiled
    def value(square, y, risk):
        return square if deviation else risk * square - y

    @compiled
    def second(table, rows, y, w, risk, found):
        """The batch value of level 2; its residuals into `found`."""
        total = 0.0
        for j in range(rows.shape[0]):
            found[j] = dot(table[rows[j]], w) - y
            total += found[j] * found[j]
        return value(total / rows.shape[0], y, risk)

    @compiled
    def top(m, q, risk, delta):
        return -m + risk * np.sqrt(max(q, 0.0) + delta)

    @compiled
    def slope(q, risk, delta):
        if not deviation:
            return 2.0 * risk
        return risk / np.sqrt(q + delta) if q > 0 else 0.0

    @compiled
    def gradient(table, rows, found, c, g):
        """The paired batch gradient into `g`, from the residuals of the batch."""
        g[:] = 0.0
        for j in range(rows.shape[1]):
            one, two = table[rows[0, j]], table[rows[1, j]]
            upper = c * found[j]
            lower = -1.0 - upper
            for k in range(g.shape[0]):
                g[k] += lower * one[k] + upper * two[k]
        for k in range(g.shape[0]):
            g[k] /= rows.shape[1]

    @compiled
    def exact(table, y, w):
        """Of all residuals the mean square and the mean; the means of `r` and of `res r`."""
        days, assets = table.shape
        square, middle, mean, bent = 0.0, 0.0, np.zeros(assets), np.zeros(assets)
        for j in range(days):
            res = dot(table[j], w) - y
            square += res * res
            middle += res
            for k in range(assets):
                mean[k] += table[j, k]
                bent[k] += res * table[j, k]
        return square / days, middle / days, mean / days, bent / days

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
        rows, every = np.empty((2, batch), np.int64), np.arange(days)
        now, old, held = np.empty(batch), np.empty(batch), np.empty(batch)
        g, g_old, g_held = np.empty(assets), np.empty(assets), np.empty(assets)
        v, exact_v, z = np.empty(assets), np.empty(assets), np.empty(assets)
        x = np.full(assets, 1.0 / assets)
        w, before_x, before_w, snap_x, snap_w = x.copy(), x.copy(), x.copy(), x.copy(), x.copy()
        middle, mean, bent = 0.0, x, x
        if anchored:
            y = first(table, every, x)
            square, middle, mean, bent = exact(table, y, w)
            q = value(square, y, risk)
            c = slope(q, risk, delta)
            v[:] = c * bent - (1.0 + c * middle) * mean
        else:
            draw(rows, fixed, 0, days, seed)
            y = first(table, rows[0], x)
            q = second(table, rows[1], y, w, risk, now)
            gradient(table, rows, now, slope(q, risk, delta), v)
        exact_v[:] = v
        exact_y, exact_q, snap_y, snap_q = y, q, y, q
        m, f = y, top(y, q, risk, delta)
        for step in range(steps):
            before_x[:], before_w[:] = x, w
            before_y, before_q, before_m = y, q, m
            target(x, v, calls, beta, z)
            for k in range(assets):
                x[k] += eta * (z[k] - x[k])
            draw(rows, fixed, step + 1, days, seed)
            due = anchored and (step + 2) % period == 0
            # Level 1.
            here = first(table, rows[0], x)
            if not corrected:
                y = keep * y + alpha * here
                for k in range(assets):
                    w[k] = keep * w[k] + alpha * x[k]
            else:
                aim = here
                if due:
                    aim = exact_y = first(table, every, x)
                elif anchored:
                    aim = here - first(table, rows[0], snap_x) + exact_y
                y = keep * (y + here - first(table, rows[0], before_x)) + alpha * aim
                for k in range(assets):
                    w[k] = keep * (w[k] - before_x[k]) + x[k]
            # Level 2.
            here = second(table, rows[1], y, w, risk, now)
            if not corrected:
                q = keep * q + alpha * here
            else:
                aim = here
                if due:
                    square, middle, mean, bent = exact(table, y, w)
                    aim = exact_q = value(square, y, risk)
                elif anchored:
                    aim = here - second(table, rows[1], snap_y, snap_w, risk, held) + exact_q
                then = second(table, rows[1], before_y, before_w, risk, old)
                q = keep * (q + here - then) + alpha * aim
            # Level 3.
            if deviation and corrected:
                m = keep * (m - before_y) + y
                f = keep * (f - top(before_m, before_q, risk, delta)) + top(m, q, risk, delta)
            elif deviation:
                m = keep * m + alpha * y
                f = keep * f + alpha * top(m, q, risk, delta)
            # The gradient.
            gradient(table, rows, now, slope(q, risk, delta), g)
            if corrected:
                gradient(table, rows, old, slope(before_q, risk, delta), g_old)
            if due:
                c = slope(q, risk, delta)
                exact_v[:] = c * bent - (1.0 + c * middle) * mean
                snap_x[:], snap_w[:], snap_y, snap_q = x, w, y, q
            elif anchored:
                gradient(table, rows, held, slope(snap_q, risk, delta), g_held)
            for k in range(assets):
                if not corrected:
                    v[k] = keep * v[k] + alpha * g[k]
                elif not anchored:
                    v[k] = keep * (v[k] - g_old[k]) + g[k]
                else:
                    aim = exact_v[k] if due else g[k] - g_held[k] + exact_v[k]
                    v[k] = keep * (v[k] + g[k] - g_old[k]) + alpha * aim
        return x

    return loop
